import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// What was decided at a meeting comes back in the next rounds of its series.
@Suite(.timeLimit(.minutes(15))) struct DecisionsOfRounds {
    private static func decide(
        _ items: [Decision], at meeting: Meeting, _ fixture: TestStore, by principal: Principal? = nil,
        revision: Int? = nil
    ) async throws {
        try await fixture.store.decisions.replace(items, of: meeting, by: principal ?? fixture.host) { current in
            if let revision, revision != current { throw Problem(.preconditionFailed) }
        }
    }

    /// A further round of the series, with an open form.
    private static func nextRound(
        after meeting: Meeting, isPublished: Bool = true, _ fixture: TestStore
    ) async throws -> Meeting {
        let created = try await fixture.store.rounds.createNext(
            of: meeting.seriesID, by: fixture.host, once: nil,
            read: { try NextRound.read(.object([]), after: $0, asking: $1) },
            render: { Array($0.id.uuidString.utf8) })
        let id = try #require(UUID(uuidString: String(decoding: created.body, as: UTF8.self)))
        if isPublished { _ = try await fixture.store.forms.publish(meetingID: id, by: fixture.host.account.id) }
        return try await fixture.store.meetings.require(id, by: fixture.host)
    }

    @Test func theLastRoundWithDecisionsComesBack() async throws {
        try await TestStore.run { fixture in
            let decisions = fixture.store.decisions
            let first = try await fixture.openMeeting()
            try await Self.decide([Decision(text: "Begin at nine", question: "pace")], at: first, fixture)
            let second = try await Self.nextRound(after: first, fixture)
            let third = try await Self.nextRound(after: first, fixture)
            #expect(try await decisions.upTo(first).previous == nil)
            let last = try #require(try await decisions.upTo(third).previous)
            #expect(last.meetingID == first.id && last.round == 1)
            #expect(last.decisions.items == [Decision(text: "Begin at nine", question: "pace")])
            #expect(try await decisions.upTo(third).own == .none)

            try await Self.decide([Decision(text: "Shorter", isDone: true)], at: second, fixture)
            #expect(try await decisions.upTo(third).previous?.round == 2)
            #expect(try await decisions.upTo(second).previous?.round == 1)
            #expect(try await decisions.latest(ofSeries: first.seriesID)?.round == 2)
            try await Self.decide([], at: second, fixture)
            #expect(try await decisions.upTo(third).previous?.round == 1, "an empty list is no decision")
            try await fixture.store.meetings.trash(first.id, by: fixture.host) { _ in }
            #expect(try await decisions.upTo(third).previous == nil, "a deleted round does not come back")
        }
    }

    @Test func participantsSeeOnlyWhatIsShown() async throws {
        try await TestStore.run { fixture in
            let first = try await fixture.openMeeting()
            let second = try await Self.nextRound(after: first, fixture)
            let forms = fixture.store.forms
            try await Self.decide([Decision(text: "Internal")], at: first, fixture)
            #expect(try await forms.find(code: second.form.code).decided.isEmpty)
            let shown = Decision(text: "Begin at nine", isDone: true, isShown: true)
            try await Self.decide([Decision(text: "Internal"), shown], at: first, fixture)
            #expect(try await forms.find(code: second.form.code).decided == [shown])
            #expect(try await forms.find(code: first.form.code).decided.isEmpty, "not at the same round")
            let draft = try await Self.nextRound(after: first, isPublished: false, fixture)
            let unpublished = try await forms.find(code: draft.form.code)
            #expect(unpublished.decided.isEmpty, "nobody sees them before the publication")
        }
    }

    @Test func staleListsAndUnknownQuestionsAreRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let decisions = fixture.store.decisions
            try await Self.decide([Decision(text: "a")], at: meeting, fixture, revision: 0)
            try await Self.decide([Decision(text: "a")], at: meeting, fixture, revision: 1)
            #expect(try await decisions.revision(of: meeting.id) == 1, "equal decisions change nothing")
            let stale = try await problem {
                try await Self.decide([Decision(text: "b")], at: meeting, fixture, revision: 0)
            }
            #expect(stale?.code == .preconditionFailed)
            let unknown = try await problem {
                try await Self.decide(
                    [Decision(text: "b"), Decision(text: "c", question: "nothing")], at: meeting, fixture)
            }
            #expect(unknown?.faults.map(\.pointer) == ["/items/1/question"])
            #expect(unknown?.faults.first?.code == "unknown-question")
            let stranger = try await TestStore.account("s@example.org", "S", .host, in: fixture.store)
            let refused = try await problem {
                try await Self.decide([], at: meeting, fixture, by: stranger)
            }
            #expect(refused?.code == .notFound)
            #expect(try await decisions.upTo(meeting).own.items == [Decision(text: "a")])
        }
    }

    @Test func concurrentListsReplaceOneAnother() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        do {
                            try await Self.decide([Decision(text: "\(number)")], at: meeting, fixture, revision: 0)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 1)
            #expect(try await fixture.store.decisions.revision(of: meeting.id) == 1)
        }
    }

    @Test func decisionsAreDeletedWithTheAnswersAndWithTheMeeting() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await Self.decide([Decision(text: "a")], at: meeting, fixture)
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 30.1)
            try await fixture.store.sweep()
            let left = try await fixture.store.decisions.upTo(meeting).own
            #expect(left.items.isEmpty && left.revision == 2)

            try await Self.decide([Decision(text: "b")], at: meeting, fixture)
            try await fixture.store.meetings.trash(meeting.id, by: fixture.host) { _ in }
            try await fixture.store.pool.execute("UPDATE meeting SET purges_at = now() WHERE id = \(meeting.id)")
            #expect(try await fixture.store.purgeMeetings() == 1)
            #expect(try await fixture.store.pool.query("SELECT 1 FROM meeting_decisions").isEmpty)
        }
    }

    @Test func badListsAreRefusedWithAllFaults() throws {
        func faults(_ json: String) throws -> [String] {
            do {
                _ = try Decision.readList(JSONValue.parse(Array(json.utf8)))
                return []
            } catch let problem as Problem {
                return problem.faults.map { "\($0.pointer) \($0.code)" }
            }
        }
        #expect(try faults("{}") == ["/items required"])
        #expect(try faults(#"{"items": [{"text": " "}, 3, {"text": "a", "done": 1, "more": 2}]}"#).count == 4)
        #expect(try faults(#"{"items": [{"text": "a", "question": "No key"}]}"#) == ["/items/0/question invalid-key"])
        let family = "👨‍👩‍👧‍👦"
        let long = String(repeating: family, count: 500)
        #expect(try faults(#"{"items": [{"text": "\#(long)"}]}"#) == [])
        #expect(try faults(#"{"items": [{"text": "\#(long)a"}]}"#) == ["/items/0/text too-long"])
        let many = Array(repeating: #"{"text": "a"}"#, count: 21).joined(separator: ",")
        #expect(try faults("{\"items\": [\(many)]}") == ["/items too-many"])
        let read = try Decision.readList(JSONValue.parse(Array(#"{"items": [{"text": " a\nb "}]}"#.utf8)))
        #expect(read == [Decision(text: "a\nb")])
        #expect(Decision(stored: read[0].stored) == read[0])
    }
}

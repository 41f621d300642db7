import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Trends may be reused as long as their rounds are in the same state.
@Suite(.timeLimit(.minutes(5))) struct ComparedRoundStates {
    private static let pace = #"[{"key": "pace", "kind": "rating", "title": "Pace?"}]"#
    private static let other = #"[{"key": "room", "kind": "rating", "title": "Room?"}]"#

    /// A series of published rounds. The rounds in `askingPace` ask about the pace, the others about the room.
    private func rounds(_ count: Int, askingPace: Set<Int>, in fixture: TestStore) async throws -> [Meeting] {
        var meetings: [Meeting] = []
        for index in 0..<count {
            let asked = askingPace.contains(index) ? Self.pace : Self.other
            guard let last = meetings.last else {
                meetings.append(try await fixture.openMeeting(asked))
                continue
            }
            let created = try await fixture.store.rounds.createNext(
                of: last.seriesID, by: fixture.host, once: nil,
                read: { try NextRound.read(.object([]), after: $0, asking: $1) },
                render: { Array($0.id.uuidString.utf8) })
            let id = try #require(UUID(uuidString: String(decoding: created.body, as: UTF8.self)))
            let draft = try await fixture.store.meetings.require(id, by: fixture.host)
            _ = try await fixture.edit(draft, settings: "", questions: asked)
            _ = try await fixture.store.forms.publish(meetingID: id, by: fixture.host.account.id)
            meetings.append(try await fixture.store.meetings.require(id, by: fixture.host))
        }
        for index in askingPace { _ = try await fixture.submit(#"{"pace": 3}"#, to: meetings[index]) }
        return meetings
    }

    @Test func everyChangeOfAComparedRoundChangesTheState() async throws {
        try await TestStore.run { fixture in
            let meetings = try await rounds(3, askingPace: [0, 1, 2], in: fixture)
            let (series, store) = (meetings[0].seriesID, fixture.store.seriesRounds)
            @Sendable func update(_ change: Statement) async throws {
                try await fixture.store.pool.execute(
                    "UPDATE meeting SET \(fragment: change) WHERE id = \(meetings[0].id)")
            }
            let changes: [@Sendable () async throws -> Void] = [
                { _ = try await fixture.submit(#"{"pace": 4}"#, to: meetings[0]) },
                { _ = try await fixture.submit(#"{"pace": 4}"#, to: meetings[1]) },
                { try await update("headcount = 9") },
                { try await update("deleted_at = now()") },
                { try await update("deleted_at = NULL") },
            ]
            for (index, change) in changes.enumerated() {
                let state = try #require(try await store.trends(of: series, questions: ["pace"], upTo: 2).state)
                #expect(try await store.isCurrent(state, of: series, upTo: 2), "\(index)")
                try await change()
                #expect(try await !store.isCurrent(state, of: series, upTo: 2), "\(index)")
            }
            // Later rounds are not compared.
            let state = try #require(try await store.trends(of: series, questions: ["pace"], upTo: 2).state)
            _ = try await fixture.submit(#"{"pace": 1}"#, to: meetings[2])
            #expect(try await store.isCurrent(state, of: series, upTo: 2))
            #expect(try await !store.isCurrent(state, of: series, upTo: 3))
        }
    }

    /// The newest four rounds are read first. If they contain no earlier round to compare the last one with, more rounds
    /// are read.
    @Test func stateCoversAllRoundsThatWereRead() async throws {
        try await TestStore.run { fixture in
            let meetings = try await rounds(6, askingPace: [0, 5], in: fixture)
            let (series, store) = (meetings[0].seriesID, fixture.store.seriesRounds)
            let compared = try await store.trends(of: series, questions: ["pace"], upTo: 6)
            #expect(compared.trends.map(\.rounds.count) == [6])
            let state = try #require(compared.state)
            #expect(state.count == 6)
            #expect(try await store.isCurrent(state, of: series, upTo: 6))
            _ = try await fixture.submit(#"{"pace": 1}"#, to: meetings[0])
            #expect(try await !store.isCurrent(state, of: series, upTo: 6))
        }
    }
}

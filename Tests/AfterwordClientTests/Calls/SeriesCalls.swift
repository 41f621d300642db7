import AfterwordClient
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SeriesCalls {
    @Test func seriesIsListedRenamedTrashedAndRestored() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let first = try await host.createMeeting(MeetingRequest(title: "Retro"))
            _ = try await host.createMeeting(MeetingRequest(title: "Club"))
            #expect(first.series == "Retro")
            let series = try await host.series(first.seriesId)
            #expect(series.role == "owner" && series.rounds == 1 && series.latest?.id == first.id)
            let renamed = try await host.edit(series, SeriesEdit(title: "Retros"))
            #expect(renamed.title == "Retros")
            #expect(
                try await refusal { try await host.edit(series, SeriesEdit(title: "Late")) }?.code
                    == .preconditionFailed)
            let empty = try await refusal {
                try await host.editSeries(first.seriesId, .init(title: ""), matching: .any)
            }
            #expect(empty?.faults(at: "/title").count == 1)
            #expect(try await host.series(query: "retr").first(5).map(\.id) == [first.seriesId])
            #expect(try await host.series().pageSize(1).first(5).count == 2)

            try await host.trashSeries(first.seriesId, matching: renamed.tag)
            #expect(try await host.series(inTrash: true).first(5).map(\.id) == [first.seriesId])
            #expect(try await host.restoreSeries(first.seriesId).deletedAt == nil)
            #expect(try await refusal { _ = try await service.otherClient.series(first.seriesId) }?.code == .notFound)
        }
    }

    @Test func retentionIsSetKeptAndRemoved() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(
                MeetingRequest(title: "Retro", questions: [.text("why", "Why?")]))
            let set = try await host.editSeries(meeting.seriesId, SeriesEdit(retentionDays: 30), matching: .any)
            #expect(set.retentionDays == 30 && set.effectiveRetentionDays == 30)
            let renamed = try await host.edit(set, SeriesEdit(title: "Retros"))
            #expect(renamed.retentionDays == 30)
            #expect(try await host.form(of: meeting.id).retentionDays == 30)
            let removed = try await host.edit(renamed, SeriesEdit(retentionDays: .remove))
            #expect(removed.retentionDays == nil)
            try await host.trashMeeting(meeting.id)
            let trashed = try await host.meetings(state: .trash).first(5)
            #expect(trashed.first?.purgesAt != nil)
        }
    }

    @Test func nextRoundCopiesTheQuestionsOfTheLastRound() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let first = try await host.createMeeting(
                MeetingRequest(
                    title: "Retro", place: "Room 4", headcount: 12, questions: [.rating("pace", "How was the pace?")]))
            let second = try await host.createRound(of: first.seriesId)
            #expect(second.round == 2 && second.place == "Room 4" && second.headcount == 12)
            #expect(try await host.form(of: second.id).definition.questions.map(\.key) == ["pace"])
            let third = try await host.createRound(
                of: first.seriesId,
                RoundRequest(title: "Outside", place: .remove, headcount: .set(3), questions: [.text("why", "Why?")]))
            #expect(third.title == "Outside" && third.place == nil && third.headcount == 3)
            #expect(try await host.rounds(of: first.seriesId).pageSize(2).first(5).map(\.round) == [3, 2, 1])
        }
    }

    @Test func roundIsCreatedOnceForEachKey() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let first = try await host.createMeeting(MeetingRequest(title: "Retro"))
            let key = IdempotencyKey()
            let created = try await host.createRound(of: first.seriesId, key: key)
            #expect(try await host.createRound(of: first.seriesId, key: key).id == created.id)
            #expect(try await host.series(first.seriesId).rounds == 2)
        }
    }

    @Test func meetingIsRepeated() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let start = Sample.time(inMinutes: 60)
            let first = try await host.createMeeting(
                MeetingRequest(
                    title: "Morning", startsAt: start, endsAt: start.addingTimeInterval(900),
                    repeat: Repetition(every: "P1D", count: 5)))
            let rounds = try await host.rounds(of: first.seriesId).first(10)
            let days = [4.0, 3, 2, 1, 0].map { start.addingTimeInterval($0 * 86_400) }
            #expect(rounds.map(\.startsAt) == days)
            let later = start.addingTimeInterval(10 * 86_400)
            let sixth = try await host.createRound(
                of: first.seriesId,
                RoundRequest(
                    startsAt: later, endsAt: later.addingTimeInterval(900), repeat: Repetition(every: "P2W", count: 2)))
            #expect(sixth.round == 6 && sixth.startsAt == later)
            #expect(try await host.series(first.seriesId).rounds == 7)
            let invalid = try await refusal {
                _ = try await host.createMeeting(
                    MeetingRequest(title: "Never", repeat: Repetition(every: "P1S", count: 0)))
            }
            #expect(invalid?.faults(at: "/repeat").isEmpty == false)
        }
    }

    @Test func coHostsAreAddedAndRemoved() async throws {
        try await TestService.run { service in
            let (host, other) = (try service.hostClient, try service.otherClient)
            let series = try await host.createMeeting(MeetingRequest(title: "Retro")).seriesId
            #expect(try await host.addHost("other@example.org", as: .viewer, to: series).role == "viewer")
            #expect(try await other.series(series).role == "viewer")
            let helper = try await host.addHost("other@example.org", as: .editor, to: series)
            #expect(try await host.hosts(of: series).pageSize(1).first(5).map(\.role).sorted() == ["editor", "owner"])
            try await host.removeHost(helper.accountId, from: series)
            try await host.addHost("other@example.org", as: .viewer, to: series)
            try await other.removeHost("other@example.org", from: series)
            #expect(try await refusal { _ = try await other.series(series) }?.code == .notFound)
            let unknown = try await refusal { try await host.addHost("no@example.org", as: .viewer, to: series) }
            #expect(unknown?.faults(at: "/email").isEmpty == false)
        }
    }

    @Test func seriesIsTransferred() async throws {
        try await TestService.run { service in
            let (host, other) = (try service.hostClient, try service.otherClient)
            let start = Sample.time(inMinutes: 60)
            let request = MeetingRequest(title: "Retro", startsAt: start, endsAt: start.addingTimeInterval(3600))
            let series = try await host.series(try await host.createMeeting(request).seriesId)
            _ = try await other.createMeeting(request)
            let overlap = try await refusal {
                try await host.transfer(series.id, to: "other@example.org", matching: series.tag)
            }
            #expect(overlap?.code == .meetingOverlap)
            let transferred = try await host.transfer(series.id, to: "other@example.org", allowOverlap: true)
            #expect(transferred.role == "editor" && transferred.owner.name == "Otto Other")
            #expect(try await other.series(series.id).role == "owner")
        }
    }
}

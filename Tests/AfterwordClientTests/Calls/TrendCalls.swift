import AfterwordClient
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TrendCalls {
    @Test func trendAndPooledResultsCoverTheRounds() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let start = try #require(RFC3339.parse("2026-11-05T09:00:00Z"))
            let first = try await host.createMeeting(
                MeetingRequest(
                    title: "Retro", startsAt: start, endsAt: start + 3600,
                    questions: [.rating("pace", "How was the pace?")]))
            try await host.publish(first.id)
            for rating in [2, 4] { try await host.service.submit(["pace": .rating(rating)], to: first.form.code) }
            let second = try await host.createRound(of: first.seriesId)
            try await host.publish(second.id)
            try await host.service.submit(["pace": 5], to: second.form.code)

            let trend = try await host.trend(of: first.seriesId, question: "pace")
            #expect(trend.labels == ["#1 5 Nov", "#2"] && trend.n == [2, 1])
            #expect(trend[dataset: "mean"]?.data == [3, 5] && trend[dataset: "mean"]?.change == [nil, 2])
            let before = try await host.trend(of: first.seriesId, question: "pace", to: start + 1)
            #expect(before.rounds == [1])
            let unknown = try await refusal { _ = try await host.trend(of: first.seriesId, question: "nothing") }
            #expect(unknown?.faults(at: "?key").map(\.code) == ["unknown-key"])

            let pooled = try await host.results(ofSeries: first.seriesId)
            #expect(pooled.rounds == [1, 2])
            #expect(pooled.value[question: "pace"]?.summary?.mean == 11.0 / 3)
            #expect(try await host.refresh(pooled) == pooled)
            let dated = try await host.results(ofSeries: first.seriesId, from: start)
            #expect(dated.rounds == [1] && dated.from == start)
            #expect(try await host.refresh(dated).tag == dated.tag)

            let timeline = try await host.timeline(of: first.id)
            #expect(timeline.bucket == "hour" && timeline.points.last?.total == 2)
            #expect(pooled.changes == [] && !pooled.changesCut && !trend.changesCut)
            #expect(try await host.timeline(of: first.id, to: start - 86_400 * 365).points.isEmpty)
            #expect(try await host.timeline(of: first.id, by: .day, timeZone: "Asia/Seoul").datasets[0].data == [2])
        }
    }

    @Test func seriesAndMeetingsAreRanked() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            for (title, ratings) in [("A", [3, 3]), ("B", [5, 4]), ("C", [1])] {
                let meeting = try await host.createMeeting(
                    MeetingRequest(title: title, questions: [.rating("pace", "How was the pace?")]))
                try await host.publish(meeting.id)
                for rating in ratings {
                    try await host.service.submit(["pace": .rating(rating)], to: meeting.form.code)
                }
            }
            #expect(try await host.rankings(of: "pace").pageSize(1).first(9).map(\.title) == ["B", "A", "C"])
            #expect(try await host.rankings(of: "pace", by: .meeting, query: "c").first(9).map(\.rank) == [3])
            let page = try await host.ranking(of: "pace", limit: 2)
            #expect(page.items.count == 2 && page.scale == .init(min: 1, max: 5))
            let rest = try await host.ranking(of: "pace", limit: 2, after: page.next)
            #expect(rest.items.map(\.title) == ["C"] && rest.next == nil && rest.prior == page.prior)
        }
    }
}

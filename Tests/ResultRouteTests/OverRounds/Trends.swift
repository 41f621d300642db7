import Contract
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct Trends {
    private static let day = #""startsAt": "2026-11-05T23:30:00Z", "endsAt": "2026-11-06T00:30:00Z""#

    /// Three rounds, the second without the question, then a round in the trash and a draft.
    @Test func trendHasAnElementForEachPublishedRound() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(
                settings: #""identity": "device""#, members: Self.day + #", "timeZone": "Asia/Seoul", "headcount": 4"#)
            for (device, rating) in [("a", 2), ("b", 4)] {
                try await first.submit("{\"pace\": \(rating)}", respondent: String(repeating: device, count: 40))
                    .expect(201)
            }
            let second = try await first.next(#""questions": [{"key": "why", "kind": "text", "title": "Why?"}]"#)
            let third = try await second.next("\"questions\": \(TestStore.questions)")
            for device in ["c", "d", "e"] {
                try await third.submit(
                    #"{"pace": 5, "topics": ["demo"]}"#, respondent: String(repeating: device, count: 40)
                )
                .expect(201)
            }
            let trashed = try await third.next()
            try await trashed.host.delete(trashed.path).expect(204)
            _ = try await third.next(publish: false)

            let response = try await first.trend("key=pace").expect(200)
            let trend = try response.decoded(as: Trend.self)
            #expect(trend.seriesId.description == first.seriesID && trend.key == "pace" && trend.kind == "rating")
            #expect(trend.labels == ["#1 6 Nov", "#2", "#3"] && trend.rounds == [1, 2, 3])
            #expect(trend.meetingIds.map(\.description) == [first.id, second.id, third.id])
            #expect(trend.startsAt.map { $0 != nil } == [true, false, false] && trend.n == [2, nil, 3])
            #expect(trend.responseRate == [0.5, 0, 0.75])
            let mean = try #require(trend.datasets.first)
            #expect(trend.datasets.count == 1 && mean.id == "mean" && mean.data == [3, nil, 5])
            #expect(mean.change == [nil, nil, 2] && mean.low[1] == nil && mean.low[2] == 5)
            #expect(mean.changeLow[2].map { $0 < 2 } == true && mean.changeHigh[2].map { $0 > 2 } == true)
            #expect(trend.changes.map { "\($0.round) \($0.change)" } == ["2 retired", "3 restored"])
            let tag = try #require(response["ETag"])
            let known = ["If-None-Match": tag]
            #expect(try await service.host.get("\(first.seriesPath)/trend?key=pace", headers: known).status == 304)

            let topics = try await first.trend("key=topics").decoded(as: Trend.self)
            #expect(topics.datasets.map(\.id) == ["demo", "talk", "other"] && topics.n == [nil, nil, 3])
            #expect(topics.datasets.map(\.data) == [[nil, nil, 1], [nil, nil, 0], [nil, nil, 0]])
            let better = try await first.trend("key=better&from=2026-11-01&to=2026-12-01").decoded(as: Trend.self)
            #expect(better.rounds == [1] && better.n == [2] && better.datasets[0].data == [0])
        }
    }

    @Test func changesOfTheQuestionAreReported() async throws {
        try await TestService.run { service in
            let question = #"{"key": "pace", "kind": "rating", "title": "Pace"}"#
            let meeting = try await service.openMeeting("[\(question)]")
            try await meeting.rate(3)
            let reworded = question.replacing("\"Pace\"", with: "\"Tempo\", \"maxLabel\": \"fast\"")
            try await meeting.define("{\"questions\": [\(reworded)]}").expect(200)
            let second = try await meeting.next(
                #""questions": [{"key": "pace", "kind": "rating", "title": "Tempo", "max": 7}]"#)
            try await second.rate(7)
            let trend = try await meeting.trend("key=pace").decoded(as: Trend.self)
            #expect(
                trend.changes == [
                    .init(round: 1, version: 2, change: "reworded", from: "Pace", to: "Tempo"),
                    .init(round: 1, version: 2, change: "max-labelled", from: nil, to: "fast"),
                    .init(round: 2, version: 1, change: "scale", from: "1–5", to: "1–7"),
                    .init(round: 2, version: 1, change: "max-labelled", from: "fast", to: nil),
                ])
            #expect(trend.title == "Tempo" && trend.leftOut == [1] && trend.n == [nil, 1])
        }
    }

    /// The key is checked against the whole series before the period is applied.
    @Test func periodWithoutTheQuestionHasNullValues() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting()
            try await first.rate(4)
            let second = try await first.next(
                Self.day + #", "questions": [{"key": "why", "kind": "text", "title": "Why?"}]"#)
            try await second.submit(#"{"why": "x"}"#).expect(201)
            let without = try await first.trend("key=pace&from=2026-11-01").decoded(as: Trend.self)
            #expect(without.rounds == [2] && without.n == [nil] && without.labels == ["#2 5 Nov"])
            #expect(without.kind == "rating" && without.datasets.map(\.data) == [[nil]] && without.leftOut == [])
            let quiet = try await first.trend("key=pace&from=2030-01-01").decoded(as: Trend.self)
            #expect(quiet.rounds == [] && quiet.labels == [] && quiet.datasets.map(\.data) == [[]])
            #expect(quiet.changes == [] && !quiet.changesCut)
            #expect(try await first.trend("key=nothing&from=2030-01-01").faults == ["?key unknown-key"])
        }
    }

    @Test func roundsOfSeveralYearsShowTheirYear() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(
                members: #""startsAt": "2025-11-05T09:00:00Z", "endsAt": "2025-11-05T10:00:00Z", "timeZone": "UTC""#)
            let second = try await first.next(
                #""startsAt": "2026-11-05T09:00:00Z", "endsAt": "2026-11-05T10:00:00Z""#)
            try await second.rate(4)
            let trend = try await first.trend("key=pace").decoded(as: Trend.self)
            #expect(trend.labels == ["#1 5 Nov 2025", "#2 5 Nov 2026"])
            let one = try await first.trend("key=pace&from=2026-01-01").decoded(as: Trend.self)
            #expect(one.labels == ["#2 5 Nov"])
        }
    }

    @Test func withheldRoundsAreNull() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(settings: #""anonymous": true"#)
            try await first.rate(1, 5)
            let second = try await first.next()
            try await second.rate(3, 4, 5)
            for meeting in [first, second] { try await meeting.perform("close").expect(200) }
            let trend = try await first.trend("key=pace").decoded(as: Trend.self)
            #expect(trend.n == [nil, 3] && trend.datasets[0].data == [nil, 4] && trend.datasets[0].low[0] == nil)
            #expect(trend.datasets[0].change == [nil, nil])
        }
    }

    @Test func invalidRequestsNameTheParameter() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            #expect(
                try await meeting.trend("key=pace&from=2026-12-01&to=2026-11-01").faults == ["?to ends-before-start"])
            #expect(try await meeting.trend("").faults == ["?key required"])
            #expect(try await meeting.trend("key=").faults == ["?key required"])
            #expect(try await meeting.trend("key=nothing").faults == ["?key unknown-key"])
            #expect(try await meeting.trend("key=%00").status == 422)
            #expect(try await meeting.trend("key=pace&from=soon").faults == ["?from invalid-time"])
            #expect(try await meeting.trend("key=pace&round=1").faults == ["?round unknown-parameter"])
            #expect(try await service.other.get("\(meeting.seriesPath)/trend?key=pace").status == 404)
            #expect(try await service.host.get("/v1/series/\(meeting.id)/trend?key=pace").status == 404)
            try await service.coHost(meeting)
            #expect(try await service.other.get("\(meeting.seriesPath)/trend?key=pace").status == 200)
            let draft = try await service.meeting()
            #expect(try await draft.trend("key=pace").faults == ["?key unknown-key"])
        }
    }
}

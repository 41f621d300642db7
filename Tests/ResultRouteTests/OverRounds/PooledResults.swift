import Contract
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PooledResults {
    @Test func resultsOfASeriesAreAddedUp() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(
                settings: #""identity": "device""#,
                members: #""headcount": 4, "timeZone": "UTC", "#
                    + #""startsAt": "2026-11-05T09:00:00Z", "endsAt": "2026-11-05T10:00:00Z""#)
            let devices = ["a", "b", "c"].map { String(repeating: $0, count: 40) }
            try await first.submit(#"{"pace": 2, "topics": ["demo"], "better": "x"}"#, respondent: devices[0]).expect(
                201)
            let second = try await first.next(#""headcount": 2"#)
            try await second.submit(#"{"pace": 4, "topics": ["demo", {"other": "tea"}]}"#, respondent: devices[1])
                .expect(201)
            try await second.submit(#"{"pace": 4}"#, respondent: devices[2]).expect(201)
            _ = try await second.next(publish: false)

            let response = try await first.pooled().expect(200)
            let pooled = try response.decoded(as: SeriesResults.self)
            #expect(
                pooled.rounds == [1, 2] && pooled.submissions == 3 && pooled.headcount == 6 && pooled.attended == 0)
            #expect(pooled.responseRate == 0.5 && pooled.responseBase == "headcount" && pooled.withheld == nil)
            let questions = pooled.questions
            #expect(
                questions.map(\.results.key) == ["pace", "topics", "better"] && questions.map(\.rounds) == [2, 2, 2])
            #expect(questions[0].results.datasets?[0].data == [0, 1, 0, 2, 0])
            #expect(questions[0].results.summary?.mean == 10.0 / 3 && questions[0].results.summary?.median == 4)
            #expect(questions[1].results.points?.map(\.count) == [2, 0, 1] && questions[1].results.answered == 2)
            #expect(questions[2].results.answered == 1 && questions[2].results.skipped == 2)

            let tag = try #require(response["ETag"])
            let path = "\(first.seriesPath)/results"
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 304)
            let november = try await first.pooled("from=2026-11-01&to=2026-12-01").decoded(as: SeriesResults.self)
            #expect(november.rounds == [1] && november.submissions == 1 && november.from != nil && november.to != nil)
            let never = try await first.pooled("from=2030-01-01").decoded(as: SeriesResults.self)
            #expect(
                never.rounds == [] && never.questions.isEmpty && never.responseRate == nil && never.headcount == nil)
            try await second.submit(#"{"pace": 1}"#, respondent: String(repeating: "d", count: 40)).expect(201)
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test func responseRateCountsEverybodyWhoMightHaveAnswered() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(settings: #""identity": "device""#, members: #""headcount": 4"#)
            try await first.submit(#"{"pace": 2}"#, respondent: String(repeating: "a", count: 40)).expect(201)
            let second = try await first.next(#""headcount": null"#)
            for person in ["Ann", "Ben"] {
                try await service.host.post(
                    "\(second.path)/attendees",
                    json: "{\"name\": \"\(person)\", \"email\": \"\(person)@example.org\", \"status\": \"present\"}"
                ).expect(201)
            }
            try await second.submit(#"{"pace": 2}"#, respondent: String(repeating: "b", count: 40)).expect(201)
            let pooled = try await first.pooled().decoded(as: SeriesResults.self)
            #expect(pooled.responseRate == 2.0 / 6 && pooled.responseBase == "mixed")
            let open = try await service.openMeeting(members: #""headcount": 4"#)
            try await open.rate(3)
            #expect(try await open.pooled().decoded(as: SeriesResults.self).responseRate == nil)
        }
    }

    @Test func roundWhoseQuestionHasAnotherKindIsOmitted() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(#"[{"key": "pace", "kind": "text", "title": "Pace"}]"#)
            try await first.submit(#"{"pace": "fast"}"#).expect(201)
            let second = try await first.next(#""questions": [{"key": "pace", "kind": "rating", "title": "Pace"}]"#)
            try await second.rate(4)
            let question = try #require(try await first.pooled().decoded(as: SeriesResults.self).questions.first)
            #expect(question.leftOut == [1] && question.rounds == 1 && question.results.answered == 1)
        }
    }

    /// After every submission the pooled counts are the sum of the rounds' released counts, and change only when a
    /// released count does.
    @Test func pooledResultsRevealNoMoreThanTheirRounds() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(settings: #""anonymous": true"#)
            let rounds = [first, try await first.next(), try await first.next()]
            var before = try await Self.reading(rounds)
            for turn in 0..<24 {
                let meeting = rounds[(turn * turn) % 3]
                if turn == 15 { try await rounds[0].perform("close").expect(200) }
                if turn == 15 || (turn > 15 && meeting.id == rounds[0].id) { continue }
                try await meeting.rate(1 + turn % 5)
                let now = try await Self.reading(rounds)
                #expect(now.pooled == now.sum, "turn \(turn)")
                if now.rounds == before.rounds { #expect(now.pooled == before.pooled, "turn \(turn)") }
                before = now
            }
            let withheld = try #require(try await first.pooled().decoded(as: SeriesResults.self).withheld)
            #expect(withheld.reason == "minimum-group" && withheld.minimum == 3 && withheld.rounds.isEmpty == false)
            #expect(withheld.shown == before.shown)
        }
    }

    private static let swappedOptions = (
        first: #"[{"id": "a", "label": "Yes"}, {"id": "b", "label": "No"}]"#,
        second: #"[{"id": "a", "label": "No"}, {"id": "b", "label": "Yes"}]"#
    )

    private static func choice(_ options: String) -> String {
        "[{\"key\": \"again\", \"kind\": \"choice\", \"title\": \"Again?\", \"options\": \(options)}]"
    }

    /// Counts are added up by the ids of options, even if a label differs between rounds. The results report such
    /// differences.
    @Test func labelsThatDifferBetweenRoundsAreReported() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.choice(Self.swappedOptions.first))
            try await first.submit(#"{"again": "a"}"#).expect(201)
            let before = try await first.pooled().decoded(as: SeriesResults.self)
            #expect(before.changes == [] && !before.changesCut)
            let again = Self.swappedOptions.first.replacing("\"Yes\"", with: "\"Sure\"")
            let second = try await first.next("\"questions\": \(Self.choice(again))")
            try await second.submit(#"{"again": "a"}"#).expect(201)
            let more = #"{"key": "why", "kind": "text", "title": "Why?"}"#
            try await second.define(
                "{\"questions\": \(Self.choice(again).replacing("Again?", with: "Once more?").dropLast()), \(more)]}"
            ).expect(200)
            let pooled = try await first.pooled().decoded(as: SeriesResults.self)
            #expect(pooled.questions.first?.results.points?.map(\.count) == [2, 0])
            #expect(
                pooled.changes == [
                    .init(
                        key: "again", round: 2, version: 1, change: "option-reworded", option: "a", from: "Yes",
                        to: "Sure"),
                    .init(key: "again", round: 2, version: 2, change: "reworded", from: "Again?", to: "Once more?"),
                ])
            let trend = try await first.trend("key=again").decoded(as: Trend.self)
            #expect(trend.changes.map(\.change) == pooled.changes.map(\.change))
        }
    }

    /// If a later round could exchange labels, the pooled results would count an earlier Yes as a No.
    @Test func laterRoundCannotExchangeLabels() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.choice(Self.swappedOptions.first))
            try await first.submit(#"{"again": "a"}"#).expect(201)
            let draft = try await first.next(
                "\"questions\": \(Self.choice(Self.swappedOptions.second))", publish: false)
            let faults = [
                "/questions/0/options/0/label label-of-another-option",
                "/questions/0/options/1/label label-of-another-option",
            ]
            #expect(try await draft.perform("publish").faults == faults)
            #expect(
                try await draft.define("{\"questions\": \(Self.choice(Self.swappedOptions.second))}").faults == faults
            )
            let scale = #"{"key": "again", "kind": "rating", "title": "Again?"}"#
            try await draft.define("{\"questions\": [\(scale)]}").expect(200)
            let moved = #"[{"id": "b", "label": "No"}, {"id": "a", "label": "Yes, of course"}]"#
            try await draft.define("{\"questions\": \(Self.choice(moved))}").expect(200)
            try await draft.perform("publish").expect(200)
        }
    }

    private struct Reading {
        var rounds: [[Int]] = []
        var sum = [0, 0, 0, 0, 0]
        var pooled: [Int] = []
        var shown = 0
    }

    /// How often each rating was given, in each round's results and in the pooled ones.
    private static func reading(_ meetings: [TestMeeting]) async throws -> Reading {
        var reading = Reading()
        for meeting in meetings {
            let results = try await meeting.results().decoded(as: Results.self)
            let data = results.questions[0].datasets?.first?.data ?? []
            reading.rounds.append(data)
            reading.sum = zip(reading.sum, data.isEmpty ? [0, 0, 0, 0, 0] : data).map(+)
            reading.shown += results.withheld?.shown ?? results.submissions
        }
        let pooled = try await meetings[0].pooled().decoded(as: SeriesResults.self)
        let data = pooled.questions[0].results.datasets?.first?.data ?? []
        reading.pooled = data.isEmpty ? [0, 0, 0, 0, 0] : data
        return reading
    }

    @Test func invalidRequestsNameTheParameter() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            #expect(try await meeting.pooled("from=2026-12-01&to=2026-12-01").faults == ["?to ends-before-start"])
            #expect(try await meeting.pooled("to=never").faults == ["?to invalid-time"])
            #expect(try await meeting.pooled("where=pace:4").faults == ["?where unknown-parameter"])
            #expect(try await service.other.get("\(meeting.seriesPath)/results").status == 404)
            try await service.host.delete(meeting.seriesPath).expect(204)
            #expect(try await meeting.pooled().status == 404)
        }
    }
}

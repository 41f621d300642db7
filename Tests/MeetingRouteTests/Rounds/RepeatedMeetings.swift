import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RepeatedMeetings {
    private static func body(
        _ start: String, _ end: String, _ zone: String, every: String, count: Int, _ more: String = ""
    ) -> String {
        """
        {"title": "Weekly", "startsAt": "\(start)", "endsAt": "\(end)", "timeZone": "\(zone)", "headcount": 4,
         "questions": \(TestStore.questions), "repeat": {"every": "\(every)", "count": \(count)}\(more)}
        """
    }

    /// The start and end of each round in the order of the round numbers, as the API shows them.
    private static func times(_ service: TestService) async throws -> [String] {
        let list = try await service.host.get("/v1/meetings?limit=200").expect(200)
        let items = (list.json?["items"]?.array ?? []).sorted {
            ($0["round"]?.int ?? 0) < ($1["round"]?.int ?? 0)
        }
        return items.map { "\($0["startsAt"]?.string ?? "-")/\($0["endsAt"]?.string ?? "-")" }
    }

    /// Creates the rounds and returns the start of each.
    private static func createdStarts(
        _ start: String, _ end: String, _ zone: String, every: String, count: Int
    ) async throws -> [String] {
        try await TestService.run { service in
            try await service.host.post(
                "/v1/meetings", json: body(start, end, zone, every: every, count: count)
            ).expect(201)
            return try await times(service).map { String($0.prefix { $0 != "/" }) }
        }
    }

    @Test func roundsBeyondTheSupportedYearsAreRefused() async throws {
        let cases: [(start: String, end: String, every: String, count: Int, faults: [String])] = [
            ("9990-03-01T09:00:00Z", "9990-03-01T10:00:00Z", "P1Y", 9, ["/repeat too-far"]),
            ("9997-12-20T09:00:00Z", "9997-12-20T10:00:00Z", "P1W", 3, ["/repeat too-far"]),
            ("9997-12-31T23:00:00Z", "9998-01-01T00:00:00Z", "P1D", 1, ["/endsAt too-far"]),
            ("9999-12-31T22:00:00-01:00", "9999-12-31T23:59:59-01:00", "P1D", 1, ["/endsAt too-far"]),
            ("0000-01-01T00:00:00+02:00", "0000-01-01T01:00:00+02:00", "P1D", 1, ["/startsAt too-early"]),
            ("9997-12-20T09:00:00Z", "9997-12-20T10:00:00Z", "P1W", 2, []),
            ("0002-01-01T00:00:00Z", "0002-01-01T10:00:00Z", "P1W", 2, []),
        ]
        try await TestService.run { service in
            for testCase in cases {
                let body = Self.body(
                    testCase.start, testCase.end, "Asia/Seoul", every: testCase.every, count: testCase.count)
                let created = try await service.host.post("/v1/meetings", json: body)
                #expect(
                    created.faults == testCase.faults && created.status == (testCase.faults.isEmpty ? 201 : 422),
                    "\(created.text)")
            }
            let series = try await service.meeting().seriesID
            let next = try await service.host.post(
                "/v1/series/\(series)/meetings",
                json: """
                    {"startsAt": "9990-03-01T09:00:00Z", "endsAt": "9990-03-01T10:00:00Z", "timeZone": "UTC",
                     "repeat": {"every": "P1Y", "count": 9}}
                    """)
            #expect(next.status == 422 && next.faults == ["/repeat too-far"])
        }
    }

    @Test func everyRoundIsComplete() async throws {
        try await TestService.run { service in
            let created = try await service.host.post(
                "/v1/meetings",
                json: Self.body("2027-03-01T09:00:00Z", "2027-03-01T10:00:00Z", "UTC", every: "P7D", count: 12)
            ).expect(201)
            #expect(
                created.json?["round"] == .number("1") && created.json?["startsAt"]?.string == "2027-03-01T09:00:00Z")
            let items = try #require(
                try await service.host.get("/v1/meetings?limit=200").expect(200).json?["items"]?.array)
            #expect(Set(items.compactMap { $0["round"]?.int }) == Set(1...12))
            #expect(Set(items.compactMap { $0["form"]?["code"]?.string }).count == 12)
            #expect(Set(items.compactMap { $0["checkInCode"]?.string }).count == 12)
            #expect(Set(items.compactMap { $0["seriesId"]?.string }).count == 1)
            for item in items {
                #expect(item["headcount"] == .number("4") && item["title"]?.string == "Weekly")
                let form = try await service.host.get("/v1/meetings/\(item["id"]?.string ?? "")/form").expect(200)
                #expect(form.json?["questions"]?.array?.count == 3 && form.json?["state"]?.string == "draft")
            }
            let next = try await service.host.post("/v1/series/\(try created.string("seriesId"))/meetings").expect(201)
            #expect(next.json?["round"] == .number("13"))
        }
    }

    @Test func totalSizeOfTheFormsOfOneRequestIsLimited() async throws {
        try await TestService.run { service in
            let option = { (number: Int) in
                "{\"id\": \"o\(number)\", \"label\": \"\(String(repeating: "x", count: 290))\(number)\"}"
            }
            let options = (1...50).map(option).joined(separator: ",")
            let questions = (1...10).map { number in
                "{\"key\": \"q\(number)\", \"title\": \"Q\", \"kind\": \"choice\", \"options\": [\(options)]}"
            }
            let meeting = { (count: Int) in
                """
                {"title": "Large", "startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z",
                 "timeZone": "UTC", "questions": [\(questions.joined(separator: ","))],
                 "repeat": {"every": "P1D", "count": \(count)}}
                """
            }
            let refused = try await service.host.post("/v1/meetings", json: meeting(300))
            #expect(refused.status == 422 && refused.faults == ["/repeat too-large"], "\(refused.text.prefix(300))")
            let created = try await service.host.post("/v1/meetings", json: meeting(2)).expect(201)
            let next = try await service.host.post(
                "/v1/series/\(try created.string("seriesId"))/meetings",
                json: """
                    {"startsAt": "2028-03-01T09:00:00Z", "endsAt": "2028-03-01T10:00:00Z",
                     "repeat": {"every": "P1D", "count": 300}}
                    """)
            #expect(next.status == 422 && next.faults == ["/repeat too-large"])
            let rows = try await service.fixture.store.pool.query("SELECT count(*) FROM form")
            #expect(try rows[0].decode(Int.self) == 2)
        }
    }

    /// 18:00 in Berlin, where summer time begins on 28 March 2027.
    @Test func localTimeIsKeptWhenSummerTimeBegins() async throws {
        let starts = try await Self.createdStarts(
            "2027-03-21T17:00:00Z", "2027-03-21T18:00:00Z", "Europe/Berlin", every: "P1W", count: 3)
        #expect(starts == ["2027-03-21T17:00:00Z", "2027-03-28T16:00:00Z", "2027-04-04T16:00:00Z"])
    }

    /// 18:00 in Berlin, where summer time ends on 31 October 2027.
    @Test func localTimeIsKeptWhenSummerTimeEnds() async throws {
        let starts = try await Self.createdStarts(
            "2027-10-30T16:00:00Z", "2027-10-30T17:00:00Z", "Europe/Berlin", every: "P1D", count: 3)
        #expect(starts == ["2027-10-30T16:00:00Z", "2027-10-31T17:00:00Z", "2027-11-01T17:00:00Z"])
    }

    @Test func summerTimeAppliesOnlyWhileAZoneObservesIt() async throws {
        let seoul = try await Self.createdStarts(
            "2027-03-27T15:30:00Z", "2027-03-27T16:30:00Z", "Asia/Seoul", every: "P1D", count: 3)
        #expect(seoul == ["2027-03-27T15:30:00Z", "2027-03-28T15:30:00Z", "2027-03-29T15:30:00Z"])
        // Brazil abolished summer time in 2019: in 2018 it ended on 17 February and began on 4 November.
        let saoPaulo = try await Self.createdStarts(
            "2018-02-16T12:00:00Z", "2018-02-16T13:00:00Z", "America/Sao_Paulo", every: "P1D", count: 3)
        #expect(saoPaulo == ["2018-02-16T12:00:00Z", "2018-02-17T12:00:00Z", "2018-02-18T13:00:00Z"])
    }

    /// 02:30 on 28 March 2027 does not exist in Berlin: that round is at 03:30, the next at 02:30 again.
    @Test func skippedLocalTimeMovesPastTheGap() async throws {
        try await TestService.run { service in
            try await service.host.post(
                "/v1/meetings",
                json: Self.body("2027-03-27T01:30:00Z", "2027-03-27T02:10:00Z", "Europe/Berlin", every: "P1D", count: 3)
            ).expect(201)
            #expect(
                try await Self.times(service) == [
                    "2027-03-27T01:30:00Z/2027-03-27T02:10:00Z", "2027-03-28T01:30:00Z/2027-03-28T02:10:00Z",
                    "2027-03-29T00:30:00Z/2027-03-29T01:10:00Z",
                ], "the end at 03:10 would precede the start at 03:30, so the round keeps its length")
        }
    }

    /// A night shift from 22:00 to 06:00 also ends at 06:00 local time in the night that is an hour shorter.
    @Test func endAfterTheChangeKeepsItsLocalTime() async throws {
        try await TestService.run { service in
            try await service.host.post(
                "/v1/meetings",
                json: Self.body("2027-03-26T21:00:00Z", "2027-03-27T05:00:00Z", "Europe/Berlin", every: "P1D", count: 2)
            ).expect(201)
            #expect(
                try await Self.times(service) == [
                    "2027-03-26T21:00:00Z/2027-03-27T05:00:00Z", "2027-03-27T21:00:00Z/2027-03-28T04:00:00Z",
                ])
        }
    }

    @Test func monthlyRoundsDoNotDriftAtMonthEnds() async throws {
        let months = try await Self.createdStarts(
            "2027-01-31T10:00:00Z", "2027-01-31T11:00:00Z", "UTC", every: "P1M", count: 5)
        #expect(months.map { $0.prefix(10) } == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"])
        let years = try await Self.createdStarts(
            "2028-02-29T10:00:00Z", "2028-02-29T11:00:00Z", "UTC", every: "P1Y", count: 5)
        #expect(years.map { $0.prefix(10) } == ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
    }

    /// A host waits for the response, so even a year of daily rounds has to be created in seconds.
    @Test func yearOfDailyRoundsIsCreatedQuickly() async throws {
        try await TestService.run { service in
            let clock = ContinuousClock()
            let start = clock.now
            try await service.host.post(
                "/v1/meetings",
                json: Self.body(
                    "2027-01-01T09:00:00Z", "2027-01-01T10:00:00Z", "Europe/Berlin", every: "P1D", count: 366)
            ).expect(201)
            #expect(clock.now - start < .seconds(10))
            let count = try await service.fixture.store.pool.query(
                "SELECT count(*), count(DISTINCT starts_at AT TIME ZONE time_zone - make_interval(days => round)) FROM meeting"
            )
            let (meetings, times) = try #require(count.first).decode(Int.self, Int.self)
            #expect(meetings == 366 && times == 1, "each round is one day later at the same local time")
        }
    }

    @Test(arguments: [
        (#"{"every": "P7D", "count": 10000}"#, 422, ["/repeat/count out-of-range"]),
        (#"{"every": "P7D", "count": 0}"#, 422, ["/repeat/count out-of-range"]),
        (#"{"every": "P7D", "count": -3}"#, 422, ["/repeat/count out-of-range"]),
        (#"{"every": "P7D", "count": 1.5}"#, 422, ["/repeat/count not-an-integer"]),
        (#"{"every": "P7D", "count": "12"}"#, 400, ["/repeat/count wrong-type"]),
        (#"{"every": "P7D"}"#, 422, ["/repeat/count required"]),
        (#"{"count": 3}"#, 422, ["/repeat/every required"]),
        (#"{"every": "P7D", "count": 3, "until": 4}"#, 400, ["/repeat/until unknown-field"]),
        (#""weekly""#, 400, ["/repeat wrong-type"]),
        (#"{"every": "P9999Y", "count": 3}"#, 422, ["/repeat too-far"]),
        (#"{"every": "P0D", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "P-7D", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "PT24H", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "P1M1D", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "7 days", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "P٣D", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
        (#"{"every": "P99999999999999999999D", "count": 3}"#, 422, ["/repeat/every invalid-period"]),
    ])
    func invalidRepetitionsAreRefused(repetition: String, status: Int, faults: [String]) async throws {
        try await TestService.run { service in
            let response = try await service.host.post(
                "/v1/meetings",
                json: """
                    {"title": "T", "startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z",
                     "timeZone": "UTC", "repeat": \(repetition)}
                    """)
            #expect(response.status == status && response.faults == faults, "\(response.text)")
            #expect(try await Self.times(service).isEmpty)
        }
    }

    @Test func repetitionRequiresTimes() async throws {
        try await TestService.run { service in
            let response = try await service.host.post(
                "/v1/meetings", json: #"{"title": "T", "repeat": {"every": "P7D", "count": 2}}"#)
            #expect(response.status == 422 && response.faults == ["/repeat undated-meeting"], "\(response.text)")
        }
    }

    @Test func overlapOfOneRoundRefusesAllRounds() async throws {
        try await TestService.run { service in
            let existing = try await service.meeting(
                members: #""startsAt": "2027-03-15T09:30:00Z", "endsAt": "2027-03-15T12:00:00Z", "timeZone": "UTC""#)
            let body = Self.body("2027-03-01T09:00:00Z", "2027-03-01T10:00:00Z", "UTC", every: "P7D", count: 12)
            let refused = try await service.host.post("/v1/meetings", json: body)
            #expect(refused.status == 409 && refused.problem == "meeting-overlap")
            #expect(refused.json?["conflicts"]?.array?.map { $0["id"]?.string } == [existing.id], "\(refused.text)")
            #expect(try await Self.times(service).count == 1)
            let selfOverlapping = try await service.host.post(
                "/v1/meetings",
                json: Self.body("2028-03-01T09:00:00Z", "2028-03-03T10:00:00Z", "UTC", every: "P1D", count: 3))
            #expect(
                selfOverlapping.status == 409 && selfOverlapping.json?["conflicts"] == .array([]),
                "\(selfOverlapping.text)")
            #expect(try await Self.times(service).count == 1)
            try await service.host.post(
                "/v1/meetings",
                json: Self.body(
                    "2027-03-01T09:00:00Z", "2027-03-03T10:00:00Z", "UTC", every: "P1D", count: 20,
                    #", "allowOverlap": true"#)
            ).expect(201)
        }
    }
}

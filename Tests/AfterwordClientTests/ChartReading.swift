import AfterwordClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ChartReading {
    @Test func pointsAreInTheOrderOfTheQuestion() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for answers: [String: Answer] in [
                ["pace": 4, "topics": ["demo"]], ["pace": 4, "topics": ["demo", .other("snacks")]], ["better": "More"],
            ] {
                try await service.afterword.submit(answers, to: meeting.code)
            }
            let id = try #require(ResourceID(meeting.id))
            let results = try await service.hostClient.results(of: id).value
            let pace = try #require(results[question: "pace"]?.chart)
            #expect(pace.map(\.value) == [1, 2, 3, 4, 5] && pace.map(\.count) == [0, 0, 0, 2, 0])
            #expect(pace[3].share == 1 && (pace[3].low ?? 0) > 0.3 && pace[3].high == 1)
            let topics = try #require(results[question: "topics"]?.chart)
            #expect(topics.map(\.id) == ["demo", "talk", "other"] && topics.map(\.count) == [2, 0, 1])
            #expect(topics.map(\.label) == ["The demo", "The talk", "Other"])
            #expect(Set(topics).count == 3)
            #expect(results[question: "better"]?.chart == [] && results[question: "none"] == nil)
        }
    }

    @Test func withheldResultsHaveNoPoints() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            try await service.afterword.submit(["pace": 4], to: meeting.code)
            let id = try #require(ResourceID(meeting.id))
            let results = try await service.hostClient.results(of: id)
            #expect(results.withheld?.minimum == 3 && results.value[question: "pace"]?.chart == [])
        }
    }
}

import AfterwordClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FilterCalls {
    @Test func resultsAreFilteredAndCrossTabulated() async throws {
        try await TestService.run { service in
            let host = try service.hosting
            let meeting = try await host.createMeeting(
                MeetingRequest(title: "Retro", questions: [.rating("pace", "Pace?"), .rating("mood", "Mood?")]))
            try await host.publish(meeting.id)
            for (pace, mood) in [(4, 5), (4, 3), (2, 5)] {
                try await service.afterword.submit(
                    ["pace": .rating(pace), "mood": .rating(mood)], to: meeting.form.code)
            }
            let calm = try await host.results(of: meeting.id, where: "pace:4")
            #expect(calm.value.results.submissions == 2 && calm.value.total == 3 && calm.value.partial == nil)
            #expect(calm.value.results[question: "mood"]?.summary?.mean == 4)
            let both = try await host.results(of: meeting.id, where: "pace:4", "mood:5")
            #expect(both.value.results.submissions == 1 && both.value.conditions.sorted() == ["mood:5", "pace:4"])
            #expect(both.tag != calm.tag)
            #expect(try await host.results(of: meeting.id, where: both.value.conditions) == both)
            let none = try await host.results(of: meeting.id, where: [])
            #expect(none.value.results.submissions == 3 && none.value.total == 3 && none.value.conditions == [])
            let table = try await host.crossTab(of: meeting.id, rows: "pace", columns: "mood")
            #expect(table.answered == 3 && table.points.first { $0.row == "4" && $0.column == "5" }?.count == 1)
            let refused = try await refusal { _ = try await host.results(of: meeting.id, where: "pace:9") }
            #expect(refused?.code == .validationFailed && refused?.errors.first?.pointer == "?where")
        }
    }
}

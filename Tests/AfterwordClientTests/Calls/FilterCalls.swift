import AfterwordClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FilterCalls {
    @Test func resultsAreFilteredAndCrossTabulated() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(
                MeetingRequest(title: "Retro", questions: [.rating("pace", "Pace?"), .rating("mood", "Mood?")]))
            try await host.publish(meeting.id)
            for (pace, mood) in [(4, 5), (4, 3), (2, 5)] {
                try await service.afterword.submit(
                    ["pace": .rating(pace), "mood": .rating(mood)], to: meeting.form.code)
            }
            let filtered = try await host.results(of: meeting.id, where: "pace:4")
            #expect(
                filtered.value.results.submissions == 2 && filtered.value.total == 3 && filtered.value.partial == nil)
            #expect(filtered.value.results[question: "mood"]?.summary?.mean == 4)
            let both = try await host.results(of: meeting.id, where: "pace:4", "mood:5")
            #expect(both.value.results.submissions == 1 && both.value.conditions.sorted() == ["mood:5", "pace:4"])
            #expect(both.tag != filtered.tag)
            #expect(try await host.results(of: meeting.id, where: both.value.conditions) == both)
            let unfiltered = try await host.results(of: meeting.id, where: [])
            #expect(
                unfiltered.value.results.submissions == 3 && unfiltered.value.total == 3
                    && unfiltered.value.conditions == [])
            let table = try await host.crossTab(of: meeting.id, rows: "pace", columns: "mood")
            #expect(table.answered == 3 && table.points.first { $0.row == "4" && $0.column == "5" }?.count == 1)
            let refused = try await refusal { _ = try await host.results(of: meeting.id, where: "pace:9") }
            #expect(refused?.code == .validationFailed && refused?.errors.first?.pointer == "?where")
        }
    }
}

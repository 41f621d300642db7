import AfterwordClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PageIteration {
    @Test func pagesNeitherSkipNorRepeatWhileMeetingsArrive() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            var created: Set<ResourceID> = []
            for number in 1...7 { created.insert(try await host.createMeeting(MeetingRequest(title: "\(number)")).id) }
            var listed: [ResourceID] = []
            for try await meeting in host.meetings().pageSize(2) {
                listed.append(meeting.id)
                if listed.count < 6 { _ = try await host.createMeeting(MeetingRequest(title: "later")) }
            }
            #expect(Set(listed).count == listed.count && created.isSubset(of: listed))
        }
    }

    @Test func singlePageCanBeRead() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            for number in 1...3 { _ = try await host.createMeeting(MeetingRequest(title: "\(number)")) }
            let first = try await host.meetings().page(limit: 2)
            let cursor: String = try #require(first.next)
            let rest = try await host.meetings().page(after: cursor, limit: 2)
            #expect(first.items.count == 2 && rest.items.count == 1 && rest.next == nil)
            #expect(try await host.meetings().first(2).count == 2)
            #expect(try await host.meetings().first(0).isEmpty)
        }
    }

    @Test func invalidCursorIsAProblem() async throws {
        try await TestService.run { service in
            let problem = try await refusal { _ = try await service.hostClient.meetings().page(after: "nonsense") }
            #expect(problem?.code == .validationFailed)
        }
    }
}

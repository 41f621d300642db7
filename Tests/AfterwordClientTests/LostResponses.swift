import AfterwordClient
import TestSupport
import Testing

/// Calls whose response is lost after the service has carried them out.
@Suite(.timeLimit(.minutes(15))) struct LostResponses {
    private func client(
        _ service: TestService, _ steps: [ScriptedTransport.Step]
    ) -> (Afterword, ScriptedTransport) {
        let transport = ScriptedTransport(steps, over: StandardTransport.make())
        return (Afterword(url: service.afterword.url, transport: transport, retries: Pauses().policy()), transport)
    }

    @Test func submissionIsStoredOnceAndItsReceiptIsValid() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let (afterword, transport) = client(service, [.lose, .breakOff])
            let receipt = try await afterword.submit(["pace": 4], to: meeting.code)
            #expect(transport.requests.count == 3)
            let stored = try await afterword.submission(receipt, of: meeting.code)
            #expect(stored.id == receipt.id && stored.answers["pace"]?.int == 4)
            #expect(try await meeting.results().json?["submissions"]?.int == 1)
        }
    }

    @Test func meetingIsCreatedOnce() async throws {
        try await TestService.run { service in
            let (afterword, transport) = client(service, [.lose])
            let host = afterword.host(token: try service.hostClient.token)
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro"))
            #expect(transport.requests.count == 2)
            #expect(try await host.meetings().first(10).map(\.id) == [meeting.id])
        }
    }

    @Test func deletionSucceedsAndIsReportedAsUncertain() async throws {
        try await TestService.run { service in
            let meeting = try await service.hostClient.createMeeting(MeetingRequest(title: "Retro"))
            let host = client(service, [.lose]).0.host(token: try service.hostClient.token)
            let error = await #expect(throws: AfterwordError.self) { try await host.trashMeeting(meeting.id) }
            guard case .uncertain(let problem) = error else { throw try #require(error) }
            #expect(problem.code == .notFound)
            #expect(try await host.meetings().first(10).isEmpty)
            #expect(try await host.meetings(state: .trash).first(10).map(\.id) == [meeting.id])
        }
    }

    @Test func refusedConnectionIsReportedAtOnceAsUnsent() async throws {
        let port = try await TestService.run { $0.anyone.port }
        let url = "http://127.0.0.1:\(port)"
        let start = ContinuousClock.now
        await #expect(throws: RequestNotSent.self) {
            try await StandardTransport.make().send(TransportRequest(method: "GET", url: url + "/v1/me"))
        }
        let error = await #expect(throws: AfterwordError.self) {
            _ = try await Afterword(url: url, retries: .none).form("code")
        }
        guard case .transport(let reason) = error else { throw try #require(error) }
        #expect(!(reason is RequestNotSent))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func signingOutSucceedsWhenTheFirstResponseIsLost() async throws {
        try await TestService.run { service in
            let session = try await service.afterword.signIn(email: "host@example.org", password: TestStore.password)
            let (afterword, transport) = client(service, [.lose])
            try await afterword.host(token: session.token).signOut()
            #expect(transport.requests.count == 2)
            #expect(try await refusal { _ = try await session.me() }?.code == .unauthorized)
        }
    }

    @Test func retriedRemovalDoesNotCountTheRemovalsOfTheLostRequest() async throws {
        try await TestService.run { service in
            let series = try await service.hostClient.createMeeting(MeetingRequest(title: "Club")).seriesId
            try await service.hostClient.addMembers([.init(name: "Ada", email: "ada@example.org")], to: series)
            let host = client(service, [.lose]).0.host(token: try service.hostClient.token)
            #expect(try await host.removeMembers(["ada@example.org"], from: series) == 0)
            #expect(try await host.members(of: series).first(5).isEmpty)
        }
    }
}

import TestSupport
import Testing

@testable import AfterwordClient

/// Live sequences of a running service.
@Suite(.timeLimit(.minutes(15))) struct LiveFollowing {
    /// Cuts every event stream after one event, so that the reader makes progress with each connection.
    private struct CuttingTransport: Transport {
        let base = StandardTransport.make()

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var response = try await base.send(request)
            if request.isLongLived { response.body = ByteChunks(Self.untilAnEvent(response.body)) { $0 } }
            return response
        }

        private static func untilAnEvent(_ body: ByteChunks) -> AsyncThrowingStream<[UInt8], any Error> {
            AsyncThrowingStream { continuation in
                let reading = Task {
                    var parser = ServerSentEventParser()
                    do {
                        for try await chunk in body {
                            continuation.yield(chunk)
                            if try !parser.read(chunk).isEmpty { break }
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in reading.cancel() }
            }
        }
    }

    @Test func lastLiveResultsEqualTheSnapshot() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await service.openMeeting()
            let id = try #require(ResourceID(meeting.id))
            var last: Results?
            for try await results in host.liveResults(of: id) {
                last = results
                if results.submissions == 40 { break }
                guard results.submissions == 0 else { continue }
                try await withThrowingTaskGroup { tasks in
                    for number in 0..<40 {
                        tasks.addTask {
                            try await service.afterword.submit(["pace": .rating(1 + number % 5)], to: meeting.code)
                        }
                    }
                    try await tasks.waitForAll()
                }
            }
            let snapshot = try await host.results(of: id).value
            #expect(last == snapshot && snapshot.submissions == 40)
        }
    }

    @Test func viewsOfTheStageAreNoResults() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await service.openMeeting()
            let id = try #require(ResourceID(meeting.id))
            for try await results in host.liveResults(of: id) {
                if results.submissions > 0 { break }
                try await host.show(StageView(slide: "q-pace", blank: true), onStagesOf: id)
                try await service.afterword.submit(["pace": 4], to: meeting.code)
            }
        }
    }

    @Test func repeatedlyBrokenStreamIsFollowedToTheEnd() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let host = Afterword(
                url: service.afterword.url, transport: CuttingTransport(), retries: Pauses().policy()
            ).host(token: try service.hostClient.token)
            let id = try #require(ResourceID(meeting.id))
            var submitted = 0
            for try await results in host.liveResults(of: id) {
                if results.submissions == 6 { break }
                guard results.submissions == submitted else { continue }
                submitted += 1
                try await service.afterword.submit(["pace": 4], to: meeting.code)
            }
            #expect(submitted == 6)
        }
    }

    @Test func revokedTokenEndsTheSequenceWithItsProblem() async throws {
        try await TestService.run { service in
            let host = try await service.afterword.signIn(email: "host@example.org", password: TestStore.password)
            let id = try #require(ResourceID(try await service.openMeeting().id))
            let problem = try await refusal {
                for try await _ in host.liveResults(of: id) { try await host.signOut() }
            }
            #expect(problem?.code == .unauthorized && problem?.status == 401)
        }
    }

    @Test func viewersWithoutAccessAreRefusedImmediately() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let id = try #require(ResourceID(meeting.id))
            let stranger = try service.otherClient
            #expect(try await refusal { for try await _ in stranger.liveResults(of: id) {} }?.code == .notFound)
            let shown = service.afterword.liveResults(of: meeting.code)
            #expect(try await refusal { for try await _ in shown {} }?.code == .resultsNotShown)
            let shared = service.afterword.liveResults(ofShare: "nothing")
            #expect(try await refusal { for try await _ in shared {} }?.code == .notFound)
        }
    }

    @Test func participantFollowsTheFormsResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "afterSubmission""#)
            let receipt = try await service.afterword.submit(["pace": 4], to: meeting.code)
            for try await results in service.afterword.liveResults(of: meeting.code, receipt: receipt) {
                #expect(results.submissions == 1)
                break
            }
        }
    }

    @Test func liveMeetingsShowNewSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let id = try #require(ResourceID(meeting.id))
            for try await meetings in try service.hostClient.liveMeetings() {
                let counters = try #require(meetings.items.first { $0.id == id })
                if counters.submissions == 1 { break }
                try await service.afterword.submit(["pace": 4], to: meeting.code)
            }
        }
    }

    @Test func ticketOpensAStreamWithoutAToken() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let ticket = try await service.hostClient.createLiveTicket().ticket
            let response = try await service.anyone.get("\(meeting.path)/results/live?ticket=\(ticket)").expect(200)
            #expect(response.text.contains("event: results"))
        }
    }
}

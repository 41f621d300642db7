import AfterwordClient
import Testing

/// The reported outcome of a change whose response was lost and whose repetition was refused, with scripted responses.
@Suite(.timeLimit(.minutes(15))) struct Uncertainties {
    private enum End: Equatable {
        case success
        case problem(AfterwordProblem.Code)
        case uncertain(AfterwordProblem.Code)
    }

    private let pauses = Pauses()

    /// How a call ends after these responses.
    private func end(
        _ steps: [ScriptedTransport.Step], _ call: (Afterword.Host, ResourceID) async throws -> Void
    ) async throws -> End {
        let id = try #require(ResourceID("01020304-0506-0708-090a-0b0c0d0e0fab"))
        let service = Afterword(url: "http://test", transport: ScriptedTransport(steps), retries: pauses.policy())
        do {
            try await call(service.host(token: "t"), id)
            return .success
        } catch let problem as AfterwordProblem {
            return .problem(problem.code)
        } catch AfterwordError.uncertain(let problem) {
            return .uncertain(problem.code)
        }
    }

    private func set(_ host: Afterword.Host, _ id: ResourceID) async throws {
        _ = try await host.setForm(of: id, to: FormBody(questions: []), matching: ETag("\"1\""))
    }

    @Test func refusedConditionAfterALossIsUncertain() async throws {
        let stale = ScriptedTransport.Step.problem("precondition-failed", 412)
        #expect(try await end([.lose, stale], set) == .uncertain(.preconditionFailed))
        #expect(try await end([stale], set) == .problem(.preconditionFailed))
    }

    /// The address may have been wrong from the start, the meeting already in the trash, or the receipt another's.
    @Test(arguments: [("not-found", 404), ("withdrawn", 410)])
    func deletionThatFindsNothingAfterALossIsUncertain(code: String, status: Int) async throws {
        let gone = ScriptedTransport.Step.problem(code, status)
        let expected = AfterwordProblem.Code(rawValue: code)
        #expect(try await end([.lose, gone]) { try await $0.trashMeeting($1) } == .uncertain(expected))
        #expect(try await end([.lose, gone]) { try await $0.removeMembers(["a@b"], from: $1) } == .uncertain(expected))
        #expect(try await end([gone]) { try await $0.trashMeeting($1) } == .problem(expected))
    }

    @Test func restoreThatFindsNothingAfterALossIsUncertain() async throws {
        let gone = ScriptedTransport.Step.problem("not-found", 404)
        #expect(try await end([.lose, gone]) { _ = try await $0.restoreMeeting($1) } == .uncertain(.notFound))
        #expect(try await end([.lose, gone]) { _ = try await $0.restoreSeries($1) } == .uncertain(.notFound))
    }

    @Test func invalidTokenAfterALossMeansSignedOutButNotDeleted() async throws {
        let refused = ScriptedTransport.Step.problem("unauthorized", 401)
        #expect(try await end([.lose, refused]) { host, _ in try await host.signOut() } == .success)
        #expect(try await end([refused]) { host, _ in try await host.signOut() } == .problem(.unauthorized))
        #expect(try await end([.lose, refused]) { host, _ in try await host.leave() } == .uncertain(.unauthorized))
    }

    /// After a 502 of a proxy, or a 503 of a service that lost its database in a COMMIT, the outcome is unknown; a
    /// service that is too busy has not started.
    @Test func inconclusiveResponseIsALoss() async throws {
        let gone = ScriptedTransport.Step.problem("not-found", 404)
        for status in [502, 503, 504] {
            let steps = [ScriptedTransport.Step.answer(status, body: "<html>"), gone]
            #expect(try await end(steps) { try await $0.trashMeeting($1) } == .uncertain(.notFound), "\(status)")
        }
        let away = ScriptedTransport.Step.problem("database-unavailable", 503)
        #expect(try await end([away, gone]) { try await $0.trashMeeting($1) } == .uncertain(.notFound))
        for (code, status) in [("overloaded", 503), ("too-many-requests", 429), ("request-timeout", 408)] {
            let steps = [ScriptedTransport.Step.problem(code, status), gone]
            #expect(try await end(steps) { try await $0.trashMeeting($1) } == .problem(.notFound), "\(code)")
            let twice = [.lose, ScriptedTransport.Step.problem(code, status), gone]
            #expect(try await end(twice) { try await $0.trashMeeting($1) } == .uncertain(.notFound), "\(code)")
        }
    }

    @Test func unsentRequestIsNoLoss() async throws {
        let gone = ScriptedTransport.Step.problem("not-found", 404)
        #expect(try await end([.unsent, gone]) { try await $0.trashMeeting($1) } == .problem(.notFound))
        #expect(try await end([.lose, .unsent, gone]) { try await $0.trashMeeting($1) } == .uncertain(.notFound))
    }

    @Test func rateLimitWithoutARetryLeavesALossUncertain() async throws {
        let limit = ScriptedTransport.Step.problem("too-many-requests", 429, after: "900")
        #expect(try await end([.lose, limit], set) == .uncertain(.tooManyRequests))
        #expect(try await end([limit], set) == .problem(.tooManyRequests))
    }

    @Test func conflictIsCertainForKeyedCalls() async throws {
        let closed = ScriptedTransport.Step.problem("form-closed", 409)
        let submission = try await end([.lose, closed]) { host, _ in
            try await host.service.submit(["pace": 4], to: "code")
        }
        #expect(submission == .problem(.formClosed))
        #expect(try await end([.lose, closed], set) == .uncertain(.formClosed))
    }

    @Test func readsAndInvalidRequestsAreCertain() async throws {
        let gone = ScriptedTransport.Step.problem("not-found", 404)
        #expect(try await end([.lose, gone]) { _ = try await $0.meeting($1) } == .problem(.notFound))
        let invalid = ScriptedTransport.Step.problem("validation-failed", 422)
        #expect(try await end([.lose, invalid], set) == .problem(.validationFailed))
    }
}

import AfterwordClient
import Testing

/// The outcome that is reported for a change whose response was lost and whose retry was refused. The responses are
/// scripted.
@Suite(.timeLimit(.minutes(15))) struct UncertainOutcomes {
    private enum Outcome: Equatable {
        case success
        case problem(AfterwordProblem.Code)
        case uncertain(AfterwordProblem.Code)
    }

    private let pauses = Pauses()

    /// The outcome of a call whose requests follow the script `steps`.
    private func outcome(
        _ steps: [ScriptedTransport.Step], _ call: (Afterword.Host, ResourceID) async throws -> Void
    ) async throws -> Outcome {
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

    private func setForm(_ host: Afterword.Host, _ id: ResourceID) async throws {
        _ = try await host.setForm(of: id, to: FormBody(questions: []), matching: ETag("\"1\""))
    }

    @Test func refusedConditionAfterALossIsUncertain() async throws {
        let stale = ScriptedTransport.Step.problem("precondition-failed", 412)
        #expect(try await outcome([.lose, stale], setForm) == .uncertain(.preconditionFailed))
        #expect(try await outcome([stale], setForm) == .problem(.preconditionFailed))
    }

    /// The address may have been wrong from the start, the meeting already in the trash, or the receipt that of another
    /// submission.
    @Test(arguments: [("not-found", 404), ("withdrawn", 410)])
    func deletionThatFindsNothingAfterALossIsUncertain(code: String, status: Int) async throws {
        let missing = ScriptedTransport.Step.problem(code, status)
        let expected = AfterwordProblem.Code(rawValue: code)
        #expect(try await outcome([.lose, missing]) { try await $0.trashMeeting($1) } == .uncertain(expected))
        #expect(
            try await outcome([.lose, missing]) { try await $0.removeMembers(["a@b"], from: $1) }
                == .uncertain(expected))
        #expect(try await outcome([missing]) { try await $0.trashMeeting($1) } == .problem(expected))
    }

    @Test func restoreThatFindsNothingAfterALossIsUncertain() async throws {
        let missing = ScriptedTransport.Step.problem("not-found", 404)
        #expect(try await outcome([.lose, missing]) { _ = try await $0.restoreMeeting($1) } == .uncertain(.notFound))
        #expect(try await outcome([.lose, missing]) { _ = try await $0.restoreSeries($1) } == .uncertain(.notFound))
    }

    @Test func invalidTokenAfterALossProvesASignOutButNotADeletion() async throws {
        let refused = ScriptedTransport.Step.problem("unauthorized", 401)
        #expect(try await outcome([.lose, refused]) { host, _ in try await host.signOut() } == .success)
        #expect(try await outcome([refused]) { host, _ in try await host.signOut() } == .problem(.unauthorized))
        #expect(try await outcome([.lose, refused]) { host, _ in try await host.leave() } == .uncertain(.unauthorized))
    }

    /// After a 502 of a proxy, or a 503 of a service that lost its database during a COMMIT, the outcome is unknown. A
    /// service that is too busy has not started the change.
    @Test func inconclusiveResponseCountsAsALostResponse() async throws {
        let missing = ScriptedTransport.Step.problem("not-found", 404)
        for status in [502, 503, 504] {
            let steps = [ScriptedTransport.Step.response(status, body: "<html>"), missing]
            #expect(try await outcome(steps) { try await $0.trashMeeting($1) } == .uncertain(.notFound), "\(status)")
        }
        let unavailable = ScriptedTransport.Step.problem("database-unavailable", 503)
        #expect(try await outcome([unavailable, missing]) { try await $0.trashMeeting($1) } == .uncertain(.notFound))
        for (code, status) in [("overloaded", 503), ("too-many-requests", 429), ("request-timeout", 408)] {
            let steps = [ScriptedTransport.Step.problem(code, status), missing]
            #expect(try await outcome(steps) { try await $0.trashMeeting($1) } == .problem(.notFound), "\(code)")
            let twice = [.lose, ScriptedTransport.Step.problem(code, status), missing]
            #expect(try await outcome(twice) { try await $0.trashMeeting($1) } == .uncertain(.notFound), "\(code)")
        }
    }

    @Test func unsentRequestDoesNotMakeTheOutcomeUncertain() async throws {
        let missing = ScriptedTransport.Step.problem("not-found", 404)
        #expect(try await outcome([.unsent, missing]) { try await $0.trashMeeting($1) } == .problem(.notFound))
        #expect(
            try await outcome([.lose, .unsent, missing]) { try await $0.trashMeeting($1) } == .uncertain(.notFound))
    }

    @Test func rateLimitWithoutARetryLeavesALossUncertain() async throws {
        let limit = ScriptedTransport.Step.problem("too-many-requests", 429, after: "900")
        #expect(try await outcome([.lose, limit], setForm) == .uncertain(.tooManyRequests))
        #expect(try await outcome([limit], setForm) == .problem(.tooManyRequests))
    }

    @Test func conflictIsCertainForKeyedCalls() async throws {
        let closed = ScriptedTransport.Step.problem("form-closed", 409)
        let submission = try await outcome([.lose, closed]) { host, _ in
            try await host.service.submit(["pace": 4], to: "code")
        }
        #expect(submission == .problem(.formClosed))
        #expect(try await outcome([.lose, closed], setForm) == .uncertain(.formClosed))
    }

    @Test func readsAndInvalidRequestsAreCertain() async throws {
        let missing = ScriptedTransport.Step.problem("not-found", 404)
        #expect(try await outcome([.lose, missing]) { _ = try await $0.meeting($1) } == .problem(.notFound))
        let invalid = ScriptedTransport.Step.problem("validation-failed", 422)
        #expect(try await outcome([.lose, invalid], setForm) == .problem(.validationFailed))
    }
}

import Domain
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import HTTPAPI

/// The limit on guesses of short codes, most of them concurrent.
@Suite(.timeLimit(.minutes(15))) struct CodeGuesses {
    private static let address = ClientAddress(peer: "192.0.2.1", forwarded: nil, trustedProxies: 0)

    /// Look-ups that start at the same time and end when the test releases them.
    private final class LookUps: Sendable {
        private struct State {
            var started = 0
            var maxConcurrent = 0
            var running: [CheckedContinuation<Void, Never>] = []
            var isReleased = false
        }

        private let state = Mutex(State())

        var started: Int { state.withLock { $0.started } }
        var maxConcurrent: Int { state.withLock { $0.maxConcurrent } }

        func run() async {
            await withCheckedContinuation { continuation in
                let isReleased = state.withLock { state in
                    state.started += 1
                    guard !state.isReleased else { return true }
                    state.running.append(continuation)
                    state.maxConcurrent = max(state.maxConcurrent, state.running.count)
                    return false
                }
                if isReleased { continuation.resume() }
            }
        }

        /// Ends the running look-ups. If `permanently`, every later one ends as soon as it starts.
        func release(permanently: Bool = true) {
            let running = state.withLock { state in
                state.isReleased = permanently
                defer { state.running = [] }
                return state.running
            }
            for continuation in running { continuation.resume() }
        }
    }

    /// The status of a guess; 200 for the valid code.
    private static func guess(_ code: String, _ limit: CodeEnumerationLimit, _ lookUps: LookUps) async throws -> Int {
        do {
            try await limit.limitMisses(code, from: address) {
                await lookUps.run()
                guard code == "rightcode" else { throw Problem(.notFound) }
            }
            return 200
        } catch let problem as Problem {
            return problem.code.status
        }
    }

    private static func wait(for what: String, _ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(5)
        while !condition() {
            guard ContinuousClock.now < end else {
                Issue.record("not reached: \(what)")
                return
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test func concurrentGuessesAreEvaluatedUpToTheLimit() async throws {
        let (limit, lookUps) = (CodeEnumerationLimit(3), LookUps())
        let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for number in 1...3 {
                group.addTask { ("wrong", try await Self.guess("wrongcode\(number)", limit, lookUps)) }
            }
            try await Self.wait(for: "three look-ups") { lookUps.started == 3 }
            group.addTask { ("right", try await Self.guess("rightcode", limit, lookUps)) }
            for number in 4...9 {
                group.addTask { ("wrong", try await Self.guess("wrongcode\(number)", limit, lookUps)) }
            }
            try await Self.wait(for: "seven waiting requests") { limit.waitingCount(from: Self.address) == 7 }
            lookUps.release()
            return try await group.reduce(into: [:]) { $0[$1.0, default: []].append($1.1) } as [String: [Int]]
        }
        #expect(lookUps.started == 3)
        #expect(statuses["right"] == [429])
        #expect(statuses["wrong"]?.sorted() == [404, 404, 404, 429, 429, 429, 429, 429, 429])
    }

    @Test func concurrentValidCodesWaitAndAreNotRefused() async throws {
        let (limit, lookUps) = (CodeEnumerationLimit(3), LookUps())
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...500 { group.addTask { try await Self.guess("rightcode", limit, lookUps) } }
            try await Self.wait(for: "497 waiting requests") { limit.waitingCount(from: Self.address) == 497 }
            // Released step by step, so that each round of look-ups is as large as the limit allows.
            for round in 1...10 {
                lookUps.release(permanently: false)
                try await Self.wait(for: "round \(round)") { lookUps.started == 3 * (round + 1) }
            }
            lookUps.release()
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 } as [Int: Int]
        }
        #expect(statuses == [200: 500])
        #expect(lookUps.maxConcurrent == 3 && lookUps.started == 500)
        #expect(limit.waitingCount(from: Self.address) == 0)
        #expect(try await Self.guess("wrongcode", limit, lookUps) == 404, "valid codes do not count")
    }

    @Test func validCodesSucceedUntilGuessesReachTheLimit() async throws {
        let (limit, lookUps) = (CodeEnumerationLimit(4), LookUps())
        lookUps.release()
        for number in 1...3 { #expect(try await Self.guess("wrongcode\(number)", limit, lookUps) == 404) }
        // One permit is left. The valid codes use it one after the other.
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...100 { group.addTask { try await Self.guess("rightcode", limit, lookUps) } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 } as [Int: Int]
        }
        #expect(statuses == [200: 100])
        #expect(try await Self.guess("wrongcode4", limit, lookUps) == 404)
        #expect(try await Self.guess("rightcode", limit, lookUps) == 429)
        #expect(lookUps.started == 104)
    }

    @Test func textsThatAreTooShortForACodeDoNotCount() async throws {
        let (limit, lookUps) = (CodeEnumerationLimit(2), LookUps())
        lookUps.release()
        for text in ["abc", "abc-def", "", "1234567", "ab cd ef g"] {
            #expect(try await Self.guess(text, limit, lookUps) == 404)
        }
        #expect(try await Self.guess("rightcode", limit, lookUps) == 200)
        for number in 1...2 { #expect(try await Self.guess("wrongcode\(number)", limit, lookUps) == 404) }
        #expect(try await Self.guess("rightcode", limit, lookUps) == 429)
    }

    @Test func otherErrorsReturnTheirPermit() async throws {
        let limit = CodeEnumerationLimit(2)
        for _ in 1...5 {
            for problem in [Problem(.databaseUnavailable), Problem(.joinCodeFull)] {
                await #expect(throws: problem) {
                    try await limit.limitMisses("somecode", from: Self.address) { throw problem }
                }
            }
            await #expect(throws: CancellationError.self) {
                try await limit.limitMisses("somecode", from: Self.address) { throw CancellationError() }
            }
        }
        try await limit.limitMisses("somecode", from: Self.address) {}
    }

    /// All connections come from one address.
    @Test func guessesOnManyConnectionsAreLimited() async throws {
        try await TestService.run { service in
            let code = try await service.openMeeting().form().string("joinCode")
            let port = service.anyone.port
            func statuses(_ codes: [String]) async throws -> [Int] {
                try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                    for (index, code) in codes.enumerated() {
                        group.addTask {
                            let response = try await RawConnection.open(port: port) { client in
                                try await client.send(
                                    "GET /v1/forms/\(code) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                                return await client.readToEnd()
                            }
                            return (index, Int(response.dropFirst(9).prefix(3)) ?? 0)
                        }
                    }
                    return try await group.reduce(into: Array(repeating: 0, count: codes.count)) { $0[$1.0] = $1.1 }
                }
            }
            let valid = try await statuses(Array(repeating: code, count: 250))
            #expect(valid == Array(repeating: 200, count: 250))
            let guesses = try await statuses((0..<250).map { $0 % 50 == 49 && $0 > 125 ? code : "0000\(1000 + $0)" })
            #expect(guesses.count { $0 == 404 } <= 100 && guesses.allSatisfy { [200, 404, 429].contains($0) })
            #expect(guesses.count { $0 == 404 } == 100)
            #expect(try await statuses([code]) == [429])
        }
    }
}

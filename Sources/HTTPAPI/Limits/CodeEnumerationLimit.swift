import Domain
import Foundation
import HTTPServer
import Store
import Synchronization

/// Limits how many unknown codes a client address may try.
///
/// All people in a hall may share one address, so a valid code of at least 13 characters (65 random bits) is never
/// refused. Only unknown codes are counted, and past the limit the response is 429 instead of 404. A join code has 40
/// bits and could be guessed: past the limit it isn't even looked up, so that a right guess looks like a wrong one.
///
/// Each look-up of a short code takes one of the limit's permits before it begins, and returns it unless the code was
/// unknown, so that misses and running look-ups together never exceed the limit. If no permit is free but a look-up is
/// running, the next request waits for a permit instead of being refused: a hall that joins at the same moment is
/// served, as many look-ups at a time as the limit allows. The drawback is that the misses of other people in the hall
/// are counted too: if they have used up most of the limit, requests are slow; if they have used up all of it, requests
/// are refused until the window has passed.
///
/// The database also counts the misses on all instances together. An instance refuses an address after its first miss
/// that exceeds the limit in this count. Before that, it allows as many misses as the limit, regardless of the other
/// instances.
final class CodeEnumerationLimit: Sendable {
    /// The length of the shortest codes.
    private static let minLength = 8

    /// Whether the text is too short for any code, as after a typing error. It is not counted, because it is no guess.
    private static func isTooShort(_ code: String) -> Bool {
        code.utf8.count <= 64
            && code.unicodeScalars.count { $0.properties.isAlphabetic || $0.properties.numericType != nil } < minLength
    }

    /// Whether the code could be guessed.
    static func isGuessable(_ code: String) -> Bool { code.utf8.count < 13 }

    private struct Waiter {
        let continuation: CheckedContinuation<Void, any Error>
        let deadline: ContinuousClock.Instant
    }

    /// The look-ups from one address that hold a permit, and the requests waiting for one, oldest first.
    private struct Queue {
        var running = 0
        var waiters: [Waiter] = []
    }

    /// How long a request waits for a permit. The time is checked when a look-up ends, which takes at most the few
    /// seconds that the connection pool allows.
    private static let waitTimeout: Duration = .seconds(10)

    private let log: SecurityLog
    private let misses: SlidingLimit<ClientAddress>
    /// Counts the misses of all instances; nil for one instance alone.
    private let attempts: Attempts?
    private let sharedLimit: Attempts.Limit
    /// The queues of the addresses with a running look-up.
    private let queues = Mutex<[ClientAddress: Queue]>([:])

    init(_ limit: Int = 100, per seconds: Int = 60, attempts: Attempts? = nil, log: SecurityLog = .silent) {
        self.log = log
        self.attempts = attempts
        misses = SlidingLimit(limit, per: .seconds(seconds))
        sharedLimit = Attempts.Limit("unknown-codes", limit, per: seconds)
    }

    /// The number of requests from this address that wait for a permit.
    func waitingCount(from address: ClientAddress) -> Int { queues.withLock { $0[address]?.waiters.count ?? 0 } }

    /// Runs `lookUp`. A 404 that it throws counts as a miss, unless the code is known, such as a join code that is used
    /// before the form opens.
    ///
    /// - Parameters:
    ///   - request: The id of the request.
    ///   - event: The event that is logged for refusals.
    ///   - lookUp: Must not wait for the client, because it may hold a permit that other requests from the address are
    ///     waiting for.
    func limitMisses<Value>(
        _ code: String, from address: @autoclosure () -> ClientAddress, request: UUID? = nil,
        as event: SecurityLog.Event = .codeGuesses, _ lookUp: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await limited(code, from: address(), lookUp)
        } catch let problem as Problem where problem.code == .tooManyRequests {
            log.record(event, client: address(), request: request)
            throw problem
        }
    }

    /// The same limit, for the client address and the id of `request`.
    func limitMisses<Value>(
        _ code: String, of request: APIRequest, as event: SecurityLog.Event = .codeGuesses,
        _ lookUp: () async throws -> Value
    ) async throws -> Value {
        try await limitMisses(code, from: request.clientAddress, request: request.id, as: event, lookUp)
    }

    private func limited<Value>(
        _ code: String, from address: @autoclosure () -> ClientAddress, _ lookUp: () async throws -> Value
    ) async throws -> Value {
        guard !Self.isTooShort(code) else { return try await lookUp() }
        guard Self.isGuessable(code) else {
            do {
                return try await lookUp()
            } catch let problem as Problem where Self.isMiss(problem) {
                let address = address()
                try misses.take(address)
                await share(missOf: address)
                throw problem
            }
        }
        let address = address()
        try await begin(address)
        do {
            let value = try await lookUp()
            end(address, isMiss: false)
            return value
        } catch {
            let isMiss = (error as? Problem).map(Self.isMiss) ?? false
            if isMiss { await share(missOf: address) }
            end(address, isMiss: isMiss)
            throw error
        }
    }

    /// Counts a miss for all instances. If they have used up the limit together, this instance refuses the address.
    /// While the database is unavailable, each instance counts alone.
    private func share(missOf address: ClientAddress) async {
        guard let attempts, let counts = try? await attempts.take([sharedLimit.counter(address.text)]),
            let wait = counts.wait
        else { return }
        misses.useUp(address, for: wait)
    }

    private static func isMiss(_ problem: Problem) -> Bool { problem.code == .notFound && !problem.hasKnownCode }

    /// Takes a permit, and waits for one while look-ups are running; throws 429 if misses hold all permits.
    private func begin(_ address: ClientAddress) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let outcome: Result<Void, any Error>? = queues.withLock { queues in
                do {
                    try misses.take(address)
                    queues[address, default: Queue()].running += 1
                    return .success(())
                } catch {
                    guard queues[address] != nil else { return .failure(error) }
                    let deadline = ContinuousClock.now + Self.waitTimeout
                    queues[address]?.waiters.append(Waiter(continuation: continuation, deadline: deadline))
                    return nil
                }
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    /// Returns the permit unless the look-up was a miss. Then resumes waiting requests, or fails them if they have
    /// waited too long or misses hold all permits.
    private func end(_ address: ClientAddress, isMiss: Bool) {
        let settled = queues.withLock { queues -> [(Waiter, Result<Void, any Error>)] in
            guard var queue = queues[address] else { return [] }
            queue.running -= 1
            if !isMiss { misses.giveBack(address) }
            let settled = settle(&queue, of: address)
            queues[address] = queue.running > 0 ? queue : nil
            return settled
        }
        for (waiter, outcome) in settled { waiter.continuation.resume(with: outcome) }
    }

    /// Decides which waiting requests continue and which fail, oldest first, and removes them from the queue.
    private func settle(_ queue: inout Queue, of address: ClientAddress) -> [(Waiter, Result<Void, any Error>)] {
        let now = ContinuousClock.now
        var settled: [(Waiter, Result<Void, any Error>)] = []
        for waiter in queue.waiters {
            if waiter.deadline < now {
                settled.append((waiter, .failure(Problem(.overloaded, retryAfter: 1))))
                continue
            }
            do {
                try misses.take(address)
                queue.running += 1
                settled.append((waiter, .success(())))
            } catch {
                // A running look-up may still return its permit.
                guard queue.running == 0 else { break }
                settled.append((waiter, .failure(error)))
            }
        }
        queue.waiters.removeFirst(settled.count)
        return settled
    }
}

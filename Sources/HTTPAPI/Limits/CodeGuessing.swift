import Domain

/// The limit on codes that lead nowhere, by address.
///
/// A hall shares one address, so that whoever holds a code of 13 characters (65 random bits) or more is never refused: only
/// what is unknown counts, and past the limit it is 429 instead of 404. A join code has 40 bits and could be found by
/// patience: past the limit it is not even looked up, so that a right guess looks like a wrong one.
struct CodeGuessing: Sendable {
    /// Whether it could be found by patience.
    static func isGuessable(_ code: String) -> Bool { code.utf8.count < 13 }

    private let misses: SlidingLimit<ClientAddress>

    init(_ limit: Int = 100, per window: Duration = .seconds(60)) {
        misses = SlidingLimit(limit, per: window)
    }

    /// Runs `look` and counts a 404 that it throws, unless the code is a known one: a hall that types a join code before
    /// the form opens has guessed nothing.
    func watch<Value>(
        _ code: String, from address: @autoclosure () -> ClientAddress, _ look: () async throws -> Value
    ) async throws -> Value {
        if Self.isGuessable(code) { try misses.check(address()) }
        do {
            return try await look()
        } catch let problem as Problem where problem.code == .notFound && !problem.isOfKnownCode {
            try misses.take(address())
            throw problem
        }
    }
}

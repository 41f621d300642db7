/// Delays responses whose time must not reveal what was found.
enum ConstantTimeResponse {
    /// Longer than the work takes in either case.
    static let pause: Duration = .milliseconds(250)

    /// Runs `work`, and returns or throws no earlier than a pause after the start.
    static func keep<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        let earliest = ContinuousClock.now + pause
        do {
            let value = try await work()
            try await Task.sleep(until: earliest, clock: .continuous)
            return value
        } catch {
            try await Task.sleep(until: earliest, clock: .continuous)
            throw error
        }
    }
}

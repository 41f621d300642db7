/// Delays responses whose duration must not reveal what was found.
enum ConstantTimeResponse {
    /// Longer than the work usually takes, whatever was found.
    static let minimumDuration: Duration = .milliseconds(250)

    /// Runs `work`, and returns or throws no earlier than `minimumDuration` after the start.
    static func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        let earliest = ContinuousClock.now + minimumDuration
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

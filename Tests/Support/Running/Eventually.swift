/// Returns once the condition holds. Throws an error that contains `what` if it does not hold within the timeout.
public func eventually(
    _ what: String, within timeout: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + timeout
    while try await !condition() {
        guard .now < deadline else { throw TestStore.Missing("\(what) within \(timeout)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

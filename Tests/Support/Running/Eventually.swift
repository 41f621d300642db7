/// Returns once the condition holds; throws, saying what never came, if it does not within the time.
public func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard .now < deadline else { throw TestStore.Missing("\(what) within \(limit)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

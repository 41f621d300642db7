/// Returns once the condition holds; after the time limit it throws an error that contains `what`.
public func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard .now < deadline else { throw TestStore.Missing("\(what) within \(limit)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

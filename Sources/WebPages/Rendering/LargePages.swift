import Contract
import HTTPServer
import NIOCore
import Store

/// Limits how many large pages are made at once, so that threads remain for other requests.
///
/// A page of the largest form takes half a second of processor time, and anybody may request one with a few bytes.
struct LargePages: Sendable {
    private let permits: KeyedPermits<ClientAddress>
    private let timeout: Duration

    /// - Parameters:
    ///   - count: The largest number of pages that are made at once, for each address and in total.
    ///   - timeout: How long a request waits for a permit of its address, and then for a permit of all addresses.
    init(atOnce count: Int = max(1, System.coreCount / 2), timeout: Duration = .seconds(5)) {
        permits = KeyedPermits(count, total: count)
        self.timeout = timeout
    }

    /// Whether a page of this much JSON is large. The smallest large page takes about ten milliseconds.
    static func isLarge(bytes: Int) -> Bool { bytes >= 8 << 10 }

    /// Whether a page with these questions is large.
    static func isLarge(questions: [QuestionBody]) -> Bool {
        isLarge(options: questions.reduce(0) { $0 + ($1.options?.count ?? 1) })
    }

    /// Whether a page with these results is large. They contain the questions and options of all versions of the form.
    static func isLarge(_ results: Contract.Results) -> Bool {
        isLarge(options: results.questions.reduce(0) { $0 + ($1.kind == "choice" ? $1.labels?.count ?? 0 : 1) })
    }

    /// Whether a page with this many options is large.
    static func isLarge(options: Int) -> Bool { options >= 200 }

    /// Makes a page. A large page first waits for a permit. Throws 503 if none becomes free in time.
    func make<Value>(
        isLarge: Bool, for page: PageRequest, _ make: () async throws -> Value
    ) async throws -> Value {
        guard isLarge else { return try await make() }
        let address = page.kit.api.clientAddress(of: page)
        let lease = try await permits.acquire(
            for: address, within: timeout, else: "Other large pages are being made; try again later.", retryAfter: 2)
        defer { withExtendedLifetime(lease) {} }
        return try await make()
    }
}

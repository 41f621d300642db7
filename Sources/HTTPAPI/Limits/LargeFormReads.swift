import Domain
import Foundation
import NIOCore
import Store

/// Limits how many large forms are read at once for hosts, so that threads remain for other requests. A client reads one
/// at a time.
///
/// To read, decode and encode a form with thousands of options takes a fraction of a second of processor time.
struct LargeFormReads: Sendable {
    private let permits = KeyedPermits<DatabaseClient>(1, total: max(1, System.coreCount / 2))
    /// The forms and templates that were large when they were last read.
    private let large = LRUCache<UUID, Bool>(capacity: 10_000, maxBytes: .max)
    private let timeout: Duration

    /// - Parameter timeout: How long a reading waits for an earlier one of its client, and then for those of others.
    init(timeout: Duration = .seconds(5)) { self.timeout = timeout }

    /// Reads a form and makes the response. Throws 503 if the form is known to be large, and others are being read for too
    /// long.
    ///
    /// - Parameter id: The id of the form's meeting, or of a template.
    func read<Value>(
        _ id: UUID, definition: (Value) -> FormDefinition?, _ read: () async throws -> Value,
        _ respond: (Value) throws -> APIResponse
    ) async throws -> APIResponse {
        let lease =
            large.find(id) == true
            ? try await permits.acquire(
                for: .current, within: timeout, else: "Other large forms are being read; try again later.",
                retryAfter: 2) : nil
        defer { withExtendedLifetime(lease) {} }
        let value = try await read()
        if Self.isLarge(definition(value)) { large.insert(true, for: id, bytes: 0) } else { large.remove(id) }
        return try respond(value)
    }

    private static func isLarge(_ definition: FormDefinition?) -> Bool {
        let options = definition?.questions.reduce(0) { count, question in
            guard case .choice(let choice) = question.kind else { return count + 1 }
            return count + choice.options.count
        }
        return (options ?? 0) > PreparedForm.maxSmallCount
    }
}

import Domain
import Foundation
import Store

extension HostReader {
    /// The series to which the host can add rounds by an import, the newest first. An admin's list has only the admin's
    /// own series and those shared with them.
    public func importableSeries(limit: Int) async throws -> [ImportableSeries.Name] {
        try await store.importableSeries.list(for: principal, limit: limit)
    }

    /// A series to which the host can add rounds by an import. Nil for all others, whether they exist or not.
    public func importableSeries(_ id: UUID, withQuestions: Bool) async throws -> ImportableSeries.Target? {
        do {
            return try await store.importableSeries.require(id, for: principal, withQuestions: withQuestions)
        } catch is ImportAccessDenied {
            return nil
        }
    }
}

import Contract
import Domain
import Store

extension HostReader {
    /// A saved template in a menu.
    public struct TemplateName: Sendable {
        public var id: ResourceID
        public var name: String
    }

    /// The saved templates to offer to the host: their own first, then those of other hosts, the newest first.
    public func templateNames(limit: Int) async throws -> [TemplateName] {
        try await store.savedTemplates.names(for: principal.account.id, limit: limit)
            .map { TemplateName(id: ResourceID($0.id), name: $0.name) }
    }

    /// The form of a saved template; nil if there is no such template.
    public func template(_ id: ResourceID) async throws -> FormBody? {
        do {
            return try await store.savedTemplates.require(id.uuid).definition.map { FormBody($0) }
        } catch let problem as Problem where problem.code == .notFound {
            return nil
        }
    }
}

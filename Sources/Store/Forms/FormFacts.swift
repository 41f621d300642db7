import Domain
import Foundation

/// The facts about a published form that the hot path needs without a query. A class, because every request references
/// it.
final class FormFacts: Sendable {
    let id: UUID
    let meetingID: UUID
    let code: String
    /// The newest published version, 0 before the first.
    let version: Int
    let identity: FormDefinition.Identity
    let anonymous: Bool
    /// Nil once the salt is deleted: a final form accepts nothing and identifies nobody.
    let keys: FormKeys?

    init(
        id: UUID, meetingID: UUID, code: String, version: Int, identity: FormDefinition.Identity, anonymous: Bool,
        keys: FormKeys?
    ) {
        (self.id, self.meetingID, self.code, self.version) = (id, meetingID, code, version)
        (self.identity, self.anonymous, self.keys) = (identity, anonymous, keys)
    }
}

import Domain
import Foundation

/// What the hot path knows of a published form without asking the database. By reference, since every request holds it.
final class FormFacts: Sendable {
    let id: UUID
    let meetingID: UUID
    let code: String
    /// The newest published version, 0 before the first.
    let version: Int
    let identity: FormDefinition.Identity
    let anonymous: Bool
    /// Nil once the salt is gone: a final form takes nothing and knows nobody.
    let keys: FormKeys?

    init(
        id: UUID, meetingID: UUID, code: String, version: Int, identity: FormDefinition.Identity, anonymous: Bool,
        keys: FormKeys?
    ) {
        (self.id, self.meetingID, self.code, self.version) = (id, meetingID, code, version)
        (self.identity, self.anonymous, self.keys) = (identity, anonymous, keys)
    }
}

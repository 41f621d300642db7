import Domain
import Foundation

/// What the hot path knows of a published form without asking the database.
struct FormFacts: Sendable {
    var id: UUID
    var meetingID: UUID
    var code: String
    /// The newest published version, 0 before the first.
    var version: Int
    var identity: FormDefinition.Identity
    var anonymous: Bool
    /// Nil once the salt is gone: a final form takes nothing and knows nobody.
    var keys: FormKeys?
}

import Domain
import Foundation
import StrictJSON

/// A validated submission on its way to the database.
package struct Offer: Sendable {
    var formID: UUID
    var id: UUID
    var version: Int
    /// The answers as compact JSON.
    var answers: String
    /// The counts that the submission increments; nil unless it is valid.
    var increments: TallyIncrements?
    /// Whether the form is large, which determines the lane of the submission.
    var isLarge = false
    /// These MACs identify the `Idempotency-Key` and the request's body; nil without a key.
    var keyMAC: [UInt8]?
    var bodyMAC: [UInt8]?
    var attendeeID: UUID?
    /// The time of an imported row. Nil for the current time of the database.
    var submittedAt: Date?

    package init(
        formID: UUID, id: UUID, version: Int, answers: String, increments: TallyIncrements? = nil,
        keyMAC: [UInt8]? = nil, bodyMAC: [UInt8]? = nil, attendeeID: UUID? = nil, submittedAt: Date? = nil
    ) {
        self.formID = formID
        self.id = id
        self.version = version
        self.answers = answers
        self.increments = increments
        self.keyMAC = keyMAC
        self.bodyMAC = bodyMAC
        self.attendeeID = attendeeID
        self.submittedAt = submittedAt
    }
}

/// The database's decision on an offer, made under the form's lock.
enum Outcome: Sendable, Equatable {
    case created(at: Date, revision: Int)
    case replayed(at: Date)
    case refused(Problem)

    /// Whether the submission is stored, or may be stored because the connection was lost before the response.
    var mayBeStored: Bool {
        switch self {
        case .created, .replayed: true
        case .refused(let problem): problem.code == .databaseUnavailable
        }
    }

    /// Whether the server failed, or cannot be reached.
    var isFailure: Bool {
        guard case .refused(let problem) = self else { return false }
        return problem.code == .databaseUnavailable || problem.code == .internalError
    }

    /// Decodes an outcome of the SQL function `ingest`.
    init(word: String, at: Date, revision: Int) {
        switch word {
        case "created": self = .created(at: at, revision: revision)
        // The batch was committed before, but the response was lost with the connection.
        case "unheard": self = .created(at: at, revision: revision)
        case "replayed": self = .replayed(at: at)
        case "conflict": self = .refused(Problem(.idempotencyConflict))
        case "already-submitted": self = .refused(Problem(.alreadySubmitted))
        case "withdrawn": self = .refused(Problem(.withdrawn))
        case "outdated": self = .refused(.outdatedVersion)
        case "full": self = .refused(Problem(.formFull))
        case "closed": self = .refused(Problem(.formClosed))
        case "draft", "scheduled": self = .refused(Problem(.formNotOpen))
        case "finalising", "final": self = .refused(Problem(.formFinal))
        case "anonymous": self = .refused(.importIntoAnonymousForm)
        case "trashed", "unknown": self = .refused(Problem(.notFound))
        default: self = .refused(Problem(.internalError))
        }
    }
}

extension Problem {
    /// The problem for rows of a file that belong to an anonymous form.
    static let importIntoAnonymousForm = Problem(
        .anonymousForm, "Rows can't be imported into an anonymous form, because they would reveal the other answers.")

    /// The problem for answers to a version that is outdated and no longer accepts answers.
    static let outdatedVersion = Problem([
        Fault(
            .invalid, at: "/version", code: "outdated-version",
            "The form has changed since this version: reload it, check it, and send the answers again.")
    ])
}

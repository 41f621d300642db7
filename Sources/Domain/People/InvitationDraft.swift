import Foundation
import StrictJSON

/// A request to create an invitation.
public struct InvitationDraft: Sendable, Equatable {
    /// The only address that may use the invitation.
    public var email: EmailAddress?
    /// A note for admins.
    public var note: String?
    /// Nil means fourteen days from now.
    public var expiresAt: Date?
    /// The series that the new account becomes a co-host of.
    public var seriesID: UUID?
    /// The role in the series.
    public var role: CoHostDraft.Role?

    public static let unknownSeries = Fault(
        .invalid, at: "/seriesId", code: "unknown-series", "There is no such series.")

    /// Parses the body of `POST /v1/invitations`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> InvitationDraft {
        let reader = ObjectReader(body)
        let draft = InvitationDraft(
            email: reader.mailAddress(), note: reader.text("note", atMost: 300), expiresAt: reader.date("expiresAt"),
            seriesID: reader.seriesID(), role: reader.word(CoHostDraft.Role.self, "role"))
        for (name, other) in [("seriesId", "role"), ("role", "seriesId")] where reader.has(other) {
            reader.require(name)
        }
        try reader.requireNoFaults()
        return draft
    }

    /// Returns the expiry of the invitation. Throws a `Problem` unless the expiry is within the next year.
    public func expiry(now: Date) throws(Problem) -> Date {
        let end = expiresAt ?? now.addingTimeInterval(14 * 86_400)
        let fault = Fault.ofExpiry(
            end, now: now, maxDays: 366, past: "The invitation would have expired already.",
            late: "An invitation is valid for at most a year.")
        if let fault { throw Problem([fault]) }
        return end
    }
}

extension ObjectReader {
    /// Reads the id of a series. Whether the series exists is checked in the database.
    fileprivate func seriesID() -> UUID? {
        guard let text = string("seriesId") else { return nil }
        guard let id = UUID(uuidString: text) else {
            add([InvitationDraft.unknownSeries])
            return nil
        }
        return id
    }
}

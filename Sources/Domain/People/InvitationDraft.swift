import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an admin says of a new invitation.
public struct InvitationDraft: Sendable, Equatable {
    /// The only address that may use it.
    public var email: EmailAddress?
    /// For the admins' own list.
    public var note: String?
    /// Fourteen days from now if nil.
    public var expiresAt: Date?
    /// Whoever uses it works on this series from then on, as its editor or viewer.
    public var seriesID: UUID?
    public var role: CoHostDraft.Role?

    /// Reads the body of `POST /v1/invitations`; throws a `Problem` with all its faults.
    public static func read(_ body: JSONValue) throws(Problem) -> InvitationDraft {
        let reader = ObjectReader(body)
        let draft = InvitationDraft(
            email: reader.mailAddress(), note: reader.text("note", atMost: 300), expiresAt: reader.date("expiresAt"),
            seriesID: reader.seriesID(), role: reader.word(CoHostDraft.Role.self, "role"))
        for (name, other) in [("seriesId", "role"), ("role", "seriesId")] where reader.has(other) {
            reader.require(name)
        }
        let faults = reader.finish()
        guard faults.isEmpty else { throw Problem(faults) }
        return draft
    }

    /// When it ends by this clock; throws a `Problem` unless that is within the next year.
    public func end(now: Date) throws(Problem) -> Date {
        let end = expiresAt ?? now.addingTimeInterval(14 * 86_400)
        if end <= now {
            throw Problem([
                Fault(.invalid, at: "/expiresAt", code: "in-the-past", "The invitation would be good no more.")
            ])
        }
        if end.timeIntervalSince(now) > 366 * 86_400 {
            throw Problem([
                Fault(.invalid, at: "/expiresAt", code: "too-late", "An invitation is good for a year at most.")
            ])
        }
        return end
    }
}

extension ObjectReader {
    /// What is no id is none of a series; whether there is one, the database says.
    fileprivate func seriesID() -> UUID? {
        guard let text = string("seriesId") else { return nil }
        guard let id = UUID(uuidString: text) else {
            add([InvitationDraft.unknownSeries])
            return nil
        }
        return id
    }
}

extension InvitationDraft {
    public static let unknownSeries = Fault(
        .invalid, at: "/seriesId", code: "unknown-series", "There is no such series.")
}

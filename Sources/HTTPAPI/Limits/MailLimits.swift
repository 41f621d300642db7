import Domain

/// How many mails strangers may cause: by where they come from, which is told, and by whose mailbox it is, which is not.
///
/// A mailbox counts only mails that are really written, those of sign-ups and of resets apart, and past its limit
/// nothing is sent and nothing is said: so it neither tells who has an account nor keeps an owner from a new password,
/// who has five mails then.
struct MailLimits: Sendable {
    enum Cause: Hashable, Sendable {
        case signUp
        case reset
    }

    private struct Box: Hashable, Sendable {
        var address: EmailAddress
        var cause: Cause
    }

    private let clients = SlidingLimit<ClientAddress>(60, per: .seconds(3600))
    private let mailboxes = SlidingLimit<Box>(5, per: .seconds(3600))

    func take(from client: ClientAddress) throws(Problem) { try clients.take(client) }

    /// Whether one more mail may go there; it is counted if so.
    func admits(_ cause: Cause, to address: EmailAddress) -> Bool {
        mailboxes.admits(Box(address: address, cause: cause))
    }
}

import Domain
import HTTPServer

/// Limits the mails that unknown clients cause: by client address, which is reported to the client, and by mailbox,
/// which is not.
///
/// A mailbox counts only mails that are sent, separately for sign-ups and resets. Past its limit no mail is sent and no
/// error is reported, so the limit doesn't reveal who has an account. By then the owner has received five mails and can
/// still set a new password.
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

    /// Returns whether one more mail may be sent to the mailbox, and counts it if so.
    func admits(_ cause: Cause, to address: EmailAddress) -> Bool {
        mailboxes.admits(Box(address: address, cause: cause))
    }
}

import Domain
import HTTPServer

/// Limits the mails that clients without an account can cause. The limit by client address is reported to the client;
/// the limit by mailbox is not.
///
/// Only mails that are sent count towards a mailbox's limit, separately for sign-ups and resets. Past its limit no mail
/// is sent and no error is reported, so the limit doesn't reveal who has an account. By then the owner has received
/// five mails and can still set a new password.
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

    /// Counts a request for a mail; throws 429 past the client's limit.
    func take(from client: ClientAddress) throws(Problem) { try clients.take(client) }

    /// Counts one more mail to the mailbox; returns false, without counting it, if it may not be sent.
    func tryTake(_ cause: Cause, to address: EmailAddress) -> Bool {
        mailboxes.tryTake(Box(address: address, cause: cause))
    }
}

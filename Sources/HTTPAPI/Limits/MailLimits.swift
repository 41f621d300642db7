import Domain
import HTTPServer
import Store

/// Limits the mails that clients without an account can cause. The limit by client address is reported to the client;
/// the limits by mailbox are not.
///
/// Only mails that are sent count towards a mailbox's limits. Past them, no mail is sent and no error is reported, so
/// they do not reveal who has an account. By then the owner has received five mails and can still set a new password.
struct MailLimits: Sendable {
    private static let clients = Attempts.Limit("mails-of-address", 60, per: 3600)
    static let signUps = Attempts.Limit("sign-up-mails", 5, per: 3600)
    static let resets = Attempts.Limit("reset-mails", 5, per: 3600)

    let attempts: Attempts

    /// Counts a request for a mail; throws 429 past the client's limit.
    func take(from client: ClientAddress) async throws {
        let counts = try await attempts.take([Self.clients.counter(client.text)])
        if let wait = counts.wait { throw Problem(.tooManyRequests, retryAfter: wait) }
    }
}

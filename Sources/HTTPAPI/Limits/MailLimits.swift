import Domain

/// How many mails strangers may cause: by where they come from, and by whose mailbox it is. An address counts whether it
/// belongs to an account or not.
struct MailLimits: Sendable {
    private let clients = SlidingLimit<ClientAddress>(60, per: .seconds(3600))
    private let mailboxes = SlidingLimit<EmailAddress>(5, per: .seconds(3600))

    func take(_ mailbox: EmailAddress, from client: ClientAddress) throws(Problem) {
        try clients.take(client)
        try mailboxes.take(mailbox)
    }
}

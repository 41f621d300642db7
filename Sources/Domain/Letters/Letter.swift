/// A mail without its recipient: a plain text with its subject.
public struct Letter: Sendable, Equatable {
    /// The purpose of the mail, such as `verification`; stored longer than the text.
    public var kind: String
    public var subject: String
    public var body: String
    /// One of many, which are sent after mails about accounts.
    public var isBulk: Bool
    /// The seconds after which its link has expired and the mail need not be sent; nil if it does not expire.
    public var life: Int?

    public init(kind: String, subject: String, body: String, isBulk: Bool = false, life: Int? = nil) {
        self.kind = kind
        self.subject = subject
        self.body = body
        self.isBulk = isBulk
        self.life = life
    }
}

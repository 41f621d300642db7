/// A mail before it is addressed: a plain text with its subject.
public struct Letter: Sendable, Equatable {
    /// What the mail is for, such as `verification`; it is kept when the text is not.
    public var kind: String
    public var subject: String
    public var body: String

    public init(kind: String, subject: String, body: String) {
        self.kind = kind
        self.subject = subject
        self.body = body
    }
}

/// A mail before it is addressed: a plain text with its subject.
public struct Letter: Sendable, Equatable {
    /// What the mail is for, such as `verification`; it is kept when the text is not.
    public var kind: String
    public var subject: String
    public var body: String
    /// One of many, which wait until letters about accounts are gone.
    public var isBulk: Bool
    /// After so many seconds its link opens nothing, and the letter need not be sent any more; nil without such an end.
    public var life: Int?

    public init(kind: String, subject: String, body: String, isBulk: Bool = false, life: Int? = nil) {
        self.kind = kind
        self.subject = subject
        self.body = body
        self.isBulk = isBulk
        self.life = life
    }
}

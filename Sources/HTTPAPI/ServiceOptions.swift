import Domain

/// Settings of the API that the operator chooses.
public struct ServiceOptions: Sendable {
    /// The base URL of links and QR codes, without a trailing slash.
    public var publicURL: String
    /// The number of proxies in front, each of which appends to `X-Forwarded-For`.
    public var trustedProxies: Int
    /// Whether anyone may create an account; otherwise an invitation is required.
    public var allowsSignUp: Bool
    /// Whether mails reach people. If not, they are files.
    public var sendsMail: Bool
    public var webhookTargets: WebhookTargets
    /// The largest number of open event streams of one instance.
    public var maxViewers: Int
    /// The largest number of open event streams of one client address; nil for any number.
    public var maxViewersPerAddress: Int?

    public init(
        publicURL: String = "http://127.0.0.1:8080", trustedProxies: Int = 0, allowsSignUp: Bool = false,
        sendsMail: Bool = true, webhookTargets: WebhookTargets = WebhookTargets(), maxViewers: Int = 20_000,
        maxViewersPerAddress: Int? = nil
    ) {
        self.webhookTargets = webhookTargets
        self.sendsMail = sendsMail
        self.publicURL = publicURL
        self.trustedProxies = trustedProxies
        self.allowsSignUp = allowsSignUp
        self.maxViewers = maxViewers
        self.maxViewersPerAddress = maxViewersPerAddress
    }
}

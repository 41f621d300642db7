/// What the person who runs the service decides about the API.
public struct ServiceOptions: Sendable {
    /// What links and codes begin with, without a slash at its end.
    public var publicURL: String
    /// How many proxies stand in front, each of which adds to `X-Forwarded-For`.
    public var trustedProxies: Int
    /// Whether anyone may make an account; else an invitation is needed.
    public var allowsSignUp: Bool
    /// Whether webhooks may lead to this machine and its nets.
    public var webhooksToPrivate: Bool
    /// Event streams that one instance keeps open at most.
    public var liveViewers: Int

    public init(
        publicURL: String = "http://127.0.0.1:8080", trustedProxies: Int = 0, allowsSignUp: Bool = false,
        webhooksToPrivate: Bool = false, liveViewers: Int = 20_000
    ) {
        self.webhooksToPrivate = webhooksToPrivate
        self.publicURL = publicURL
        self.trustedProxies = trustedProxies
        self.allowsSignUp = allowsSignUp
        self.liveViewers = liveViewers
    }
}

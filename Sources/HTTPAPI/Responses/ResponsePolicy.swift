import HTTPTypes

/// Headers with which browsers protect their users, made once.
public enum ResponsePolicy {
    /// The Content Security Policy of an image: if a browser opens it as a page, it runs nothing and loads nothing.
    public static let image = "default-src 'none'"
    /// The one of a chart, which has a stylesheet of its own.
    public static let chart = "default-src 'none'; style-src 'unsafe-inline'"

    /// `Strict-Transport-Security` for a service with this public URL: for a year, browsers connect to its host by https
    /// alone (RFC 6797). Nil without https. Subdomains are other people's to decide about.
    public static func transportSecurity(publicURL: String) -> HTTPField? {
        publicURL.lowercased().hasPrefix("https://")
            ? HTTPField(name: .strictTransportSecurity, value: "max-age=31536000") : nil
    }
}

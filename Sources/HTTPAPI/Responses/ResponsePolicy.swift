import HTTPTypes

/// The headers with which browsers protect their users. Every response has them: those of the API, pages and files.
public struct ResponsePolicy: Sendable {
    /// The Content Security Policy of everything except pages. A browser that opens such a response as a page runs
    /// nothing, loads nothing, and shows it in no frame.
    static let data = "default-src 'none'; frame-ancestors 'none'"
    /// The Content Security Policy of a chart, which has a stylesheet of its own.
    public static let chart = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

    /// `Strict-Transport-Security`: for a year, browsers connect to the host by https alone (RFC 6797). Nil without
    /// https. Subdomains are not included, because other people may decide about them.
    private let transportSecurity: HTTPField?

    /// - Parameter publicURL: Nil for a service without a public address, such as the health server.
    public init(publicURL: String? = nil) {
        let isSecure = publicURL?.lowercased().hasPrefix("https://") ?? false
        transportSecurity = isSecure ? HTTPField(name: .strictTransportSecurity, value: "max-age=31536000") : nil
    }

    /// Adds the headers. A Content Security Policy that the response already has is kept.
    public func protect(_ headers: inout HTTPFields) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = Self.data }
        if let transportSecurity { headers.append(transportSecurity) }
    }
}

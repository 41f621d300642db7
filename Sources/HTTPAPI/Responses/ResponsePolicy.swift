import HTTPTypes

/// The headers with which browsers protect their users. Every response has them: those of the API, pages and files.
public struct ResponsePolicy: Sendable {
    /// The Content Security Policy of everything that is no page: if a browser opens it as one, it runs nothing, loads
    /// nothing, and is in no frame of another site.
    static let data = "default-src 'none'; frame-ancestors 'none'"
    /// The one of a chart, which has a stylesheet of its own.
    public static let chart = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

    /// `Strict-Transport-Security`: for a year, browsers connect to the host by https alone (RFC 6797). Nil without
    /// https. Subdomains are other people's to decide about.
    private let transportSecurity: HTTPField?

    /// - Parameter publicURL: Nil for a service without a public address, such as that of the health port.
    public init(publicURL: String? = nil) {
        let isSecure = publicURL?.lowercased().hasPrefix("https://") ?? false
        transportSecurity = isSecure ? HTTPField(name: .strictTransportSecurity, value: "max-age=31536000") : nil
    }

    /// Adds the headers. A Content Security Policy that the response has already is kept.
    public func protect(_ headers: inout HTTPFields) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = Self.data }
        if let transportSecurity { headers.append(transportSecurity) }
    }
}

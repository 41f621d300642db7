/// A route of the service, as used by this client.
public struct Endpoint: Sendable, Hashable {
    /// The effect of sending a request twice.
    public enum Idempotency: Sendable, Hashable {
        /// A repeated request has no further effect.
        case idempotent
        /// A repeated request with the same `Idempotency-Key` has no further effect.
        case keyed
        /// A repeated request takes effect again.
        case notIdempotent
    }

    public let method: String
    /// With placeholders in braces, such as `/v1/meetings/{id}/form`.
    public let path: String
    public let idempotency: Idempotency

    /// - Parameter idempotency: If nil, `.notIdempotent` for POST and `.idempotent` for all other methods.
    init(_ method: String, _ path: String, _ idempotency: Idempotency? = nil) {
        self.method = method
        self.path = path
        self.idempotency = idempotency ?? (method == "POST" ? .notIdempotent : .idempotent)
    }

    /// The path with its placeholders replaced.
    ///
    /// Empty values and dot segments are rejected: URL normalization on the way to the service would turn them into
    /// another path, even if they are encoded.
    func path(_ parameters: [String]) throws -> String {
        var remainingValues = parameters[...]
        return try path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("{"), let value = remainingValues.popFirst() else { return String(segment) }
            guard !["", ".", ".."].contains(value) else {
                throw AfterwordError.invalidRequest("\(segment) of \(path) cannot be \"\(value)\".")
            }
            return PercentEncoding.encode(value)
        }.joined(separator: "/")
    }
}

extension Endpoint {
    /// All routes of this client.
    public static let all: [Endpoint] =
        sessions + signUps + account + tokens + administration
        + meetings + meetingEditing + meetingImages
        + series + coHosts + roster + joinCodes
        + attendance + calendar + qrCodeImages
        + forms + savedTemplates + submissions + results + filters + terms + trends + pictures + exports + moderation
        + shares + decisions + summaryMails + webhooks
        + live
}

/// One route of the service that this client calls.
public struct Endpoint: Sendable, Hashable {
    /// What a second request does that the service did not see as one.
    public enum Repetition: Sendable, Hashable {
        /// Nothing more than the first.
        case harmless
        /// Nothing more, by the `Idempotency-Key` that this client sends.
        case keyed
        /// It acts once more.
        case once
    }

    public let method: String
    /// Its parameters in braces: `/v1/meetings/{id}/form`.
    public let path: String
    public let repetition: Repetition

    /// - Parameter repetition: once for POST and harmless for everything else unless it is given.
    init(_ method: String, _ path: String, _ repetition: Repetition? = nil) {
        self.method = method
        self.path = path
        self.repetition = repetition ?? (method == "POST" ? .once : .harmless)
    }

    /// The path with its parameters in their places.
    ///
    /// An empty one and dots would make another path of it, encoded or not, wherever addresses are tidied on the way.
    func path(_ parameters: [String]) throws -> String {
        var rest = parameters[...]
        return try path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("{"), let value = rest.popFirst() else { return String(segment) }
            guard !["", ".", ".."].contains(value) else {
                throw AfterwordError.unsendable("\(segment) of \(path) cannot be \"\(value)\".")
            }
            return PercentEncoding.encode(value)
        }.joined(separator: "/")
    }
}

extension Endpoint {
    /// Every route that there is a call for.
    public static let all: [Endpoint] =
        sessions + signUps + account + tokens + administration
        + meetings + meetingEditing + meetingImages
        + series + coHosts + roster + joinCodes
        + attendance + calendar + scanCodes
        + forms + submissions + results + filters + terms + trends + pictures + exports + moderation + shares + webhooks
        + live
}

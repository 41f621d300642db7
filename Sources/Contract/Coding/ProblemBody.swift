/// An error response (RFC 9457).
public struct ProblemBody: Codable, Sendable, Equatable {
    /// One validation error.
    public struct FaultBody: Codable, Sendable, Equatable {
        public var pointer: String
        public var code: String
        public var detail: String

        public init(pointer: String, code: String, detail: String) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
        }
    }

    /// A path such as `/problems/form-closed`.
    public var type: String
    public var title: String
    public var status: Int
    public var detail: String?
    /// The request's id, as in the server's log.
    public var instance: String?
    public var errors: [FaultBody]?

    public init(
        type: String, title: String, status: Int, detail: String? = nil, instance: String? = nil,
        errors: [FaultBody]? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.errors = errors
    }

    /// The stable code of the problem: the last path component of `type`.
    public var code: String {
        type.split(separator: "/").last.map(String.init) ?? ""
    }
}

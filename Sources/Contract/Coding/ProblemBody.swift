/// RFC 9457, as every error is answered.
public struct ProblemBody: Codable, Sendable, Equatable {
    /// One thing wrong with the input.
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

    /// `/problems/form-closed`
    public var type: String
    public var title: String
    public var status: Int
    public var detail: String?
    /// The request's id, as the server's log has it.
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

    /// The last part of `type`: the stable word to branch on.
    public var code: String {
        type.split(separator: "/").last.map(String.init) ?? ""
    }
}

import StrictJSON

/// What a request met instead of its answer: thrown by every layer, answered as RFC 9457 by the outermost.
public struct Problem: Error, Sendable, Equatable {
    public var code: ProblemCode
    /// One plain sentence about this occurrence; the code's own sentence when nil.
    public var detail: String?
    public var faults: [Fault]
    /// Seconds until a retry makes sense, with 429 and 503.
    public var retryAfter: Int?
    /// Further members of the answer (RFC 9457, section 3.2), such as the meetings that overlap.
    public var extensions: [JSONValue.Member] = []
    /// Of a 404: the code that was asked with leads somewhere all the same, as a join code does before its form opens, so
    /// that it counts as no guess. The answer does not tell.
    public var isOfKnownCode = false

    public init(_ code: ProblemCode, _ detail: String? = nil, faults: [Fault] = [], retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.faults = faults
        self.retryAfter = retryAfter
    }

    /// 404 to whoever has a code that exists.
    public static var nothingBehindKnownCode: Problem {
        var problem = Problem(.notFound)
        problem.isOfKnownCode = true
        return problem
    }

    /// All faults at once: 400 if any is of form, else 422.
    public init(_ faults: [Fault]) {
        let malformed = faults.contains { $0.kind == .malformed }
        self.init(malformed ? .badRequest : .validationFailed, faults: faults)
    }
}

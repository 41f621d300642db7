import StrictJSON

/// Why a request failed: thrown by every layer, and returned as RFC 9457 by the outermost.
public struct Problem: Error, Sendable, Equatable {
    public var code: ProblemCode
    /// One sentence about this occurrence; the code's own sentence if nil.
    public var detail: String?
    public var faults: [Fault]
    /// Seconds until a retry makes sense, with 429 and 503.
    public var retryAfter: Int?
    /// The meetings that overlap; a further member of the response (RFC 9457, section 3.2).
    public var conflicts: [MeetingConflict]?
    /// For a 404: the code exists in another role, as a join code does before its form opens, so it does not count as a
    /// guess. The response does not reveal it.
    public var isOfKnownCode = false

    public init(_ code: ProblemCode, _ detail: String? = nil, faults: [Fault] = [], retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.faults = faults
        self.retryAfter = retryAfter
    }

    /// 404 for a caller whose code exists.
    public static var nothingBehindKnownCode: Problem {
        var problem = Problem(.notFound)
        problem.isOfKnownCode = true
        return problem
    }

    /// All errors together: 400 if any is structural, else 422.
    public init(_ faults: [Fault]) {
        let malformed = faults.contains { $0.kind == .malformed }
        self.init(malformed ? .badRequest : .validationFailed, faults: faults)
    }
}

import StrictJSON

/// The reason why a request failed. Every layer throws problems, and the outermost layer returns them as RFC 9457
/// responses.
public struct Problem: Error, Sendable, Equatable {
    public var code: ProblemCode
    /// One sentence about this occurrence; the code's own sentence if nil.
    public var detail: String?
    public var faults: [Fault]
    /// Seconds until a retry makes sense, with 429 and 503.
    public var retryAfter: Int?
    /// The meetings that overlap. They are an extension member of the response (RFC 9457, section 3.2).
    public var conflicts: [MeetingConflict]?
    /// For a 404: whether the code in the request exists, although it leads to nothing now, as with a join code before
    /// its form opens. Such a request does not count as a guess. The response does not reveal that the code exists.
    public var hasKnownCode = false

    public init(_ code: ProblemCode, _ detail: String? = nil, faults: [Fault] = [], retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.faults = faults
        self.retryAfter = retryAfter
    }

    /// 404 for a caller whose code exists.
    public static var nothingBehindKnownCode: Problem {
        var problem = Problem(.notFound)
        problem.hasKnownCode = true
        return problem
    }

    /// All errors together: 400 if any of them is structural, otherwise 422.
    public init(_ faults: [Fault]) {
        let malformed = faults.contains { $0.kind == .malformed }
        self.init(malformed ? .badRequest : .validationFailed, faults: faults)
    }

    /// 422 with one fault.
    public init(invalid pointer: String, code: String, _ detail: String) {
        self.init([Fault(.invalid, at: pointer, code: code, detail)])
    }
}

import Contract
import StrictJSON

/// A problem response of the service, with a stable code for programs and a sentence for people.
public struct AfterwordProblem: Error, Sendable, Equatable {
    public typealias Fault = ProblemBody.FaultBody

    public var code: Code
    public var status: Int
    public var title: String
    /// One sentence about this occurrence.
    public var detail: String
    /// The request's id, as in the service's log.
    public var instance: String?
    /// All validation errors, each with a JSON pointer such as `/answers/pace`.
    public var errors: [Fault]
    /// How long to wait before the next attempt.
    public var retryAfter: Duration?
    /// All other members of the problem.
    public var extensions: [String: JSONValue]

    public init(
        code: Code, status: Int, title: String = "", detail: String = "", instance: String? = nil,
        errors: [Fault] = [], retryAfter: Duration? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.code = code
        self.status = status
        self.title = title
        self.detail = detail
        self.instance = instance
        self.errors = errors
        self.retryAfter = retryAfter
        self.extensions = extensions
    }

    /// The validation errors at a JSON pointer and below it.
    public func faults(at pointer: String) -> [Fault] {
        errors.filter { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }
    }
}

extension AfterwordProblem: CustomStringConvertible {
    public var description: String {
        let faults = errors.map { "\n  \($0.pointer) \($0.code): \($0.detail)" }
        return "\(code.rawValue) (\(status)): \(detail)" + faults.joined()
    }
}

extension AfterwordProblem {
    private static let standardMembers: Set = ["type", "title", "status", "detail", "instance", "errors"]

    /// Returns nil if the body is not an RFC 9457 problem with a type of this service.
    ///
    /// - Parameter status: The status of the response. If nil, the status in the body is used.
    init?(status: Int?, headers: [String: String], body: [UInt8]) {
        guard let json = try? JSONValue.parse(body), let type = json["type"]?.string,
            type.hasPrefix("/problems/"), let members = json.members
        else { return nil }
        let faults = (json["errors"]?.array ?? []).map { fault in
            Fault(
                pointer: fault["pointer"]?.string ?? "", code: fault["code"]?.string ?? "",
                detail: fault["detail"]?.string ?? "")
        }
        let extensionMembers = members.filter { !Self.standardMembers.contains($0.name) }.map { ($0.name, $0.value) }
        self.init(
            code: Code(rawValue: String(type.dropFirst("/problems/".count))),
            status: status ?? json["status"]?.int ?? 0,
            title: json["title"]?.string ?? "", detail: json["detail"]?.string ?? "",
            instance: json["instance"]?.string, errors: faults,
            retryAfter: headers["retry-after"].flatMap { Int($0) }.map { .seconds(max(0, $0)) },
            extensions: Dictionary(extensionMembers) { first, _ in first })
    }
}

extension AfterwordProblem {
    /// A stable code. A newer service may send codes that are not listed here.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { rawValue = value }
    }
}

extension AfterwordProblem.Code {
    public static let badRequest: Self = "bad-request"
    public static let unauthorized: Self = "unauthorized"
    public static let invalidCredentials: Self = "invalid-credentials"
    public static let respondentRequired: Self = "respondent-required"
    public static let forbidden: Self = "forbidden"
    public static let reauthenticationRequired: Self = "reauthentication-required"
    public static let resultsNotShown: Self = "results-not-shown"
    public static let notFound: Self = "not-found"
    public static let methodNotAllowed: Self = "method-not-allowed"
    public static let notAcceptable: Self = "not-acceptable"
    public static let requestTimeout: Self = "request-timeout"
    public static let alreadySubmitted: Self = "already-submitted"
    public static let anonymousForm: Self = "anonymous-form"
    public static let formClosed: Self = "form-closed"
    public static let formFinal: Self = "form-final"
    public static let formFull: Self = "form-full"
    public static let formNotOpen: Self = "form-not-open"
    public static let idempotencyConflict: Self = "idempotency-conflict"
    public static let meetingOverlap: Self = "meeting-overlap"
    public static let resultsWithheld: Self = "results-withheld"
    public static let accountExists: Self = "account-exists"
    public static let attendeeExists: Self = "attendee-exists"
    public static let checkInFull: Self = "check-in-full"
    public static let checkInNotOpen: Self = "check-in-not-open"
    public static let checkInOver: Self = "check-in-over"
    public static let joinCodeFull: Self = "join-code-full"
    public static let lastAdmin: Self = "last-admin"
    public static let withdrawn: Self = "withdrawn"
    public static let shareEnded: Self = "share-ended"
    /// The answers were deleted at the end of their retention. The counts stay.
    public static let answersDeleted: Self = "answers-deleted"
    public static let preconditionFailed: Self = "precondition-failed"
    public static let contentTooLarge: Self = "content-too-large"
    public static let unsupportedMediaType: Self = "unsupported-media-type"
    public static let validationFailed: Self = "validation-failed"
    public static let groupTooSmall: Self = "group-too-small"
    public static let preconditionRequired: Self = "precondition-required"
    public static let tooManyRequests: Self = "too-many-requests"
    public static let internalError: Self = "internal-error"
    public static let overloaded: Self = "overloaded"
    public static let databaseUnavailable: Self = "database-unavailable"
    public static let pdfUnavailable: Self = "pdf-unavailable"

    /// All codes with a constant in this client.
    public static let all: [Self] = [
        .badRequest, .unauthorized, .invalidCredentials, .respondentRequired, .forbidden, .reauthenticationRequired,
        .resultsNotShown, .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout, .alreadySubmitted,
        .anonymousForm, .formClosed,
        .formFinal, .formFull, .formNotOpen, .idempotencyConflict, .meetingOverlap, .resultsWithheld, .accountExists,
        .attendeeExists, .checkInFull, .checkInNotOpen, .checkInOver, .joinCodeFull, .lastAdmin, .withdrawn,
        .shareEnded, .answersDeleted, .preconditionFailed, .contentTooLarge, .unsupportedMediaType, .validationFailed,
        .groupTooSmall, .preconditionRequired, .tooManyRequests, .internalError, .overloaded, .databaseUnavailable,
        .pdfUnavailable,
    ]
}

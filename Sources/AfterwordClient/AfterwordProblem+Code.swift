extension AfterwordProblem {
    /// A stable word; a newer service may send one that is not among these.
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

    /// Every code that this client knows by name.
    public static let all: [Self] = [
        .badRequest, .unauthorized, .invalidCredentials, .respondentRequired, .forbidden, .resultsNotShown, .notFound,
        .methodNotAllowed, .notAcceptable, .requestTimeout, .alreadySubmitted, .anonymousForm, .formClosed,
        .formFinal, .formFull, .formNotOpen, .idempotencyConflict, .meetingOverlap, .resultsWithheld, .accountExists,
        .attendeeExists, .checkInFull, .checkInNotOpen, .checkInOver, .joinCodeFull, .lastAdmin, .withdrawn,
        .shareEnded, .preconditionFailed, .contentTooLarge, .unsupportedMediaType, .validationFailed, .groupTooSmall,
        .preconditionRequired, .tooManyRequests, .internalError, .overloaded, .databaseUnavailable,
    ]
}

/// All problems, each with a stable code, a status and a title.
public enum ProblemCode: String, Sendable, CaseIterable {
    case badRequest = "bad-request"
    case unauthorized
    case invalidCredentials = "invalid-credentials"
    case respondentRequired = "respondent-required"
    case forbidden
    case reauthenticationRequired = "reauthentication-required"
    case resultsNotShown = "results-not-shown"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case requestTimeout = "request-timeout"
    case alreadySubmitted = "already-submitted"
    case anonymousForm = "anonymous-form"
    case formClosed = "form-closed"
    case formFinal = "form-final"
    case formFull = "form-full"
    case formNotOpen = "form-not-open"
    case idempotencyConflict = "idempotency-conflict"
    case meetingOverlap = "meeting-overlap"
    case resultsWithheld = "results-withheld"
    case accountExists = "account-exists"
    case attendeeExists = "attendee-exists"
    case checkInFull = "check-in-full"
    case checkInNotOpen = "check-in-not-open"
    case checkInOver = "check-in-over"
    case joinCodeFull = "join-code-full"
    case lastAdmin = "last-admin"
    case withdrawn
    case shareEnded = "share-ended"
    case answersDeleted = "answers-deleted"
    case preconditionFailed = "precondition-failed"
    case contentTooLarge = "content-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case validationFailed = "validation-failed"
    case groupTooSmall = "group-too-small"
    case preconditionRequired = "precondition-required"
    case tooManyRequests = "too-many-requests"
    case internalError = "internal-error"
    case overloaded
    case databaseUnavailable = "database-unavailable"
    case pdfUnavailable = "pdf-unavailable"

    public var status: Int {
        switch self {
        case .badRequest: 400
        case .unauthorized, .invalidCredentials, .respondentRequired: 401
        case .forbidden, .reauthenticationRequired, .resultsNotShown: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .requestTimeout: 408
        case .alreadySubmitted, .anonymousForm, .formClosed, .formFinal, .formFull, .formNotOpen,
            .idempotencyConflict, .meetingOverlap, .resultsWithheld, .accountExists, .attendeeExists, .checkInFull,
            .checkInNotOpen, .checkInOver, .joinCodeFull, .lastAdmin:
            409
        case .withdrawn, .shareEnded, .answersDeleted: 410
        case .preconditionFailed: 412
        case .contentTooLarge: 413
        case .unsupportedMediaType: 415
        case .validationFailed, .groupTooSmall: 422
        case .preconditionRequired: 428
        case .tooManyRequests: 429
        case .internalError: 500
        case .overloaded, .databaseUnavailable, .pdfUnavailable: 503
        }
    }

    public var title: String {
        switch self {
        case .badRequest: "The request cannot be read"
        case .unauthorized: "Sign in first"
        case .invalidCredentials: "E-mail or password is wrong"
        case .respondentRequired: "This form needs to know which device or person answers"
        case .forbidden: "Not allowed"
        case .reauthenticationRequired: "Confirm your password first"
        case .resultsNotShown: "These results are not shown"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .notAcceptable: "No such representation"
        case .requestTimeout: "The request took too long to arrive"
        case .alreadySubmitted: "Already submitted"
        case .anonymousForm: "Not for anonymous forms"
        case .formClosed: "The form is closed"
        case .formFinal: "The form is final"
        case .formFull: "The form is full"
        case .formNotOpen: "The form is not open yet"
        case .idempotencyConflict: "The same key was used with another body"
        case .meetingOverlap: "Two meetings overlap"
        case .resultsWithheld: "Results are withheld"
        case .accountExists: "The account exists"
        case .attendeeExists: "The address is on the list already"
        case .checkInFull: "The list accepts no more people by code"
        case .checkInNotOpen: "The check-in is not open yet"
        case .checkInOver: "The check-in is over"
        case .joinCodeFull: "The join code has been used up"
        case .lastAdmin: "There must be an admin"
        case .withdrawn: "The submission was withdrawn"
        case .shareEnded: "The share has ended"
        case .answersDeleted: "The answers were deleted at the end of their retention"
        case .preconditionFailed: "Somebody changed it meanwhile"
        case .contentTooLarge: "Too large"
        case .unsupportedMediaType: "Unsupported media type"
        case .validationFailed: "The request breaks a rule"
        case .groupTooSmall: "The group is too small"
        case .preconditionRequired: "Say which version you change"
        case .tooManyRequests: "Too many requests"
        case .internalError: "Something went wrong here"
        case .overloaded: "Too busy at the moment"
        case .databaseUnavailable: "The database cannot be reached"
        case .pdfUnavailable: "PDF files cannot be made"
        }
    }
}

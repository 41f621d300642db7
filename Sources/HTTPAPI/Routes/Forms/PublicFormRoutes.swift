import Contract
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// The participant's routes: read a form by its code, submit answers, and read, correct or withdraw a submission with
/// its receipt.
struct PublicFormRoutes: Sendable {
    static let submissionLimit = 256 * 1024
    /// The largest number of values in a submission. A form has at most 100 questions with 50 options each.
    static let maxValues = 10_000

    let store: Store
    let codeLimit: CodeEnumerationLimit
    /// The responses to GET, by code. Everyone in a hall opens the form at once, and shares one read.
    let forms = GroupedReads<String, APIResponse>()
    /// Large bodies take milliseconds to read and validate, so an address has one at a time, and all addresses two.
    private let largeBodies = KeyedPermits<ClientAddress>(1, total: 2)

    init(store: Store, codeLimit: CodeEnumerationLimit) { (self.store, self.codeLimit) = (store, codeLimit) }

    var routes: [Route] {
        let ownSubmission = "/v1/forms/{code}/submissions/{id}"
        return [
            Route(.get, "/v1/forms/{code}", access: .participant, handler: get),
            Route(
                .post, "/v1/forms/{code}/submissions", access: .participant,
                accepts: .json(limit: Self.submissionLimit), shortcut: submitAtOnce, handler: submit),
            Route(.get, ownSubmission, access: .receipt, handler: find),
            Route(
                .put, ownSubmission, access: .receipt, accepts: .json(limit: Self.submissionLimit), handler: correct),
            Route(.delete, ownSubmission, access: .receipt, produces: [], handler: withdraw),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let typed = try request.parameter("code")
        return try await codeLimit.limitMisses(typed, of: request) {
            let code = try ParticipantCode(typed).text
            return try await forms.value(for: code) { [store] in
                try .tagged(Contract.PublicForm(await store.forms.find(code: code)))
            }
        }
    }

    private func submit(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        let respondent: String?
        switch request.credentials {
        case .respondent(let given): respondent = given
        case .bearer, .receipt:
            throw Problem(.unauthorized, "A submission accepts Authorization: Respondent or no Authorization header.")
        case nil: respondent = nil
        }
        try await codeLimit.limitMisses(code, of: request) {
            try await store.submissions.requireForm(code: code, respondent: respondent)
        }
        let key = try request.idempotencyKey(atLeast: 16)
        let document = try await request.document()
        let permit = try await permit(for: document, of: request)
        defer { withExtendedLifetime(permit) {} }
        let submission = try Self.submission(document, key, respondent) { request.clientAddress.text }
        return Self.response(try await store.submissions.submit(submission, code: code))
    }

    private static func isLarge(_ body: ByteBuffer) -> Bool { body.readableBytes > MemoryBudget.freeBytesPerShare }

    /// Waits for the permit to process a large body. Throws 503 if it takes too long. Returns nil for other bodies.
    private func permit(
        for document: RequestDocument, of request: APIRequest
    ) async throws -> KeyedPermits<ClientAddress>.Lease? {
        guard Self.isLarge(document.bytes) else { return nil }
        return try await largeBodies.acquire(
            for: request.clientAddress, within: .seconds(10), else: "Too many long submissions are being processed.",
            retryAfter: 5)
    }

    /// Does the same as `submit` for plain requests of moderate size, on the event loop. Returns false to leave the
    /// request to `submit`, which also reports all errors.
    private func submitAtOnce(
        _ request: ShortRequest, reply: @escaping @Sendable (@escaping Route.DeferredResponse) -> Void
    ) -> Bool {
        guard !Self.isLarge(request.body) else { return false }
        let respondent: String?
        switch request.credentials {
        case .respondent(let given): respondent = given
        case .bearer, .receipt: return false
        case nil: respondent = nil
        }
        do {
            let code = try request.parameter("code")
            guard !CodeEnumerationLimit.isGuessable(code) else { return false }
            let key = try APIRequest.idempotencyKey(request.idempotencyKey, atLeast: 16)
            let submission = try Self.submission(RequestDocument(bytes: request.body), key, respondent) {
                request.clientAddress().text
            }
            return store.submissions.submitIfCached(submission, code: code) { receipt in
                reply { Self.response(try receipt()) }
            }
        } catch {
            return false
        }
    }

    /// The JSON is written by hand, because encoding a value would be a measurable part of the cost of a submission.
    private static func response(_ receipt: StoredSubmissionReceipt) -> APIResponse {
        var bytes = Array("{\"id\":\"\(receipt.id.lowercased)\",\"receipt\":\"\(receipt.receipt)\",".utf8)
        bytes += Array("\"submittedAt\":\"\(RFC3339.format(receipt.submittedAt))\"}".utf8)
        let response = APIResponse.bytes(ByteBuffer(bytes: bytes), status: .created)
        return receipt.isReplay ? response.with(.idempotencyReplayed, "true") : response
    }

    private func find(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        let submission = try await codeLimit.limitMisses(code, of: request) {
            try await store.submissions.find(request.uuid("id"), code: code, receipt: Self.receipt(request))
        }
        return try .tagged(Contract.Submission(submission)).unstored
    }

    private func correct(_ request: APIRequest) async throws -> APIResponse {
        let (id, code, receipt) = (try request.uuid("id"), try request.parameter("code"), try Self.receipt(request))
        let current = try await codeLimit.limitMisses(code, of: request) {
            try await store.submissions.find(id, code: code, receipt: receipt)
        }
        try request.checkMatch(ETag(digestOf: Contract.Submission(current)))
        let document = try await request.document()
        let permit = try await permit(for: document, of: request)
        defer { withExtendedLifetime(permit) {} }
        let (version, answers) = try Self.read(document)
        let submission = try await store.submissions.correct(
            id, code: code, receipt: receipt, version: version, answers: answers)
        return try .tagged(Contract.Submission(submission)).unstored
    }

    private func withdraw(_ request: APIRequest) async throws -> APIResponse {
        let (id, code, receipt) = (try request.uuid("id"), try request.parameter("code"), try Self.receipt(request))
        try await codeLimit.limitMisses(code, of: request) {
            if request.headers[.ifMatch] != nil {
                do {
                    let current = try await store.submissions.find(id, code: code, receipt: receipt)
                    try request.checkMatch(ETag(digestOf: Contract.Submission(current)))
                } catch let problem as Problem where problem.code == .withdrawn {
                    return
                }
            }
            try await store.submissions.withdraw(id, code: code, receipt: receipt)
        }
        return .noContent
    }

    private static func receipt(_ request: APIRequest) throws -> String {
        guard case .receipt(let receipt) = request.credentials else { throw Problem(.unauthorized) }
        return receipt
    }

    private static func submission(
        _ document: RequestDocument, _ key: String?, _ respondent: String?,
        from client: @escaping @Sendable () -> String
    ) throws -> StoredSubmissionRequest {
        let (version, answers) = try read(document)
        return StoredSubmissionRequest(
            version: version, answers: answers, body: Array(document.bytes.readableBytesView), idempotencyKey: key,
            respondent: respondent, client: client)
    }

    private static func read(_ document: RequestDocument) throws -> (version: Int?, answers: JSONValue?) {
        let reader = ObjectReader(try document.json(maxValues: maxValues))
        let version = reader.int("version")
        let answers = reader.requiredValue("answers")
        try reader.requireNoFaults()
        return (version, answers)
    }
}

import Domain
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// Results for hosts: chart-ready series, of all or of filtered submissions, and the text answers by page.
struct ResultRoutes: Sendable {
    let store: Store
    let reader: ResultReader
    let filters: FilterReader

    var routes: [Route] {
        let path = "/v1/meetings/{id}/results"
        return [
            Route(.get, path, access: .account(.readResults), query: ["where"], handler: results),
            Route(
                .get, path + "/{key}/answers", access: .account(.readResults),
                query: TextPage.query + ["hidden"], handler: texts),
        ]
    }

    /// One row decides the access and the revision; the body is rendered once per revision.
    private func results(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let conditions = try request.query(repeating: ["where"]) { $0.strings("where") }
        guard conditions.isEmpty else { return try await filters.results(request, of: meeting, where: conditions) }
        return try await reader.answer(request, with: meeting)
    }

    private func texts(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let page = try TextPage(request)
        return try await store.texts.list(
            of: meeting, question: page.key, containing: page.search, hidden: page.hidden, after: page.cursor,
            limit: page.limit
        ).answer(\.body)
    }
}

extension ResultReader {
    /// The results with their tag, or 304. The caller has checked the access.
    func answer(_ request: APIRequest, with meeting: Meeting) async throws -> APIResponse {
        let tag = Self.tag(meeting)
        if request.isCurrent(tag) { return APIResponse(status: .notModified).tagged(tag) }
        let results = try await read(meeting)
        return .bytes(results.bytes).tagged(results.tag)
    }
}

extension TextAnswer {
    var body: JSONValue {
        .object([
            .init("id", .string(id.lowercased)), .init("text", .string(text)),
            .init("submittedAt", JSONValue(submittedAt)), .init("hidden", .bool(isHidden)),
        ])
    }
}

extension FormResults {
    func body(of meeting: Meeting) -> JSONValue {
        var meeting = meeting
        meeting.form.submissions = submissions
        let response = Self.responseRate(meeting)
        return .object([
            .init("meetingId", .string(meeting.id.lowercased)),
            .init("formId", .string(formID.lowercased)),
            .init("version", JSONValue(version)),
            .init("revision", JSONValue(revision)),
            .init("updatedAt", JSONValue(updatedAt)),
            .init("submissions", JSONValue(submissions)),
            .init("headcount", JSONValue(meeting.headcount)),
            .init("attended", JSONValue(meeting.attended)),
            .init("responseRate", JSONValue(response?.rate)),
            .init("responseBase", JSONValue(response?.base)),
            .init("withheld", withheld?.body ?? .null),
            .init("questions", .array(questions.map(\.json))),
            .init("changes", .array(changes.list.map(\.body))),
            .init("changesCut", .bool(changes.isCut)),
        ])
    }
}

extension FormResults.Withheld {
    var body: JSONValue {
        .object([
            .init("reason", .string("minimum-group")), .init("minimum", JSONValue(minimum)),
            .init("shown", JSONValue(shown)),
        ])
    }
}

extension QuestionChange {
    var body: JSONValue {
        .object([
            .init("version", JSONValue(version)), .init("at", JSONValue(at)), .init("key", .string(key)),
            .init("option", JSONValue(option)), .init("change", .string(kind.rawValue)),
            .init("from", JSONValue(from)), .init("to", JSONValue(to)),
        ])
    }
}

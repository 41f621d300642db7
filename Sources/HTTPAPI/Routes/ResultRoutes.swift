import Domain
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// Results as a host sees them: chart-ready series, and the texts page by page.
struct ResultRoutes: Sendable {
    let store: Store
    let reader: ResultReader

    var routes: [Route] {
        let path = "/v1/meetings/{id}/results"
        return [
            Route(.get, path, access: .account(.readResults), handler: results),
            Route(
                .get, path + "/{key}/answers", access: .account(.readResults), query: ["q", "limit", "cursor"],
                handler: texts),
        ]
    }

    /// Who may look and how far the results are is one row; the rest is rendered once per revision.
    private func results(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let tag = ResultReader.tag(meeting)
        if request.isCurrent(tag) { return APIResponse(status: .notModified).tagged(tag) }
        let results = try await reader.read(meeting)
        return .bytes(results.bytes).tagged(results.tag)
    }

    private func texts(_ request: APIRequest) async throws -> APIResponse {
        let key = try request.parameter("key")
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let (words, limit, position) = try request.query { reader in
            let words = reader.string("q").flatMap { $0.isEmpty ? nil : $0 }
            if let words, words.contains("\0") || words.count > 200 {
                reader.refuse("q", "too-long", "It takes at most 200 characters.")
            }
            return (words, reader.int("limit", in: 1...200) ?? 50, reader.cursor("cursor", Cursor.text(of: key)))
        }
        // One more than is shown tells whether there is a next page.
        let found = try await store.results.texts(
            of: meeting, question: key, containing: words, after: position, limit: limit + 1)
        let answers = found.prefix(limit)
        let next = found.count > limit ? answers.last.map { Cursor.after($0.position, of: key) } : nil
        return .json(
            .object([.init("items", .array(answers.map(\.body))), .init("next", JSONValue(next))]))
    }
}

extension TextAnswer {
    var body: JSONValue {
        .object([
            .init("id", JSONValue(submissionID?.lowercased)), .init("text", .string(text)),
            .init("submittedAt", JSONValue(submittedAt)),
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

import Domain
import HTTPTypes
import Store
import StrictJSON

/// Moderation of text answers: release or withhold a question's texts, hide a text, delete a submission.
struct ModerationRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        let question = "/v1/meetings/{id}/results/{key}"
        let answer = question + "/answers/{answerId}"
        return [
            action(question + "/release") { try await setReleased(true, $0) },
            action(question + "/withhold") { try await setReleased(false, $0) },
            action(answer + "/hide") { try await setHidden(true, $0) },
            action(answer + "/unhide") { try await setHidden(false, $0) },
            Route(
                .put, answer + "/marks", access: .account(.writeMeetings), accepts: .json(), produces: [], handler: mark
            ),
            Route(
                .delete, "/v1/meetings/{id}/submissions/{submissionId}", access: .account(.writeMeetings), produces: [],
                handler: remove),
        ]
    }

    private func action(_ path: String, _ change: @escaping @Sendable (APIRequest) async throws -> Void) -> Route {
        Route(.post, path, access: .account(.writeMeetings), produces: []) { request in
            try await change(request)
            return .noContent
        }
    }

    private func setReleased(_ released: Bool, _ request: APIRequest) async throws {
        // Releasing needs the right to read results, because released texts can be read with the form's code.
        if released { try request.require(.readResults) }
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        try await store.texts.setReleased(
            released, question: request.parameter("key"), of: meeting, by: principal.account.id)
    }

    private func setHidden(_ hidden: Bool, _ request: APIRequest) async throws {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        try await store.texts.setHidden(
            hidden, answer: request.uuid("answerId"), question: request.parameter("key"), of: meeting,
            by: principal.account.id)
    }

    private func mark(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        let reader = ObjectReader(try await request.document().json())
        let isStarred = reader.bool("starred") ?? false
        let tags = (reader.array("tags") ?? []).enumerated().compactMap { index, value in
            if value.string == nil { reader.fault(at: "tags/\(index)", code: "wrong-type", "A text is expected.") }
            return value.string
        }
        try reader.requireNoFaults()
        try await store.texts.setMarks(
            TextMarks(isStarred: isStarred, tags: tags), answer: request.uuid("answerId"),
            question: request.parameter("key"), of: meeting, by: principal.account.id)
        return .noContent
    }

    private func remove(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        try await store.submissions.remove(request.uuid("submissionId"), from: meeting, by: principal.account.id)
        return .noContent
    }
}

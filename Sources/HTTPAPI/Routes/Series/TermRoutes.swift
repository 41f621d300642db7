import Contract
import Domain
import HTTPTypes
import Store

/// The terms of a text question's answers.
struct TermRoutes: Sendable {
    private enum StopWords: String, CaseIterable { case drop, keep }

    let store: Store

    var routes: [Route] {
        [
            Route(
                .get, "/v1/meetings/{id}/results/{key}/terms", access: .account(.readResults),
                query: ["limit", "stopwords"], handler: terms)
        ]
    }

    private func terms(_ request: APIRequest) async throws -> APIResponse {
        let caller = try request.requireCaller()
        let meeting = try await store.meetings.require(request.uuid("id"), by: caller)
        let key = try request.parameter("key")
        let (limit, stopWords) = try request.query { reader in
            (
                reader.int("limit", in: 1...TextAnswers.maxTerms) ?? 50,
                reader.choice("stopwords", of: StopWords.self) ?? .drop
            )
        }
        let list = try await store.texts.terms(
            of: meeting, question: key, limit: limit, keepingStopWords: stopWords == .keep, for: caller.account.id)
        return try .json(Terms(list, of: key))
    }
}

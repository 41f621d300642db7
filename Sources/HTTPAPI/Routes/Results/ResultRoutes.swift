import Contract
import Domain
import Foundation
import HTTPTypes
import NIOCore
import Store

/// Results for hosts: chart-ready datasets of all or of filtered submissions, and the text answers by page.
struct ResultRoutes: Sendable {
    let store: Store
    let meetings: MeetingReads
    let reader: ResultReader
    let filters: FilterReader

    var routes: [Route] {
        let path = "/v1/meetings/{id}/results"
        return [
            Route(.get, path, access: .account(.readResults), query: ["where"], handler: results),
            Route(
                .get, path + "/{key}/answers", access: .account(.readResults),
                query: TextPage.query + ["hidden", "starred", "tag"], handler: texts),
        ]
    }

    /// Reads one row to check the access and get the revision. The body is rendered once per revision.
    private func results(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await meetings.require(request.uuid("id"), by: request.requireCaller())
        let conditions = try request.query(repeating: ["where"]) { $0.strings("where") }
        guard conditions.isEmpty else { return try await filters.results(of: meeting, where: conditions) }
        return try await reader.respond(to: request, with: meeting)
    }

    private func texts(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let page = try TextPage(request)
        let texts = try await store.texts.list(
            of: meeting, question: page.key, containing: page.search, hidden: page.listsHiddenTexts,
            starred: page.listsStarredTexts, tag: page.tag, after: page.cursor, limit: page.limit)
        return try .json(Page(texts) { Contract.TextAnswer($0) })
    }
}

extension ResultReader {
    /// The results with their tag, or 304. The caller has checked the access.
    func respond(to request: APIRequest, with meeting: StoredMeeting) async throws -> APIResponse {
        let tag = Self.tag(meeting)
        if request.isCurrent(tag) { return .notModified(tag, for: request.headers) }
        let results = try await read(meeting)
        return .kept(results.body, tag: results.tag)
    }
}

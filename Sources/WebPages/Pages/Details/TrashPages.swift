import Contract
import HTTPTypes

/// Lists the meetings in the trash and restores them.
struct TrashPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/trash", get: { try await view(HostSession($0)) }, post: restore)] }

    private func view(
        _ session: HostSession, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let query = PathQuery([("state", "trash")]).with("cursor", page.query["cursor"])
        let list: MeetingList = try await session.get("/v1/meetings" + query.text)
        return page.page(
            TrashPage(
                title: page.texts("trash.title"), alert: alert, next: page.nextPage(list.next),
                meetings: list.items.map { meeting in
                    TrashPage.Meeting(
                        id: "\(meeting.id)", name: meeting.title, series: meeting.series, round: meeting.round,
                        since: meeting.deletedAt.map { page.time($0) }, until: meeting.purgesAt.map { page.time($0) })
                }), status: status)
    }

    private func restore(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(session, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let id = PageRequest.pathSafe(page.fields["meeting"] ?? "")
        let response = try await page.send(.post, "/v1/meetings/\(id)/restore", as: session.authorization)
        if response.status == .conflict {
            return try await view(session, alert: page.texts("trash.taken"), status: .conflict)
        }
        try session.check(response)
        return page.done("restored", at: "/meetings/\(id)")
    }
}

/// The list of the meetings in the trash.
struct TrashPage: PageModel {
    struct Meeting: TemplateValues {
        var id: String
        var name: String
        var series: String
        var round: Int
        /// When the meeting was moved to the trash.
        var since: String?
        /// When the meeting is deleted permanently.
        var until: String?
    }

    static let template = "host-trash"
    var title: String
    /// Why a meeting could not be restored.
    var alert: String?
    /// The address of the next page.
    var next: String?
    var meetings: [Meeting]
}

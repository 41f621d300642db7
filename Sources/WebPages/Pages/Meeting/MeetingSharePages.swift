import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Creates, lists and ends the shares of a meeting's results. The link of a share is shown only once, after its
/// creation.
struct MeetingSharePages: Sendable {
    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/shares", get: { try await view(HostSession($0)) }, post: apply)]
    }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, created: Share? = nil
    ) async throws -> PageResponse {
        let page = session.page
        let (meetingPath, texts) = ("/v1/meetings/\(page.safeParameter("id"))", page.texts)
        let meeting: Meeting = try await session.get(meetingPath)
        let shares: Page<Share> = try await session.get(meetingPath + "/shares?limit=100")
        let localTime = LocalTime(meeting.timeZone)
        let model = SharesPage(
            title: texts("shares.title"), alert: error?.alert, meeting: meeting.title,
            meetingPath: "/meetings/\(meeting.id)", path: page.path, key: SubmitToken.make(),
            created: created?.url.map {
                .init(text: texts("shares.made"), url: $0, unreachable: page.kit.unreachable(texts))
            },
            name: error == nil ? "" : page.fields["name"] ?? "", nameFault: error?.faults["name"],
            periods: ValidityPeriod.choices([1, 7, 30, 90, 365], proposed: 30, page),
            shares: shares.items.map { share in
                .init(
                    id: "\(share.id)", name: share.name ?? texts("shares.unnamed"),
                    ends: texts(
                        "shares.ends",
                        ["time": localTime.text(share.expiresAt, in: page.language), "name": share.createdBy.name]))
            },
            script: page.kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let sharesPath = "/v1/meetings/\(page.safeParameter("id"))/shares"
        let parts = (page.fields["act"] ?? "make").split(separator: ":").map { PageRequest.pathSafe(String($0)) }
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("make", 1):
                let name = (page.fields["name"] ?? "").trimmingCharacters(in: .whitespaces)
                let body = ShareRequest(name: name.isEmpty ? nil : name, expiresAt: ValidityPeriod.end(page))
                let response = try await session.send(
                    .post, sharesPath, JSONValue(encoding: body),
                    headers: [.idempotencyKey: SubmitToken.given(page.fields)])
                // A repeated submit gets no link, because a link is shown once.
                return try await view(session, created: response.decoded())
            case ("end", 2):
                try await session.send(.delete, "\(sharesPath)/\(parts[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }
}

/// The list of a meeting's shares, with a form for a new one.
struct SharesPage: PageModel {
    struct Line: TemplateValues {
        var id: String
        var name: String
        /// When the share ends, and who created it.
        var ends: String
    }

    static let template = "shares"
    var title: String
    var alert: String?
    /// The meeting's title.
    var meeting: String
    var meetingPath: String
    /// The path of this page.
    var path: String
    /// The idempotency key of a new share.
    var key: String
    /// The link of the share that was just created.
    var created: OneTimeSecret?
    var name: String
    var nameFault: String?
    var periods: [PageField.Values.Choice]
    var shares: [Line]
    var script: String
}

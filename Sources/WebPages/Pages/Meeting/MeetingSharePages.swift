import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The shares of a meeting's results: made, shown once, ended.
struct MeetingSharePages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/shares", get: { try await view(HostSession($0)) }, post: apply)]
    }

    private func view(_ session: HostSession, _ error: FormError? = nil, made: Share? = nil) async throws -> PageAnswer
    {
        let page = session.page
        let (source, texts) = ("/v1/meetings/\(page.word("id"))", page.texts)
        let meeting: Meeting = try await session.get(source)
        let shares: Page<Share> = try await session.get(source + "/shares?limit=100")
        let place = LocalTime(meeting.timeZone)
        let model = SharesPage(
            title: texts("shares.title"), alert: error?.alert, meeting: meeting.title,
            home: "/meetings/\(meeting.id)", path: page.path, key: SubmitToken.make(),
            made: made?.url.map {
                .init(text: texts("shares.made"), url: $0, unreachable: kit.unreachable(texts))
            },
            name: error == nil ? "" : page.fields["name"] ?? "", nameFault: error?.faults["name"],
            periods: ValidFor.choices([1, 7, 30, 90, 365], proposed: 30, page),
            shares: shares.items.map { share in
                .init(
                    id: "\(share.id)", name: share.name ?? texts("shares.unnamed"),
                    ends: texts(
                        "shares.ends",
                        ["time": place.text(share.expiresAt, in: page.language), "name": share.createdBy.name]))
            },
            script: kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    private func apply(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        let all = "/v1/meetings/\(page.word("id"))/shares"
        let words = (page.fields["act"] ?? "make").split(separator: ":").map { PageRequest.word(String($0)) }
        do {
            try session.checkOrigin()
            switch (words.first, words.count) {
            case ("make", 1):
                let name = (page.fields["name"] ?? "").trimmingCharacters(in: .whitespaces)
                let body = ShareRequest(name: name.isEmpty ? nil : name, expiresAt: ValidFor.end(page))
                let answer = try await session.send(
                    .post, all, JSONValue(encoding: body), headers: [.idempotencyKey: SubmitToken.given(page)])
                // A repeated submit gets no link, because a link is shown once.
                return try await view(session, made: answer.decoded())
            case ("end", 2):
                try await session.send(.delete, "\(all)/\(words[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }
}

struct SharesPage: PageModel {
    struct Line: TemplateValues {
        var id: String
        var name: String
        var ends: String
    }

    static let template = "shares"
    var title: String
    var alert: String?
    /// The meeting's title and path.
    var meeting: String
    var home: String
    var path: String
    var key: String
    /// The link of a new share.
    var made: OneTimeSecret?
    var name: String
    var nameFault: String?
    var periods: [ValidFor]
    var shares: [Line]
    var script: String
}

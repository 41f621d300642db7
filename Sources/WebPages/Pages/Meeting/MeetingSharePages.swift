import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// How people reach a meeting's form, and the shares of its results, which are created, listed and ended here. The link
/// of a share is shown only once, after its creation.
struct MeetingSharePages: Sendable {
    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/shares", get: { try await view(MeetingContext($0)) }, post: apply)]
    }

    private func view(
        _ context: MeetingContext, _ error: FormError? = nil, created: Share? = nil
    ) async throws -> PageResponse {
        let page = context.page
        let model = SharesPage(
            title: page.texts("tabs.share-of", ["title": context.meeting.title]),
            head: MeetingHead(context, tab: .share), alert: error?.alert, meetingPath: context.path,
            access: try await FormAccess(context),
            results: context.canEdit ? try await results(context, error, created) : nil,
            script: page.kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    private func results(
        _ context: MeetingContext, _ error: FormError?, _ created: Share?
    ) async throws -> SharesPage.ResultLinks {
        let (page, texts) = (context.page, context.page.texts)
        let shares: Page<Share> = try await context.session.get(context.source + "/shares?limit=100")
        return .init(
            key: SubmitToken.make(),
            created: created?.url.map {
                .init(text: texts("shares.made"), url: $0, unreachable: page.unreachable)
            },
            name: error == nil ? "" : page.fields["name"] ?? "", nameFault: error?.faults["name"],
            periods: ValidityPeriod.choices([1, 7, 30, 90, 365], proposed: 30, page),
            shares: shares.items.map { share in
                .init(
                    id: "\(share.id)", name: share.name ?? texts("shares.unnamed"),
                    ends: texts(
                        "shares.ends",
                        ["time": context.clock.text(share.expiresAt, in: page.language), "name": share.createdBy.name]))
            })
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
                return try await view(MeetingContext(page), created: response.decoded())
            case ("end", 2):
                try await session.send(.delete, "\(sharesPath)/\(parts[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(MeetingContext(page), error)
        }
    }
}

/// The tab of a meeting that shows how people reach the form and the results.
struct SharesPage: PageModel {
    /// The list of the shares, with a form for a new one.
    struct ResultLinks: TemplateValues {
        struct Line: TemplateValues {
            var id: String
            var name: String
            /// When the share ends, and who created it.
            var ends: String
        }

        /// The idempotency key of a new share.
        var key: String
        /// The link of the share that was just created.
        var created: OneTimeSecret?
        var name: String
        var nameFault: String?
        var periods: [PageField.Values.Choice]
        var shares: [Line]
    }

    static let template = "shares"
    var title: String
    var head: MeetingHead
    var alert: String?
    var meetingPath: String
    var access: FormAccess
    /// Nil for viewers, who may not share results.
    var results: ResultLinks?
    var script: String
}

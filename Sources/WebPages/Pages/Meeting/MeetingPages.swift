import Contract
import HTTPAPI
import HTTPTypes

/// The first tab of a meeting, for its hosts, and the files and event streams of its pages.
struct MeetingPages: Sendable {
    var routes: [PageRoute] {
        let meeting = "/meetings/{id}"
        return [
            PageRoute(meeting, get: { try await view(MeetingContext($0)) }, post: apply),
            PageRoute(meeting + "/code.svg", get: relay { apiPath, _ in apiPath + "/form.qr.svg" }),
            PageRoute(meeting + "/live", get: relay { apiPath, _ in apiPath + "/results/live" }, isStreamed: true),
            PageRoute(meeting + "/export/{file}", get: relay { "\($0)/export/\($1.safeFileName)" }, isStreamed: true),
            PageRoute(meeting + "/pictures/{file}", get: picture),
        ] + LivePages().routes
    }

    /// The meeting's path in the API.
    static func apiPath(_ page: PageRequest) -> String { "/v1/meetings/\(page.safeParameter("id"))" }

    /// - Parameter path: Returns the path to request from the API, given the meeting's path there and the page request.
    private func relay(_ path: @escaping @Sendable (String, PageRequest) -> String) -> PageRoute.Handler {
        { page in
            let session = try HostSession(page)
            return try await page.relay(path(Self.apiPath(page), page), as: session.authorization)
        }
    }

    /// Relays a picture of the results. A name without `.svg` would reach another route of the API.
    private func picture(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard page.parameter("file").hasSuffix(".svg") else { throw PageError.notFound }
        return try await page.relay("\(Self.apiPath(page))/results/\(page.safeFileName)", as: session.authorization)
    }

    private func view(
        _ context: MeetingContext, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let (page, meeting, form) = (context.page, context.meeting, context.form)
        let zones = ZoneNames(context.reader.timeZone, among: [meeting.timeZone])
        let model = MeetingPage(
            title: meeting.title, head: MeetingHead(context, tab: .form), alert: alert, meetingPath: context.path,
            seriesPath: context.seriesPath, canEdit: context.canEdit, isDraft: form.state == "draft",
            isOpen: form.state == "open", form: "/f/\(form.code)",
            actions: MeetingActions(meeting, form, canEdit: context.canEdit, zones, page),
            hasImage: meeting.image != nil,
            next: try await NextStep.find(after: context))
        return page.page(model, status: status)
    }

    private static let actions: Set = ["publish", "close", "reopen", "finish"]
    /// The pages whose buttons lead back to them, by the last part of their path.
    private static let returns: Set = ["stage", "remote", "now"]

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(
                MeetingContext(page), alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let action = page.fields["act"] ?? ""
        guard Self.actions.contains(action) else { throw PageError(.badRequest) }
        let path = "\(Self.apiPath(page))/form/\(action)"
        let response = try await page.send(.post, path, as: session.authorization)
        if response.status == .conflict || response.status == .unprocessableContent {
            let error = PageError(response)
            return try await view(
                MeetingContext(page),
                alert: response.problem?.errors?.first.map(page.texts.fault) ?? page.sentence(error),
                status: error.status)
        }
        try session.check(response)
        return page.done("form-\(action)", at: page.path + Self.next(after: action, page.fields["back"] ?? ""))
    }

    /// The part of the path of the page after a button. A published form is shared next.
    private static func next(after action: String, _ back: String) -> String {
        if returns.contains(back) { return "/" + back }
        return action == "publish" ? MeetingTab.share.subpage : ""
    }
}

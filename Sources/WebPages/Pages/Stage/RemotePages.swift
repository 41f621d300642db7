import Contract
import HTTPAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import QRCodes
import StrictJSON

/// The remote with which a host changes the slide on all open stages of a meeting.
struct RemotePages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/meetings/{id}/remote", get: { try await view(context(of: $0)) }, post: apply),
            PageRoute("/meetings/{id}/remote.svg", get: code),
        ]
    }

    /// Throws the error page for viewers, who may open the stage but not change it.
    private func context(of page: PageRequest) async throws -> MeetingContext {
        let context = try await MeetingContext(page)
        guard context.canEdit else { throw PageError(.forbidden, code: "forbidden") }
        return context
    }

    /// The QR code with which a phone opens the remote. The phone signs in first, as it does at any page of hosts.
    private func code(_ page: PageRequest) async throws -> PageResponse {
        let context = try await context(of: page)
        let code = try QRCode(RemoteInvitation.address(context))
        let body = ByteBuffer(
            string: code.svg(title: page.texts("remote.title", ["title": context.meeting.title])))
        let headers: HTTPFields = [
            .contentType: MediaType.svg, .contentLength: String(body.readableBytes), .cacheControl: "no-store",
            .contentSecurityPolicy: ResponsePolicy.chart,
        ]
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        return PageResponse(relayed: page.kit.secured(response))
    }

    private func view(_ context: MeetingContext, _ error: FormError? = nil) async throws -> PageResponse {
        let page = context.page
        let results = try await context.reader.results(of: context.details)
        let remote = RemoteView(page.query, of: results, decided: try await decided(context), context)
        let form = StageForm(context)
        let (slide, number) = (remote.slide, remote.index + 1)
        let model = RemotePage(
            title: page.texts("remote.title", ["title": context.meeting.title]), alert: error?.alert,
            heading: context.meeting.title, meetingPath: context.path, address: page.path + remote.query,
            livePath: context.path + "/live", revision: results.revision, phase: form.phase, closing: form.closing,
            withheld: ResultsQuestions.withheld(results, isShut: context.isShut, page),
            position: "\(number) / \(remote.slides.count)", slideTitle: slide.title, answered: slide.answered,
            slides: remote.slides.map { .init(name: $0.name, title: $0.title, isCurrent: $0.name == slide.name) },
            hasPrevious: number > 1, hasNext: number < remote.slides.count, isBlank: remote.view.blank,
            canCompare: context.meeting.round > 1, isComparing: remote.view.comparing, hasWords: slide.hasWords,
            showsWords: remote.view.words, actions: form.actions(at: "remote"),
            liveScript: page.kit.files.address("host.js"),
            countdownScript: page.kit.files.address("countdown.js"), script: page.kit.files.address("remote.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    private func decided(_ context: MeetingContext) async throws -> ShownDecisions? {
        ShownDecisions(try await context.reader.decisions(of: context.details).previous, context.page.texts)
    }

    /// Applies a button of the remote, or one of the countdown. The redirect leads to the new view.
    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let context = try await context(of: page)
        do {
            try context.session.checkCSRF()
            let results = try await context.reader.results(of: context.details)
            var remote = RemoteView(page.query, of: results, decided: try await decided(context), context)
            if let minutes = page.fields["minutes"] {
                try await StageForm(context).close(afterMinutes: Int(minutes))
            } else {
                guard remote.apply(page.fields["act"] ?? "") else { throw PageError(.badRequest) }
                try await context.session.send(
                    .post, context.source + "/stage", JSONValue(encoding: remote.view))
            }
            return .redirect(to: page.path + remote.query)
        } catch let error as FormError {
            return try await view(context, error)
        }
    }
}

/// Leads from a computer to the remote on a phone, by a link and its QR code.
struct RemoteInvitation: TemplateValues {
    var address: String
    var unreachable: UnreachableAddress?

    /// Nil for viewers, who may not change the stage.
    init?(_ context: MeetingContext) {
        guard context.canEdit else { return nil }
        (address, unreachable) = (Self.address(context), context.page.unreachable)
    }

    static func address(_ context: MeetingContext) -> String {
        context.page.kit.options.publicURL + context.path + "/remote"
    }
}

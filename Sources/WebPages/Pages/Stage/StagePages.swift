import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// Presents a meeting on a projector: the code, then each question. The slides show nothing that is meant for the host
/// alone.
struct StagePages: Sendable {
    /// The numbers of minutes after which a host can let the form close.
    private static let closingMinutes = [1, 2, 5]
    /// The largest number of texts on a slide.
    private static let maxTexts = 24

    var routes: [PageRoute] {
        [
            PageRoute("/meetings/{id}/stage", get: { try await view(MeetingContext($0)) }, post: closeLater),
            PageRoute("/meetings/{id}/screen", get: redirect),
        ]
    }

    /// Redirects from the former path to the present one.
    private func redirect(_ page: PageRequest) throws -> PageResponse {
        _ = try HostSession(page)
        return .redirect(to: "/meetings/\(page.safeParameter("id"))/stage")
    }

    private func view(_ context: MeetingContext, _ error: FormError? = nil) async throws -> PageResponse {
        let results = try await context.reader.results(of: context.details)
        return try await context.page.kit.largePages.make(isLarge: LargePages.isLarge(results), for: context.page) {
            context.page.page(try await model(results, context, error), status: error?.status ?? .ok)
        }
    }

    private func model(_ results: Results, _ context: MeetingContext, _ error: FormError?) async throws -> StagePage {
        let (page, form) = (context.page, context.form)
        let parts = try await ResultsQuestions(
            results: results, source: context.source + "/results", authorization: context.authorization, page: page,
            questions: form.definition.questions, hostContext: context, textsForHosts: .released(max: Self.maxTexts)
        ).parts()
        let isOpen = form.state == "open"
        return StagePage(
            title: page.texts("stage.title", ["title": context.meeting.title]), alert: error?.alert,
            heading: context.meeting.title,
            meetingPath: context.path, livePath: context.path + "/live", revision: results.revision,
            phase: context.isShut ? "closed" : isOpen ? "open" : "before", code: code(context),
            lead: lead(context), closing: isOpen ? form.closesAt.map { closing($0, context) } : nil,
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            withheld: ResultsQuestions.withheld(results, isShut: context.isShut, page),
            slides: parts.filter { !$0.numbers.isRetired }.map { .init($0, page.texts) },
            ending: context.isShut ? .init(headlines: ResultsBrief.lines(results, page)) : nil,
            canClose: context.canEdit && isOpen, canReopen: context.canEdit && form.state == "closed",
            canPublish: context.canEdit && form.state == "draft" && !form.definition.questions.isEmpty,
            liveScript: page.kit.files.address("host.js"), script: page.kit.files.address("stage.js"))
    }

    private func code(_ context: MeetingContext) -> StagePage.Code? {
        guard !context.isShut, context.form.definition.identity != "attendee" else { return nil }
        let url = context.page.kit.options.publicURL
        return .init(
            address: url.split(separator: "//", maxSplits: 1).last.map(String.init) ?? url,
            joinCode: context.form.joinCode)
    }

    private func lead(_ context: MeetingContext) -> String {
        let (form, texts) = (context.form, context.page.texts)
        switch form.state {
        case "draft": return texts("stage.before")
        case "scheduled":
            return form.opensAt.map {
                texts("stage.opens", ["time": context.clock.text($0, in: context.page.language)])
            } ?? texts("stage.before")
        case "open": return texts(form.definition.identity == "attendee" ? "stage.personal" : "stage.open")
        default: return texts("stage.closed")
        }
    }

    private func closing(_ date: Date, _ context: MeetingContext) -> StagePage.Closing {
        .init(
            sentence: context.page.texts(
                "stage.closes", ["time": context.clock.text(date, in: context.page.language)]),
            time: RFC3339.format(date))
    }

    /// Lets the form close after the chosen number of minutes. Its grace period follows, as after every timed close.
    private func closeLater(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        do {
            try context.session.checkCSRF()
            try await close(context, after: page.fields["minutes"].flatMap(Int.init))
            return .redirect(to: page.path)
        } catch let error as FormError {
            return try await view(context, error)
        }
    }

    private func close(_ context: MeetingContext, after minutes: Int?) async throws {
        guard let minutes, Self.closingMinutes.contains(minutes) else { throw PageError(.badRequest) }
        let (page, path) = (context.page, context.source + "/form")
        let saved = try await page.send(.get, path, as: context.authorization)
        try context.session.check(saved)
        let form: Form = try saved.decoded()
        // The form may have closed since the page was shown.
        guard form.state == "open" else { return }
        var definition = form.definition
        definition.closes = .instant(Date() + Double(minutes) * 60)
        let response = try await page.send(
            .put, path, as: context.authorization, json: JSONValue(encoding: definition),
            headers: [.ifMatch: saved.headers[.eTag] ?? "*"])
        try context.session.check(response)
    }
}

import Contract
import HTTPAPI
import HTTPTypes

/// Presents a meeting on a projector: the code, then each question. The slides show nothing that is meant for the host
/// alone.
struct StagePages: Sendable {
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
        let (page, form) = (context.page, StageForm(context))
        let parts = try await ResultsQuestions(
            results: results, texts: page.texts, questions: context.form.definition.questions.expanded,
            host: context.host,
            textsForHosts: .released(max: StageSlide.maxTexts)
        ).parts()
        let words = try await words(results, context)
        let path = context.path + "/stage"
        return StagePage(
            title: page.texts("stage.title", ["title": context.meeting.title]), alert: error?.alert,
            heading: context.meeting.title, meetingPath: context.path, address: path,
            livePath: context.path + "/live", revision: results.revision, phase: form.phase, code: code(context),
            lead: form.lead, closing: form.closing,
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            withheld: ResultsQuestions.withheld(results, isShut: context.isShut, page),
            decided: ShownDecisions(
                try await context.reader.decisions(of: context.details).previous, page.texts),
            slides: ResultsQuestions.groups(parts.filter { !$0.numbers.isRetired }).flatMap { group in
                if let grid = group[0].grid { return [StageSlide(grid)] }
                return group.map { part in
                    StageSlide(part, words?.key == part.result.key ? words?.cloud : nil, at: path, page.texts)
                }
            },
            ending: context.isShut ? .init(headlines: StagePage.Headline.first(results, page.texts)) : nil,
            actions: form.actions(at: "stage"), hasRemote: context.canEdit,
            liveScript: page.kit.files.address("host.js"),
            countdownScript: page.kit.files.address("countdown.js"), script: page.kit.files.address("stage.js"))
    }

    private func code(_ context: MeetingContext) -> StagePage.Code? {
        guard !context.isShut, context.form.definition.identity != "attendee" else { return nil }
        let url = context.page.kit.options.publicURL
        return .init(
            address: url.split(separator: "//", maxSplits: 1).last.map(String.init) ?? url,
            joinCode: context.form.joinCode)
    }

    /// The words of the question that the address names. Nil if its texts are not released to participants, or if the
    /// words cannot be counted now.
    private func words(
        _ results: Results, _ context: MeetingContext
    ) async throws -> (key: String, cloud: WordCloud)? {
        guard let key = context.page.query["words"],
            results.questions.contains(where: { $0.key == key && $0.showsTexts })
        else { return nil }
        // Hidden texts are not counted.
        let response = try await context.page.send(
            .get, "\(context.source)/results/\(key)/terms?limit=\(WordCloud.maxWords)", as: context.authorization)
        guard response.status == .ok, let cloud = WordCloud(try response.decoded(), context.page.texts) else {
            return nil
        }
        return (key, cloud)
    }

    private func closeLater(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        do {
            try context.session.checkCSRF()
            try await StageForm(context).close(afterMinutes: page.fields["minutes"].flatMap(Int.init))
            return .redirect(to: page.path)
        } catch let error as FormError {
            return try await view(context, error)
        }
    }
}

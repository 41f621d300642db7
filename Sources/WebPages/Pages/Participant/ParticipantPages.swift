import Contract
import HTTPTypes
import NIOCore
import StrictJSON

/// The pages on which participants answer a form, correct or withdraw their answers, and see the results.
struct ParticipantPages: Sendable {
    /// More than the largest valid submission, percent-encoded. A submission that is slightly too large is still read,
    /// so that the participant can shorten it.
    private static let maxBytes = 2 * 1024 * 1024

    private let forms = OpenedForms()
    private let renderedResults = RenderedPages<ResultsPage.Contents>()

    var routes: [PageRoute] {
        [
            PageRoute("/f/{code}", get: show, post: send, maxBytes: Self.maxBytes),
            PageRoute("/f/{code}/sent", get: sent),
            PageRoute("/f/{code}/edit", get: edit, post: correct, maxBytes: Self.maxBytes),
            PageRoute("/f/{code}/withdraw", post: withdraw),
            PageRoute("/f/{code}/withdrawn", get: withdrawn),
            PageRoute("/f/{code}/next", post: next),
            PageRoute("/f/{code}/results", get: results),
            PageRoute("/f/{code}/live", get: live, isStreamed: true),
        ]
    }

    // MARK: Reading

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        if let token = page.query["t"] {
            // The address is visible and may be shared, so the token moves to a cookie.
            context.remember(person: token)
            return .redirect(to: context.path)
        }
        let opened = try await forms.form(of: context)
        let form = opened.form
        if form.code != page.parameter("code") { return .redirect(to: "/f/\(form.code)") }
        if context.receipt != nil { return .redirect(to: context.path + "/sent") }
        if form.state == "open", form.isOnceOnly, context.hasWithdrawn {
            return .redirect(to: context.path + "/withdrawn")
        }
        let sheet = FormSheet(form)
        guard form.state == "open", form.identity != "attendee" else { return try await view(opened, sheet, context) }
        // Sets the device key before the first submission, so that two concurrent submissions have the same key.
        _ = context.respondent(form)
        guard let (rendered, values) = try await forms.page(of: opened, sheet, context) else {
            return try await view(opened, sheet, context)
        }
        var response = Self.framed(PageResponse(reused: (rendered.page, values)), form)
        // Browsers may reuse the page of a form that is limited to one submission for each device. The validator leaves
        // out the idempotency key and the mask of the CSRF token, which are new in each response. Other pages are not
        // reused: a form without a limit needs a new key each time, and the page of a personal link is for one person.
        if form.identity == "device" {
            response.validator = rendered.digest + CSRFGuard.unmasked(page.csrfToken) + context.draftName
        }
        return response
    }

    /// The form, or the reason why it can't be filled in.
    private func view(
        _ opened: OpenedForms.Opened, _ sheet: FormSheet, _ context: FormContext, isCorrection: Bool = false,
        alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let (form, page) = (opened.form, context.page)
        guard form.state == "open" else {
            return Self.framed(page.page(ClosedFormPage(form, sheet, page, alert: alert), status: status), form)
        }
        var holder: (name: String, hasAnswered: Bool)?
        if form.identity == "attendee" {
            if !isCorrection, context.person == nil {
                return page.page(PersonalFormPage(title: form.title, text: page.texts("shut.personal")))
            }
            holder = try await context.holder(of: form)
        }
        // What was typed on another device stays on the page.
        if let holder, holder.hasAnswered, !isCorrection, alert == nil {
            let text = page.texts("shut.answered", ["name": holder.name])
            return page.page(PersonalFormPage(title: form.title, text: text))
        }
        return try await page.kit.largePages.make(isLarge: opened.isLarge || page.hasLargeBody, for: page) {
            var model = FormPage(form, opened.staged, sheet, context, isCorrection: isCorrection, alert: alert)
            model.holder = holder.map {
                page.texts(form.anonymous ? "form.holder-anonymous" : "form.holder", ["name": $0.name])
            }
            return Self.framed(page.page(model, status: status), form)
        }
    }

    /// Lets other sites frame the page, unless the form requires personal links.
    private static func framed(_ response: PageResponse, _ form: PublicForm) -> PageResponse {
        var response = response
        response.isPublicForm = form.identity != "attendee"
        return response
    }

    // MARK: Answering

    private func send(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        let opened = try await forms.form(of: context)
        let form = opened.form
        var sheet = FormSheet(form, from: page.fields)
        guard CSRFGuard.admits(page) else {
            return try await view(opened, sheet, context, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        if let turned = try await turned(&sheet, opened, context) { return turned }
        let response = try await page.send(
            .post, "\(context.apiPath)/submissions", as: context.respondent(form), json: sheet.submission,
            headers: [.idempotencyKey: sheet.key])
        switch response.status {
        case .created:
            context.remember(try response.decoded(SubmissionReceipt.self), isShared: !form.isOnceOnly)
            // Without cookies, the next page cannot detect that a submission was stored.
            let keepsCookies = CSRFGuard.hasCookie(page)
            return .redirect(to: context.path + (keepsCookies ? "/sent" : "/sent?stored"))
        case .gone where form.isOnceOnly: return withdrawnPage(form, context, showing: sheet)
        case .gone:
            // The submission was withdrawn. It is sent again only if the participant presses the button a second time.
            sheet.renewKey()
            return try await view(
                opened, sheet, context, alert: page.texts("form.withdrawn-earlier"), status: .gone)
        default: return try await refusalPage(response, opened, sheet, context)
        }
    }

    /// The next part of a form whose questions depend on answers, or the previous one, if a button asked for it. If the
    /// answers are to be sent, removes those to questions that are not asked, and returns nil.
    ///
    /// If the form has changed since the page was made, the API judges the answers by the version that the participant
    /// saw.
    private func turned(
        _ sheet: inout FormSheet, _ opened: OpenedForms.Opened, _ context: FormContext, isCorrection: Bool = false
    ) async throws -> PageResponse? {
        guard let staged = opened.staged else { return nil }
        guard let direction = context.page.fields["go"] else {
            if sheet.version == opened.form.version { sheet.keep(staged.asked(sheet.submission["answers"])) }
            return nil
        }
        sheet.version = opened.form.version
        sheet.turn(direction, in: staged)
        return try await view(
            opened, sheet, context, isCorrection: isCorrection,
            alert: sheet.faults.isEmpty ? nil : context.page.texts("form.look-again"),
            status: sheet.faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// Shows why the API has refused the answers and keeps what was typed, even if the form has closed meanwhile.
    private func refusalPage(
        _ response: InnerAPI.CollectedResponse, _ opened: OpenedForms.Opened, _ sheet: FormSheet,
        _ context: FormContext, isCorrection: Bool = false
    ) async throws -> PageResponse {
        var (opened, sheet, alert) = (opened, sheet, context.page.texts("form.look-again"))
        if response.status == .unprocessableContent {
            sheet.faults = response.problem?.errors ?? []
            if let staged = opened.staged { show(&sheet, opened.form, staged, context, &alert) }
        } else {
            (opened, alert) = (try await forms.form(of: context), context.page.sentence(PageError(response)))
        }
        return try await view(opened, sheet, context, isCorrection: isCorrection, alert: alert, status: response.status)
    }

    /// Shows the first part with a fault. Answers to an earlier version are judged again by the newest one, whose
    /// questions the page shows.
    private func show(
        _ sheet: inout FormSheet, _ form: PublicForm, _ staged: StagedForm, _ context: FormContext,
        _ alert: inout String
    ) {
        if sheet.version != form.version {
            (sheet.version, sheet.stage, sheet.faults) = (form.version, 0, [])
            alert = context.page.texts("fault.outdated-version")
        }
        sheet.showFirstFault(in: staged)
    }

    private func sent(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        let form = try await forms.form(of: context).form
        var model = SentFormPage(form, context, isCorrection: page.query["changed"] != nil)
        guard let receipt = context.receipt else {
            // A browser without cookies has no receipt, but gets the confirmation too.
            guard page.query["stored"] != nil else { return .redirect(to: context.path) }
            model.explain(form, page, canChange: false, isKnown: false)
            return Self.framed(page.page(model), form)
        }
        let response = try await page.send(.get, context.submissionPath(receipt), as: receipt.authorization)
        switch response.status {
        case .gone:
            context.rememberWithdrawal(isShared: !form.isOnceOnly)
            return .redirect(to: context.path + "/withdrawn")
        case .notFound:
            // The receipt is no longer valid. It is unknown whether this browser may answer again.
            context.forget()
            var withdrawn = WithdrawnFormPage(form, context)
            (withdrawn.isFinal, withdrawn.canAnswer) = (false, form.state == "open")
            return Self.framed(page.page(withdrawn), form)
        default: break
        }
        let isKnown = response.status == .ok
        model.explain(form, page, canChange: isKnown && form.state == "open", isKnown: isKnown)
        model.isShared = !form.isOnceOnly
        return Self.framed(page.page(model), form)
    }

    /// Deletes the receipt, so that the next person on a shared device can answer.
    private func next(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        guard CSRFGuard.admits(page) else { return .redirect(to: context.path + "/sent") }
        context.forget()
        return .redirect(to: context.path)
    }

    // MARK: Correcting and withdrawing

    private func edit(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        let opened = try await forms.form(of: context)
        guard let receipt = context.receipt else { return .redirect(to: context.path) }
        let response = try await page.send(.get, context.submissionPath(receipt), as: receipt.authorization)
        guard response.status == .ok else { return .redirect(to: context.path + "/sent") }
        let sheet = FormSheet(opened.form, from: try response.decoded(Submission.self))
        return try await view(opened, sheet, context, isCorrection: true)
    }

    private func correct(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        let opened = try await forms.form(of: context)
        guard let receipt = context.receipt else { return .redirect(to: context.path) }
        var sheet = FormSheet(opened.form, from: page.fields)
        guard CSRFGuard.admits(page) else {
            return try await view(
                opened, sheet, context, isCorrection: true, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        if let turned = try await turned(&sheet, opened, context, isCorrection: true) { return turned }
        let response = try await page.send(
            .put, context.submissionPath(receipt), as: receipt.authorization, json: sheet.submission)
        switch response.status {
        case .ok: return .redirect(to: context.path + "/sent?changed")
        case .gone: return withdrawnPage(opened.form, context, showing: sheet)
        default: return try await refusalPage(response, opened, sheet, context, isCorrection: true)
        }
    }

    private func withdraw(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        guard let receipt = context.receipt, CSRFGuard.admits(page) else {
            return .redirect(to: context.path + "/sent")
        }
        let response = try await page.send(.delete, context.submissionPath(receipt), as: receipt.authorization)
        guard response.status == .noContent || response.status == .gone else { throw PageError(response) }
        let form = try await forms.form(of: context).form
        context.rememberWithdrawal(isShared: !form.isOnceOnly)
        return .redirect(to: context.path + "/withdrawn")
    }

    private func withdrawn(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        let form = try await forms.form(of: context).form
        if context.receipt != nil { return .redirect(to: context.path + "/sent") }
        guard context.hasWithdrawn else { return .redirect(to: context.path) }
        return Self.framed(page.page(WithdrawnFormPage(form, context)), form)
    }

    /// Says that the submission was withdrawn, and shows the typed answers for copying.
    private func withdrawnPage(_ form: PublicForm, _ context: FormContext, showing sheet: FormSheet) -> PageResponse {
        context.rememberWithdrawal(isShared: !form.isOnceOnly)
        let model = WithdrawnFormPage(form, context, showing: sheet)
        return Self.framed(context.page.page(model, status: .gone), form)
    }

    // MARK: Results

    private func results(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        let form = try await forms.form(of: context).form
        let resultsPath = context.apiPath + "/results"
        var authorization = context.receipt?.authorization
        var response = try await page.send(.get, resultsPath, as: authorization)
        if response.status == .notFound || response.status == .gone, authorization != nil {
            // The receipt is no longer valid, so the results are requested without it.
            if response.status == .gone {
                context.rememberWithdrawal(isShared: !form.isOnceOnly)
            } else {
                context.forget()
            }
            authorization = nil
            response = try await page.send(.get, resultsPath)
        }
        guard response.status == .ok else { throw PageError(response) }
        let contents = ResultsPage.Contents(
            source: resultsPath, response, version: form.version, title: form.title, isShut: form.state != "open",
            live: context.path + "/live", back: context.path)
        let path = context.path + "/results"
        let resultsPage = try await renderedResults.results(contents, at: path, for: page, from: response) { results in
            ResultsQuestions(
                results: results, texts: page.texts, questions: form.questions,
                released: ReleasedTexts(page: page, source: resultsPath, authorization: authorization))
        }
        return Self.framed(resultsPage, form)
    }

    /// The event stream for the page of results. It goes on when the receipt on a shared screen has expired.
    private func live(_ page: PageRequest) async throws -> PageResponse {
        let context = FormContext(page)
        return try await page.relayChanges(context.apiPath + "/live", as: context.receipt?.authorization)
    }
}

extension PublicForm {
    /// Whether each respondent may answer only once, even after a withdrawal.
    var isOnceOnly: Bool { identity != "open" }
}

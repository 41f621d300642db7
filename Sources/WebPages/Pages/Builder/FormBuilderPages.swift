import Contract
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The form builder. It works without JavaScript: each button submits the page and keeps what was typed.
struct FormBuilderPages: Sendable {
    /// Room for 100 questions with 50 options each, percent-encoded.
    private static let maxBytes = 8 * 1024 * 1024
    /// The largest size of all values, decoded, in bytes. A form that can be saved has less, and the page that shows them
    /// again is several times as large.
    private static let maxValueBytes = 3 << 20
    /// Room for the ids and labels of these options, and for the other fields.
    private static let maxFields = 16_000
    /// The largest number of options and tests that are shown again to a visitor who is not signed in. Rendering each
    /// takes time.
    private static let maxOptionsWithoutSession = 500
    /// The number of attempts to save a form with different keys for its new questions.
    private static let maxAttempts = 4
    /// The largest number of saved templates that an empty form offers.
    private static let maxTemplates = 20

    var routes: [PageRoute] {
        let path = "/meetings/{id}/form"
        return [
            PageRoute(
                path, get: show, post: submit, maxBytes: Self.maxBytes, maxFields: Self.maxFields, needsSession: true),
            PageRoute(
                path + "/preview", get: previewSaved, post: previewTyped, maxBytes: Self.maxBytes,
                maxFields: Self.maxFields, needsSession: true),
        ]
    }

    /// Throws 413 for a form that is too large to be saved.
    private static func checkSize(of page: PageRequest) throws {
        guard page.fields.valueBytes <= maxValueBytes else {
            throw PageError(.contentTooLarge, detail: page.texts("problem.still-there"))
        }
    }

    /// Reads the stored form, its meeting, and the form's ETag.
    private func read(_ session: HostSession) async throws -> (BuilderState.Saved, tag: String) {
        let meetingPath = MeetingPages.apiPath(session.page)
        let (form, tag) = try await session.getTagged(meetingPath + "/form", Form.self)
        let list = try await session.page.send(.get, meetingPath + "/attendees?limit=1", as: session.authorization)
        let attendees = list.status == .ok ? try list.decoded(Page<Attendee>.self).items : []
        let meeting: Meeting = try await session.get(meetingPath)
        return (BuilderState.Saved(form: form, meeting: meeting, hasAttendees: !attendees.isEmpty), tag)
    }

    /// Adds the saved templates, which a form without questions offers.
    private func addTemplates(to state: inout BuilderState, _ session: HostSession) async throws {
        guard state.builder.questions.isEmpty else { return }
        state.saved?.templates = try await session.reader().templateNames(limit: Self.maxTemplates)
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let (saved, tag) = try await read(session)
        try await session.requireEditor(of: saved.meeting)
        let builder = FormBuilder(saved.form.definition, zone: saved.zone)
        var state = BuilderState(page: page, builder: builder, saved: saved, tag: tag)
        try await addTemplates(to: &state, session)
        return try await view(state)
    }

    private func view(_ state: BuilderState, status: HTTPResponse.Status = .ok) async throws -> PageResponse {
        return try await state.page.kit.largePages.make(
            isLarge: state.page.hasLargeBody || LargePages.isLarge(options: state.builder.optionsAndTests),
            for: state.page
        ) {
            state.page.page(state.model, status: status)
        }
    }

    private func submit(_ page: PageRequest) async throws -> PageResponse {
        try Self.checkSize(of: page)
        var state = BuilderState(
            page: page, builder: FormBuilder(page.fields), saved: nil, tag: page.fields["tag"] ?? "", isChanged: true)
        let session: HostSession
        let saved: BuilderState.Saved
        do {
            session = try HostSession(page)
            saved = try await read(session).0
        } catch let redirect as PageRedirect {
            guard state.builder.optionsAndTests <= Self.maxOptionsWithoutSession else { throw redirect }
            // The host can sign in in another tab and send the form again.
            state.alert = page.texts("builder.signed-out")
            return try await view(state, status: .unauthorized)
        }
        try await session.requireEditor(of: saved.meeting)
        state.saved = saved
        guard CSRFGuard.admits(page) else {
            state.alert = page.texts("form.open-too-long")
            return try await view(state, status: .forbidden)
        }
        if let button = page.fields["act"], button != "save" {
            let removed = Self.removedQuestion(button, state.builder)
            let begun = try await insertTemplate(button, &state.builder, session)
            state.effect = begun ?? state.builder.apply(button)
            if button == "add:nps", state.effect != nil { state.builder.fillLastNPS(page.texts) }
            if state.effect?.message == "said-removed", let removed, state.hasAnswers(to: removed) {
                state.effect?.message = "said-removed-answered"
            }
            state.builder.addLines()
            state.builder.markIfNeeded()
            try await addTemplates(to: &state, session)
            return try await view(state)
        }
        state.builder.addLines()
        state.builder.markIfNeeded()
        let response = try await save(state.builder, over: saved, tag: state.tag, session)
        if response.status == .ok { return page.done("form-saved", at: "/meetings/\(page.parameter("id"))") }
        // These three errors are handled as on other pages. After any other error, what was typed stays on the page.
        if [.unauthorized, .forbidden, .notFound].contains(response.status) { try session.check(response) }
        state.faults = response.problem?.errors ?? []
        state.alert = state.faults.isEmpty ? page.sentence(PageError(response)) : page.texts("builder.look-again")
        return try await view(state, status: response.status)
    }

    /// The key of the question that a button like `remove:2` removes. Nil for other buttons and for new questions.
    private static func removedQuestion(_ button: String, _ builder: FormBuilder) -> String? {
        guard button.hasPrefix("remove:"), let index = Int(button.dropFirst("remove:".count)),
            builder.questions.indices.contains(index)
        else { return nil }
        return builder.questions[index].key.nonEmpty
    }

    /// Inserts the questions of a template into an empty form, for a button with a value like `begin:retro`. Nil for
    /// other buttons.
    private func insertTemplate(
        _ button: String, _ builder: inout FormBuilder, _ session: HostSession
    ) async throws -> FormBuilder.Effect? {
        guard button.hasPrefix("begin:"), builder.questions.isEmpty else { return nil }
        let name = String(button.dropFirst("begin:".count))
        if let template = FormTemplate(rawValue: name) {
            builder.questions = template.questions(session.page.texts).map(FormBuilder.Question.init)
        } else if let id = ResourceID(name), let saved = try await session.reader().template(id) {
            builder.questions = saved.questions.map(FormBuilder.Question.init)
            if builder.intro.isEmpty { builder.intro = saved.intro ?? "" }
        } else {
            return nil
        }
        builder.undos = []
        return FormBuilder.Effect(focus: .question(0), message: "said-begun", count: builder.questions.count)
    }

    /// Saves the form. If the API refuses the key of a new question, another key is tried.
    private func save(
        _ builder: FormBuilder, over saved: BuilderState.Saved, tag: String, _ session: HostSession
    ) async throws -> InnerAPI.CollectedResponse {
        var builder = builder
        // In later rounds, option ids link the answers to those of earlier rounds, so they must not change.
        if saved.meeting.round == 1, saved.meeting.submissions == 0 {
            builder.renewOptionIDs(comparedWith: saved.form.definition.questions)
        }
        let known = saved.form.definition.questions
        var taken = Set(known.map(\.key) + known.expanded.map(\.key))
        var attempt = 1
        while true {
            let definition = builder.definition(zone: saved.zone, avoiding: taken)
            let response = try await session.page.send(
                .put, MeetingPages.apiPath(session.page) + "/form", as: session.authorization, json: definition,
                headers: [.ifMatch: tag])
            let refused = Self.refusedKeys(response, of: builder, definition)
            if refused.isEmpty || attempt == Self.maxAttempts { return response }
            taken.formUnion(refused)
            attempt += 1
        }
    }

    /// The keys of new questions that the API refuses, because they are reserved or belonged to another question.
    private static func refusedKeys(
        _ response: InnerAPI.CollectedResponse, of builder: FormBuilder, _ definition: JSONValue
    ) -> [String] {
        guard response.status == .unprocessableContent, let questions = definition["questions"]?.array else {
            return []
        }
        let faults = response.problem?.errors ?? []
        return builder.questions.indices.filter { builder.questions[$0].isNew }.filter { index in
            faults.contains {
                $0.pointer.hasPrefix("/questions/\(index)/")
                    && ["reserved-key", "fixed-once-published", "fixed-after-answers", "label-of-another-option"]
                        .contains($0.code)
            }
        }.compactMap { questions[$0]["key"]?.string }
    }

    // MARK: Preview

    private func previewSaved(_ page: PageRequest) async throws -> PageResponse {
        let saved = try await read(HostSession(page)).0
        return try await preview(
            page, saved, saved.form.definition, questions: saved.form.definition.questions.expanded)
    }

    /// Previews what is typed in the fields, whether it is saved or not.
    private func previewTyped(_ page: PageRequest) async throws -> PageResponse {
        // The builder explains the error and keeps what was typed.
        guard CSRFGuard.admits(page) else { return try await submit(page) }
        try Self.checkSize(of: page)
        let session = try HostSession(page)
        let saved = try await read(session).0
        try await session.requireEditor(of: saved.meeting)
        var builder = FormBuilder(page.fields)
        builder.addLines()
        var body = FormBody(questions: [])
        (body.title, body.intro) = (builder.title, builder.intro.nonEmpty)
        (body.identity, body.anonymous, body.showResults) = (builder.identity, builder.anonymous, builder.showResults)
        (body.minimumGroup, body.oneByOne) = (builder.group, builder.oneByOne)
        return try await preview(
            page, saved, body,
            questions: builder.questions.indices.map { builder.questions[$0].preview(key: "q\($0)") }.expanded)
    }

    private func preview(
        _ page: PageRequest, _ saved: BuilderState.Saved, _ body: FormBody, questions: [QuestionBody]
    ) async throws -> PageResponse {
        let title = body.title?.nonEmpty ?? saved.meeting.title
        let form = PublicForm(
            code: saved.form.code, title: title, intro: body.intro, identity: body.identity ?? "open",
            anonymous: body.anonymous ?? false, minimumGroup: body.minimumGroup,
            showResults: body.showResults ?? "never", oneByOne: body.oneByOne ?? false, state: saved.form.state,
            version: saved.form.version, opensAt: nil, closesAt: nil, retentionDays: saved.form.retentionDays,
            answersDeleteAt: saved.form.answersDeleteAt, questions: questions)
        let sheet = FormSheet(form)
        let isLarge = page.hasLargeBody || LargePages.isLarge(questions: questions)
        return try await page.kit.largePages.make(isLarge: isLarge, for: page) {
            var shown = questions.map { FormQuestion($0, sheet, page) }
            shown.addGridHeads(questions)
            return page.page(
                FormPreviewPage(
                    title: title, heading: FormHeading(form, page), questions: shown, isOneByOne: form.oneByOne,
                    back: "/meetings/\(page.parameter("id"))/form", send: page.texts("form.send")))
        }
    }
}

/// The form as participants see it; nothing can be sent.
struct FormPreviewPage: PageModel {
    static let template = "host-preview"
    var title: String
    var heading: FormHeading
    var questions: [FormQuestion]
    /// Whether participants see one question at a time, unlike here.
    var isOneByOne: Bool
    /// The path of the builder.
    var back: String
    /// The label of the button.
    var send: String
}

extension FormBuilder {
    /// Adds the options that are typed in the fields for several options.
    fileprivate mutating func addLines() {
        for index in questions.indices { questions[index].addLines() }
    }

    /// Gives the last question the usual text and labels of a recommendation, in the page's language.
    fileprivate mutating func fillLastNPS(_ texts: PageTexts) {
        guard let last = questions.indices.last else { return }
        questions[last].title = texts("template.recommend")
        questions[last].minLabel = texts("template.recommend-min")
        questions[last].maxLabel = texts("template.recommend-max")
    }
}

extension FormBuilder.Question {
    /// The question as participants see it, with the service's defaults for numbers that can't be parsed.
    func preview(key: String) -> QuestionBody {
        var body = QuestionBody(key: key, kind: kind, title: title, required: required)
        body.description = description.nonEmpty
        // A scale begins at 0 or 1 and ends at 10 at most.
        let low = Swift.min(Swift.max(Int(min) ?? 1, 0), 1)
        (body.min, body.max) = (low, Swift.min(Swift.max(Int(max) ?? 5, low + 1), 10))
        (body.minLabel, body.maxLabel, body.abstain) = (minLabel.nonEmpty, maxLabel.nonEmpty, abstain.nonEmpty)
        body.options = sentOptions.map { QuestionBody.Option(id: "o\($0)", label: options[$0].label) }
        (body.multiple, body.other) = (multiple, other)
        (body.minSelections, body.maxSelections) = (Int(minSelections), Int(maxSelections))
        body.maxLength = Int(maxLength).map { Swift.min(Swift.max($0, 1), 10_000) }
        guard kind == "grid" else { return body }
        let labels = Self.labels(in: pointLabels).prefix(11 - low)
        if !labels.isEmpty { (body.labels, body.max) = (Array(labels), low + labels.count - 1) }
        body.statements = sentOptions.map { .init(key: "\(key)s\($0)", title: options[$0].label) }
        return body
    }
}

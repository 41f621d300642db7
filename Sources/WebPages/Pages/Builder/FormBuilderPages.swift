import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Where a host makes a form: it works by buttons alone, and each press keeps what was typed.
struct FormBuilderPages: Sendable {
    /// A hundred questions with fifty options each, percent-encoded.
    private static let mostBytes = 8 * 1024 * 1024
    /// How often a new question's key gives way to one that an older version or an export has.
    private static let mostNames = 4

    let kit: PageKit

    var routes: [PageRoute] {
        let path = "/meetings/{id}/form"
        return [
            PageRoute(path, get: show, post: press, mostBytes: Self.mostBytes),
            PageRoute(path + "/preview", get: previewSaved, post: previewTyped, mostBytes: Self.mostBytes),
        ]
    }

    private func read(_ visit: HostSession) async throws -> (BuilderPage.Saved, tag: String) {
        let source = MeetingPages.source(visit.page)
        let answer = try await visit.page.ask(.get, source + "/form", as: visit.authorization)
        try visit.check(answer)
        let list = try await visit.page.ask(.get, source + "/attendees?limit=1", as: visit.authorization)
        let listed = list.status == .ok ? try list.decoded(Page<Attendee>.self).items : []
        return (
            BuilderPage.Saved(
                form: try answer.decoded(), meeting: try await visit.get(source), isListed: !listed.isEmpty),
            answer.headers[.eTag] ?? ""
        )
    }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let (saved, tag) = try await read(visit)
        try await visit.requireEditor(of: saved.meeting)
        let builder = FormBuilder(saved.form.definition, zone: saved.zone)
        return answer(BuilderPage(page: page, builder: builder, saved: saved, tag: tag))
    }

    private func answer(_ page: BuilderPage, status: HTTPResponse.Status = .ok) -> PageAnswer {
        page.page.page("host-builder", page.values, status: status)
    }

    private func press(_ page: PageRequest) async throws -> PageAnswer {
        var view = BuilderPage(
            page: page, builder: FormBuilder(page.fields), saved: nil, tag: page.fields["tag"] ?? "", isChanged: true)
        let visit: HostSession
        let saved: BuilderPage.Saved
        do {
            visit = try HostSession(page)
            saved = try await read(visit).0
        } catch is PageRedirect {
            // Whoever signs in elsewhere and presses again has lost nothing.
            view.alert = page.texts("builder.signed-out")
            return answer(view, status: .unauthorized)
        }
        try await visit.requireEditor(of: saved.meeting)
        var builder = view.builder
        view = BuilderPage(page: page, builder: builder, saved: saved, tag: view.tag, isChanged: true)
        guard CSRFGuard.admits(page) else {
            view.alert = page.texts("form.open-too-long")
            return answer(view, status: .forbidden)
        }
        if let button = page.fields["act"], button != "save" {
            let effect = begin(button, &builder, page) ?? builder.press(button)
            return answer(
                BuilderPage(
                    page: page, builder: builder, saved: saved, tag: view.tag, effect: effect, isChanged: true))
        }
        let stored = try await save(builder, over: saved, tag: view.tag, visit)
        if stored.status == .ok { return page.done("form-saved", at: "/meetings/\(page.parameter("id"))") }
        // Whatever else is wrong, what was typed is not lost by it.
        if [.unauthorized, .forbidden, .notFound].contains(stored.status) { try visit.check(stored) }
        view.faults = stored.problem?.errors ?? []
        view.alert = view.faults.isEmpty ? page.sentence(PageError(stored)) : page.texts("builder.look-again")
        return answer(view, status: stored.status)
    }

    /// `begin:retro`: a template's questions, where there are none yet.
    private func begin(_ button: String, _ builder: inout FormBuilder, _ page: PageRequest) -> FormBuilder.Effect? {
        guard button.hasPrefix("begin:"), builder.questions.isEmpty,
            let template = FormTemplate(rawValue: String(button.dropFirst("begin:".count)))
        else { return nil }
        builder.questions = template.questions(page.texts).map(FormBuilder.Question.init)
        return FormBuilder.Effect(focus: .question(0), said: "said-begun", count: builder.questions.count)
    }

    /// Saves the form; where the name made for a new question is one that it cannot have, under another one.
    private func save(
        _ builder: FormBuilder, over saved: BuilderPage.Saved, tag: String, _ visit: HostSession
    ) async throws -> InnerAPI.Answer {
        var builder = builder
        // The questions of a later round are known by the answers of earlier ones.
        if saved.meeting.round == 1, saved.meeting.submissions == 0 {
            builder.nameOptionsAnew(since: saved.form.definition.questions)
        }
        var taken = Set(saved.form.definition.questions.map(\.key))
        var attempt = 1
        while true {
            let definition = builder.definition(zone: saved.zone, besides: taken)
            let answer = try await visit.page.ask(
                .put, MeetingPages.source(visit.page) + "/form", as: visit.authorization, json: definition,
                headers: [.ifMatch: tag])
            let refused = Self.refusedKeys(answer, of: builder, definition)
            if refused.isEmpty || attempt == Self.mostNames { return answer }
            taken.formUnion(refused)
            attempt += 1
        }
    }

    /// New keys that are reserved, or that another question had before.
    private static func refusedKeys(
        _ answer: InnerAPI.Answer, of builder: FormBuilder, _ definition: JSONValue
    ) -> [String] {
        guard answer.status == .unprocessableContent, let questions = definition["questions"]?.array else { return [] }
        let faults = answer.problem?.errors ?? []
        return builder.questions.indices.filter { builder.questions[$0].key.isEmpty }.filter { index in
            faults.contains {
                $0.pointer.hasPrefix("/questions/\(index)/")
                    && ["reserved-key", "fixed-once-published", "fixed-after-answers", "label-of-another-option"]
                        .contains($0.code)
            }
        }.compactMap { questions[$0]["key"]?.string }
    }

    // MARK: Preview

    private func previewSaved(_ page: PageRequest) async throws -> PageAnswer {
        let saved = try await read(HostSession(page)).0
        return preview(page, saved, saved.form.definition, questions: saved.form.definition.questions)
    }

    /// What stands in the fields, saved or not.
    private func previewTyped(_ page: PageRequest) async throws -> PageAnswer {
        // Back in the form, which says why and keeps what was typed.
        guard CSRFGuard.admits(page) else { return try await press(page) }
        let visit = try HostSession(page)
        let saved = try await read(visit).0
        try await visit.requireEditor(of: saved.meeting)
        let builder = FormBuilder(page.fields)
        var body = FormBody(questions: [])
        (body.title, body.intro) = (builder.title, builder.intro.isEmpty ? nil : builder.intro)
        (body.identity, body.anonymous, body.showResults) = (builder.identity, builder.anonymous, builder.showResults)
        body.minimumGroup = builder.group
        return preview(
            page, saved, body, questions: builder.questions.indices.map { builder.questions[$0].shown(as: "q\($0)") })
    }

    private func preview(
        _ page: PageRequest, _ saved: BuilderPage.Saved, _ body: FormBody, questions: [QuestionBody]
    ) -> PageAnswer {
        let title = body.title.flatMap { $0.isEmpty ? nil : $0 } ?? saved.meeting.title
        var form = PublicForm(
            code: saved.form.code, title: title, intro: body.intro, identity: body.identity ?? "open",
            anonymous: body.anonymous ?? false, minimumGroup: body.minimumGroup,
            showResults: body.showResults ?? "never", state: saved.form.state,
            version: saved.form.version, opensAt: nil, closesAt: nil, questions: questions)
        var values = FormPage.head(form, page)
        // Who looks at their own form is no device of it.
        form.identity = "open"
        values.merge(FormPage.body(form, FormSheet(form), page)) { _, new in new }
        values["isHost"] = true
        values["isEmpty"] = questions.isEmpty
        values["back"] = "/meetings/\(page.parameter("id"))/form"
        values["send"] = page.texts("form.send")
        return page.page("host-preview", values)
    }
}

extension FormBuilder.Question {
    /// As participants would see it; what cannot be read yet has the service's own.
    fileprivate func shown(as key: String) -> QuestionBody {
        var body = QuestionBody(key: key, kind: kind, title: title, required: required)
        body.description = description.isEmpty ? nil : description
        // No longer than the longest scale there is.
        let low = Swift.min(Swift.max(Int(min) ?? 1, 0), 1)
        (body.min, body.max) = (low, Swift.min(Swift.max(Int(max) ?? 5, low + 1), 10))
        body.minLabel = minLabel.isEmpty ? nil : minLabel
        body.maxLabel = maxLabel.isEmpty ? nil : maxLabel
        body.options = sentOptions.map { QuestionBody.Option(id: "o\($0)", label: options[$0].label) }
        (body.multiple, body.other) = (multiple, other)
        (body.minSelections, body.maxSelections) = (Int(minSelections), Int(maxSelections))
        body.maxLength = Int(maxLength)
        return body
    }
}

import Contract
import Cryptography
import Foundation
import HTTPTypes
import StrictJSON

/// A form as its participants meet it: read, answered, corrected, withdrawn.
struct ParticipantPages: Sendable {
    /// More than the largest submission percent-encoded, so that one that is a little too large comes back to be shortened.
    private static let mostBytes = 2 * 1024 * 1024

    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/f/{code}", get: show, post: send, mostBytes: Self.mostBytes),
            PageRoute("/f/{code}/sent", get: sent),
            PageRoute("/f/{code}/edit", get: edit, post: correct, mostBytes: Self.mostBytes),
            PageRoute("/f/{code}/withdraw", post: withdraw),
            PageRoute("/f/{code}/withdrawn", get: withdrawn),
            PageRoute("/f/{code}/next", post: next),
            PageRoute("/f/{code}/results", get: results),
        ]
    }

    // MARK: Reading

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        if let token = page.query["t"] {
            // Out of the address, which is shown and shared.
            visit.remember(person: token)
            return .redirect(to: visit.path)
        }
        let form = try await visit.form()
        if form.code != page.parameter("code") { return .redirect(to: "/f/\(form.code)") }
        if visit.receipt != nil { return .redirect(to: visit.path + "/sent") }
        if form.state == "open", form.isOnceOnly, visit.hasWithdrawn {
            return .redirect(to: visit.path + "/withdrawn")
        }
        let sheet = FormSheet(form)
        var answer = try await view(form, sheet, visit)
        // Every look at an open form brings a key of its own, and a personal link's page is for one person.
        if form.state == "open", form.identity == "device" {
            answer.validator = answer.html.replacing(sheet.key, with: "")
                .replacing(page.csrfToken, with: CSRFGuard.unmasked(page.csrfToken))
        }
        return answer
    }

    /// The form to fill in, or why it cannot be.
    private func view(
        _ form: PublicForm, _ sheet: FormSheet, _ visit: FormContext, alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = visit.page
        var values = FormPage.head(form, page)
        guard form.state == "open" else {
            values["title"] = form.title
            values["isEarly"] = form.state == "scheduled" || form.state == "draft"
            values["hasResults"] = form.showResults == "always" || form.showResults == "afterClose"
            values.merge(Self.kept(sheet, form)) { $1 }
            values["alert"] = alert
            return Self.framed(page.page("form-shut", values, status: status), form)
        }
        if form.identity == "attendee", visit.person == nil { return page.page("form-personal", values) }
        values.merge(FormPage.body(form, sheet, page)) { $1 }
        values["action"] = visit.path
        values["send"] = page.texts("form.send")
        values["alert"] = alert
        return Self.framed(page.page("form", values, status: status), form)
    }

    /// What was filled in, to be copied from a page without the form.
    private static func kept(_ sheet: FormSheet, _ form: PublicForm) -> [String: Any] {
        ["kept": sheet.lines(form), "hasKept": !sheet.isEmpty]
    }

    /// A form that everyone with its address may answer can stand within another site's page.
    private static func framed(_ answer: PageAnswer, _ form: PublicForm) -> PageAnswer {
        var answer = answer
        answer.isPublicForm = form.identity != "attendee"
        return answer
    }

    // MARK: Answering

    private func send(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        let form = try await visit.form()
        var sheet = FormSheet(form, from: page.fields)
        guard CSRFGuard.admits(page) else {
            return try await view(form, sheet, visit, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let answer = try await page.ask(
            .post, "\(visit.source)/submissions", as: visit.respondent(form), json: sheet.submission,
            headers: [.idempotencyKey: sheet.key])
        switch answer.status {
        case .created:
            visit.remember(try answer.decoded(SubmissionReceipt.self), isShared: !form.isOnceOnly)
            // Without cookies the next page does not know that anything was sent.
            let keepsCookies = CSRFGuard.isKnown(page)
            return .redirect(to: visit.path + (keepsCookies ? "/sent" : "/sent?stored"))
        case .unprocessableContent:
            sheet.faults = answer.problem?.errors ?? []
            return try await view(
                form, sheet, visit, alert: page.texts("form.look-again"), status: .unprocessableContent)
        case .gone where form.isOnceOnly: return gone(form, visit, keeping: sheet)
        case .gone:
            // Not sent again without a press: what was withdrawn does not come back by itself.
            sheet.renewKey()
            return try await view(
                form, sheet, visit, alert: page.texts("form.withdrawn-earlier"), status: .gone)
        default:
            let trouble = PageError(answer)
            // The form may have closed since it was read: what was written stays on the screen.
            let now = try await visit.form()
            return try await view(now, sheet, visit, alert: page.sentence(trouble), status: trouble.status)
        }
    }

    private func sent(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        let form = try await visit.form()
        guard let receipt = visit.receipt else {
            // A browser that keeps no cookies is told all the same that its answers have come.
            guard page.query["stored"] != nil else { return .redirect(to: visit.path) }
            return Self.framed(page.page("form-sent", FormPage.head(form, page)), form)
        }
        let answer = try await page.ask(.get, visit.submission(receipt), as: receipt.authorization)
        var values = FormPage.head(form, page)
        switch answer.status {
        case .ok:
            values["lines"] = FormSheet(form, from: try answer.decoded(Submission.self)).lines(form)
        case .gone:
            visit.rememberWithdrawal(isShared: !form.isOnceOnly)
            return .redirect(to: visit.path + "/withdrawn")
        case .notFound:
            // The receipt leads nowhere any more: nothing is known of this browser.
            visit.forget()
            var values = Self.withdrawn(form, page)
            values["isFinal"] = false
            values["canAnswer"] = form.state == "open"
            return Self.framed(page.page("form-withdrawn", values), form)
        default: break
        }
        values["isOpen"] = form.state == "open" && answer.status == .ok
        values["isShared"] = !form.isOnceOnly
        values["receipt"] = page.texts(form.isOnceOnly ? "sent.receipt" : "sent.receipt-shared")
        values["hasResults"] =
            form.showResults == "always" || form.showResults == "afterSubmission" && answer.status == .ok
            || form.showResults == "afterClose" && form.state != "open"
        return Self.framed(page.page("form-sent", values), form)
    }

    /// For the next person at the same screen.
    private func next(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        guard CSRFGuard.admits(page) else { return .redirect(to: visit.path + "/sent") }
        visit.forget()
        return .redirect(to: visit.path)
    }

    // MARK: Coming back

    private func edit(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        let form = try await visit.form()
        guard let receipt = visit.receipt else { return .redirect(to: visit.path) }
        let answer = try await page.ask(.get, visit.submission(receipt), as: receipt.authorization)
        guard answer.status == .ok else { return .redirect(to: visit.path + "/sent") }
        return try await editing(form, FormSheet(form, from: try answer.decoded(Submission.self)), visit)
    }

    private func editing(
        _ form: PublicForm, _ sheet: FormSheet, _ visit: FormContext, alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        guard form.state == "open" else { return try await view(form, sheet, visit, alert: alert, status: status) }
        let page = visit.page
        var values = FormPage.head(form, page)
        values.merge(FormPage.body(form, sheet, page)) { $1 }
        values["action"] = visit.path + "/edit"
        values["send"] = page.texts("form.send-correction")
        values["alert"] = alert
        values["isCorrection"] = true
        return Self.framed(page.page("form", values, status: status), form)
    }

    private func correct(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        let form = try await visit.form()
        guard let receipt = visit.receipt else { return .redirect(to: visit.path) }
        var sheet = FormSheet(form, from: page.fields)
        guard CSRFGuard.admits(page) else {
            return try await editing(form, sheet, visit, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let answer = try await page.ask(
            .put, visit.submission(receipt), as: receipt.authorization, json: sheet.submission)
        switch answer.status {
        case .ok: return .redirect(to: visit.path + "/sent")
        case .gone: return gone(form, visit, keeping: sheet)
        case .unprocessableContent:
            sheet.faults = answer.problem?.errors ?? []
            return try await editing(
                form, sheet, visit, alert: page.texts("form.look-again"), status: .unprocessableContent)
        default:
            let trouble = PageError(answer)
            let now = try await visit.form()
            return try await editing(now, sheet, visit, alert: page.sentence(trouble), status: trouble.status)
        }
    }

    private func withdraw(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        guard let receipt = visit.receipt, CSRFGuard.admits(page) else { return .redirect(to: visit.path + "/sent") }
        let answer = try await page.ask(.delete, visit.submission(receipt), as: receipt.authorization)
        guard answer.status == .noContent || answer.status == .gone else { throw PageError(answer) }
        let form = try await visit.form()
        visit.rememberWithdrawal(isShared: !form.isOnceOnly)
        return .redirect(to: visit.path + "/withdrawn")
    }

    private func withdrawn(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        let form = try await visit.form()
        if visit.receipt != nil { return .redirect(to: visit.path + "/sent") }
        guard visit.hasWithdrawn else { return .redirect(to: visit.path) }
        return Self.framed(page.page("form-withdrawn", Self.withdrawn(form, page)), form)
    }

    /// For answers that were sent again after they had been withdrawn: they stay on the page to be copied.
    private func gone(_ form: PublicForm, _ visit: FormContext, keeping sheet: FormSheet) -> PageAnswer {
        visit.rememberWithdrawal(isShared: !form.isOnceOnly)
        var values = Self.withdrawn(form, visit.page)
        values.merge(Self.kept(sheet, form)) { $1 }
        return Self.framed(visit.page.page("form-withdrawn", values, status: .gone), form)
    }

    private static func withdrawn(_ form: PublicForm, _ page: PageRequest) -> [String: Any] {
        var values = FormPage.head(form, page)
        values["isFinal"] = form.isOnceOnly
        values["canAnswer"] = form.state == "open" && !form.isOnceOnly
        values["hasResults"] =
            form.showResults == "always" || form.showResults == "afterClose" && form.state != "open"
        return values
    }

    // MARK: Results

    private func results(_ page: PageRequest) async throws -> PageAnswer {
        let visit = FormContext(page)
        let form = try await visit.form()
        let source = visit.source + "/results"
        var authorization = visit.receipt?.authorization
        var answer = try await page.ask(.get, source, as: authorization)
        if answer.status == .notFound || answer.status == .gone, authorization != nil {
            // A receipt that is good no more is none.
            if answer.status == .gone {
                visit.rememberWithdrawal(isShared: !form.isOnceOnly)
            } else {
                visit.forget()
            }
            authorization = nil
            answer = try await page.ask(.get, source)
        }
        guard answer.status == .ok else { throw PageError(answer) }
        let questions = ResultsQuestions(
            results: try answer.decoded(), source: source, authorization: authorization, page: page,
            questions: form.questions)
        let answered = page.page(
            try await ResultsPage(title: form.title, of: questions, isShut: form.state != "open", back: visit.path))
        return Self.framed(answered, form)
    }
}

extension PublicForm {
    /// Whether each respondent may answer once, also after a withdrawal.
    var isOnceOnly: Bool { identity != "open" }
}

extension PageRequest {
    /// What a problem means, in the language of whoever reads it.
    func sentence(_ trouble: PageError) -> String {
        if let known = trouble.code.flatMap({ texts.find("problem.\($0)") }) { return known }
        let isReadable = trouble.code == nil || language == .english
        return isReadable ? trouble.detail ?? texts("problem.other") : texts("problem.other")
    }
}

extension HTTPField.Name {
    // A constant of the standard library's kind.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    // A constant of the standard library's kind.
    static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
}

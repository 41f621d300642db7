import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The results as a short plain text that a host sends to the team. It contains what a link to the results shows.
struct TeamSummaryPages: Sendable {
    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/summary", get: { try await view(MeetingContext($0)) }, post: apply)]
    }

    private func view(
        _ context: MeetingContext, _ error: FormError? = nil, link: String? = nil, asks: Bool = false
    ) async throws -> PageResponse {
        let page = context.page
        let results = try await context.reader.results(of: context.details)
        let decisions = try await context.reader.decisions(of: context.details).items
        let summary = TeamSummary(
            SummaryFacts(meeting: context.meeting, form: context.form, results: results, decisions: decisions),
            page.texts, link: link)
        let model = TeamSummaryPage(
            title: page.texts("team.title", ["title": context.meeting.title]), meetingPath: context.path,
            path: page.path, alert: error?.alert, isDraft: context.form.state == "draft", text: summary.text,
            rows: summary.lines.count + 1, mailLink: summary.mailLink, canLink: context.canEdit && link == nil && !asks,
            mailing: context.canEdit && link == nil ? try await mailing(context, asks: asks) : nil,
            key: SubmitToken.make(), script: page.kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    /// The part of the page that mails the text.
    private func mailing(_ context: MeetingContext, asks: Bool) async throws -> TeamSummaryPage.Mailing? {
        let (page, texts) = (context.page, context.page.texts)
        guard page.kit.options.sendsMail else {
            return TeamSummaryPage.Mailing(text: texts("team.mail-unsent"), isConfirming: false, isPossible: false)
        }
        guard asks else {
            return TeamSummaryPage.Mailing(text: texts("team.mail-text"), isConfirming: false, isPossible: true)
        }
        let path = MeetingPages.apiPath(page) + "/summary/mail"
        let found: SummaryRecipients = try await context.session.get(path)
        var sentences = [
            found.recipients == 0
                ? texts("team.mail-nobody") : texts("team.mail-count", ["count": "\(found.recipients)"])
        ]
        if found.withoutAddress > 0 {
            sentences.append(texts("team.mail-skipped", ["count": "\(found.withoutAddress)"]))
        }
        return TeamSummaryPage.Mailing(
            text: sentences.joined(separator: " "), isConfirming: true, isPossible: found.recipients > 0)
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        switch page.fields["act"] {
        case "mail": return try await ask(page)
        case "send": return try await send(page)
        default: return try await addLink(page)
        }
    }

    /// Shows how many people get the mail, and asks whether to send it.
    private func ask(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        do {
            try context.session.checkCSRF()
            return try await view(context, asks: true)
        } catch let error as FormError {
            return try await view(context, error)
        }
    }

    private func send(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        do {
            try session.checkCSRF()
            let response = try await session.send(
                .post, MeetingPages.apiPath(page) + "/summary/mail",
                headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            let mailed = try response.decoded(SummaryMailing.self).mailed
            return page.done("summary-mailed", ["count": "\(mailed)"], at: page.path)
        } catch let error as FormError {
            return try await view(MeetingContext(page), error)
        }
    }

    /// Creates a link to the results and shows the text with it. The link is shown only once.
    private func addLink(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        do {
            try session.checkCSRF()
            let response = try await session.send(
                .post, MeetingPages.apiPath(page) + "/shares",
                JSONValue(encoding: ShareRequest(name: page.texts("team.link-name"))),
                headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            return try await view(MeetingContext(page), link: response.decoded(Share.self).url)
        } catch let error as FormError {
            return try await view(MeetingContext(page), error)
        }
    }
}

/// The values of the template `team-summary`.
struct TeamSummaryPage: PageModel {
    /// Mails the text to the people of the meeting.
    struct Mailing: TemplateValues {
        /// Who gets the mail, or why nobody does.
        var text: String
        /// Whether the page asks for a confirmation.
        var isConfirming: Bool
        var isPossible: Bool
    }

    static let template = "team-summary"
    var title: String
    var meetingPath: String
    /// The path of this page.
    var path: String
    var alert: String?
    var isDraft: Bool
    var text: String
    /// The height of the text's field in lines.
    var rows: Int
    /// Opens a new mail with the text.
    var mailLink: String
    /// Whether a link to the results can be added to the text.
    var canLink: Bool
    /// Nil if the reader may not mail the text.
    var mailing: Mailing?
    /// The idempotency key of the link or the mailing.
    var key: String
    var script: String
}

/// The lines of the text.
struct TeamSummary {
    /// The maximum length of the address that opens a mail. Longer ones are refused by some programs.
    private static let maxMailLink = 1_800

    let lines: [String]
    let subject: String

    init(_ facts: SummaryFacts, _ texts: PageTexts, link: String? = nil) {
        let (meeting, results) = (facts.meeting, facts.results)
        subject = texts("team.title", ["title": Self.onOneLine(meeting.title)])
        // People on a list did not ask for mails, so each says who sends it.
        var lines = facts.sender.map { [texts("team.from", ["sender": Self.onOneLine($0)]), ""] } ?? []
        lines.append(subject)
        if let startsAt = meeting.startsAt {
            lines.append(LocalTime(meeting.timeZone).text(startsAt, in: texts.language, date: .long))
        }
        lines.append(ResponseRing(results, texts)?.label ?? ResultsQuestions.submissions(results, texts))
        let isShut = facts.form.state == "closed" || facts.form.state == "final"
        if let withheld = ResultsQuestions.withheld(results, isShut: isShut, texts) { lines.append(withheld) }
        lines.append("")
        for question in results.questions where question.retired != true {
            let title = Self.onOneLine(question.title)
            let value = ResultsBrief.value(of: question, texts) ?? texts("team.nothing")
            // A question mark needs no colon after it.
            let key = title.last.map { "?!.:？！".contains($0) } == true ? "team.line-asked" : "team.line"
            lines.append(texts(key, ["question": title, "value": value]))
        }
        if !facts.decisions.isEmpty {
            lines += ["", texts("team.decisions")]
            lines += facts.decisions.map { decision in
                let text = Self.onOneLine(decision.text)
                return "– " + (decision.done == true ? texts("team.decision-done", ["text": text]) : text)
            }
        }
        if let link { lines += ["", texts("team.link-line", ["link": link])] }
        self.lines = lines
    }

    private static func onOneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    var text: String { lines.joined(separator: "\n") }

    /// The address of a new mail. A text that is too long for an address ends with the last line that fits.
    var mailLink: String {
        let head = "mailto:?subject=" + PathQuery.encode(subject) + "&body="
        let whole = head + PathQuery.encode(lines.joined(separator: "\r\n"))
        guard whole.utf8.count > Self.maxMailLink else { return whole }
        var (body, rest) = ("", lines[...])
        while let line = rest.popFirst() {
            let longer = body + PathQuery.encode(line + "\r\n")
            guard head.utf8.count + longer.utf8.count < Self.maxMailLink - 16 else { break }
            body = longer
        }
        return head + body + PathQuery.encode("…")
    }
}

import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import HummingbirdCore

/// The results of a meeting at one moment, for printing and as a PDF file.
struct ReportPages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/meetings/{id}/report", get: show), PageRoute("/meetings/{id}/report.pdf", get: download),
        ]
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        let results = try await context.reader.results(of: context.details)
        return try await page.kit.largePages.make(isLarge: LargePages.isLarge(results), for: page) {
            page.page(
                try await ReportPage(
                    context.host, results, page.texts, liveScript: page.kit.files.address("host.js")))
        }
    }

    private func download(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let path = "\(MeetingPages.apiPath(page))/report.pdf?lang=\(page.language.rawValue)"
        let response = try await page.kit.api.relay(exactly: path, for: page, as: session.authorization)
        if response.status == .ok { return PageResponse(relayed: response) }
        let refusal = InnerAPI.CollectedResponse(
            status: response.status, headers: response.headers,
            bytes: try await InnerAPI.collect(response.body, atMost: InnerAPI.maxBytes))
        try session.check(refusal)
        throw PageError(refusal)
    }
}

struct ReportPage: PageModel {
    static let template = "host-report"
    var title: String
    var heading: String
    var subtitle: String
    var meetingPath: String
    var when: String?
    var place: String?
    /// The time of the report and the form's state.
    var asOf: String
    var submissions: String
    var ring: ResponseRing?
    /// Says that there are more submissions than people. Nil if there are not.
    var exceededNotice: String?
    /// Says what the minimum group withholds: submissions, or only their latest changes. Nil if everything is shown.
    var withheld: String?
    /// What was decided at the last round and at this one.
    var decisions: [DecisionList]
    var questions: [ResultsQuestions.Values]
    var pdfPath: String
    var liveScript: String
}

extension ReportPage {
    /// Reads what the report shows. A PDF file is made from the same values.
    init(_ host: HostMeeting, _ results: Results, _ texts: PageTexts, liveScript: String = "") async throws {
        let (meeting, clock) = (host.meeting, host.clock)
        let time = { (date: Date) in
            "\(clock.text(date, in: texts.language, date: .long)) (\(meeting.timeZone))"
        }
        title = texts("charts.report-title", ["title": meeting.title])
        (heading, subtitle) = (meeting.title, meeting.subtitle(texts))
        (meetingPath, pdfPath) = (host.path, host.path + "/report.pdf")
        (when, place) = (meeting.startsAt.map(time), meeting.place)
        asOf = texts("charts.as-of", ["time": time(Date()), "state": texts("state.\(host.form.state)")])
        submissions = ResultsQuestions.submissions(results, texts)
        ring = ResponseRing(results, texts)
        exceededNotice = ResponseRing.exceededNotice(results, texts)
        withheld = ResultsQuestions.withheld(results, isShut: host.isShut, texts)
        // A token for results alone does not read decisions in the API either.
        decisions =
            host.reader.readsMeetings
            ? DecisionList.all(try await host.reader.decisions(of: host.details), of: results, texts) : []
        questions = try await ResultsQuestions(
            results: results, texts: texts, questions: host.form.definition.questions.expanded, host: host,
            showsRanges: true, textsForHosts: .report,
            alpha: { try await host.reader.alpha(of: $0, in: host.details) }
        ).parts().map(\.values)
        self.liveScript = liveScript
    }
}

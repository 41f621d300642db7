import Charts
import Contract
import Foundation
import HTTPAPI

/// The results of a meeting at one moment, for printing and as a PDF file.
struct ReportPages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/meetings/{id}/report", get: show), PageRoute("/meetings/{id}/report.pdf", get: download),
        ]
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        return page.page(try await report(context))
    }

    private func download(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        let report = PrintedReport(try await report(context), page.texts)
        let bytes = try await page.kit.reports.pdf(of: report, for: context.reader.accountID.uuid)
        let name = "report-\(context.meeting.id).pdf"
        return .file(bytes, name: name, type: "application/pdf", page.kit)
    }

    private func report(_ context: MeetingContext) async throws -> ReportPage {
        let results = try await context.reader.results(of: context.details)
        return try await context.page.kit.largePages.make(isLarge: LargePages.isLarge(results), for: context.page) {
            try await report(results, context)
        }
    }

    private func report(_ results: Results, _ context: MeetingContext) async throws -> ReportPage {
        let page = context.page
        let time = { (date: Date) in
            "\(context.clock.text(date, in: page.language, date: .long)) (\(context.meeting.timeZone))"
        }
        let questions = ResultsQuestions(
            results: results, source: context.source + "/results", authorization: context.authorization, page: page,
            questions: context.form.definition.questions, hostContext: context, showsRanges: true,
            textsForHosts: .report)
        return ReportPage(
            title: page.texts("charts.report-title", ["title": context.meeting.title]),
            heading: context.meeting.title, subtitle: context.meeting.subtitle(page.texts),
            meetingPath: context.path, when: context.meeting.startsAt.map(time), place: context.meeting.place,
            asOf: page.texts("charts.as-of", ["time": time(Date()), "state": context.state]),
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            exceededNotice: ResponseRing.exceededNotice(results, page.texts),
            withheld: ResultsQuestions.withheld(results, isShut: context.isShut, page),
            decisions: DecisionList.all(try await context.reader.decisions(of: context.details), of: results, page),
            questions: try await questions.parts().map(\.values), pdfPath: context.path + "/report.pdf",
            liveScript: page.kit.files.address("host.js"))
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

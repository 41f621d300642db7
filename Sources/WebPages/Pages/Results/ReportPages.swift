import Contract
import Foundation
import HTTPAPI

/// The results of a meeting at one moment, for printing.
struct ReportPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/meetings/{id}/report", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let host = try await MeetingContext(page)
        let results = try await host.reader.results(of: host.details)
        let time = { (date: Date) in
            "\(host.clock.text(date, in: page.language, date: .long)) (\(host.meeting.timeZone))"
        }
        let questions = ResultsQuestions(
            results: results, source: host.source + "/results", authorization: host.authorization, page: page,
            questions: host.form.definition.questions, host: host, showsRanges: true)
        return page.page(
            ReportPage(
                title: page.texts("charts.report-title", ["title": host.meeting.title]), heading: host.meeting.title,
                subtitle: host.meeting.subtitle(page.texts), meetingPath: host.path,
                when: host.meeting.startsAt.map(time), place: host.meeting.place,
                asOf: page.texts("charts.as-of", ["time": time(Date()), "state": host.state]),
                submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
                withheld: ResultsQuestions.withheld(results, isShut: host.isShut, page),
                questions: try await questions.parts().map(\.values), liveScript: page.kit.files.address("host.js")))
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
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?
    var questions: [ResultsQuestions.Values]
    var liveScript: String
}

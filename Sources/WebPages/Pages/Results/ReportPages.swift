import Contract
import Foundation
import HTTPAPI

/// A meeting's results on paper: everything that is known at one moment, and nothing to press.
struct ReportPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/meetings/{id}/report", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let host = try await MeetingContext(page)
        let results = try await host.reader.results(of: host.details)
        var head = host.head
        head["title"] = page.texts("charts.report-title", ["title": host.meeting.title])
        head["withRanges"] = true
        let time = { (date: Date) in
            "\(host.clock.text(date, in: page.language, date: .long)) (\(host.meeting.timeZone))"
        }
        head["when"] = host.meeting.startsAt.map(time)
        head["place"] = host.meeting.place
        head["asOf"] = page.texts(
            "charts.as-of",
            ["time": time(Date()), "state": page.texts("state.\(host.form.state)")])
        head["liveScript"] = kit.files.address("host.js")
        let shown = ResultsPage(
            results: results, source: host.source + "/results", authorization: host.authorization, page: page,
            questions: host.form.definition.questions, host: host)
        return page.page("host-report", try await shown.values(head: head))
    }
}

import Charts
import Domain
import Foundation
import SVGConversion
import Store

/// Exports a chart of each rating, choice and grid of several meetings.
struct PictureExport: Sendable {
    /// The number of meetings per query.
    private static let pageSize = 10

    let scope: ExportScope
    let format: PictureFormat
    let folder: PictureFolder
    /// Nil for SVG.
    let converter: SVGConverter?

    /// Returns the number of charts. `progress` is called after each chart.
    func write(from store: Store, progress: (Int) -> Void) async throws -> Int {
        let permit = try await store.exports.admit()
        defer { withExtendedLifetime(permit) {} }
        var count = 0
        var last: Meeting?
        while true {
            let meetings = try await store.exports.meetings(in: scope, after: last, limit: Self.pageSize)
            let results = try await store.exports.results(of: meetings)
            for meeting in meetings {
                guard let results = results[meeting.form.id] else { continue }
                for (index, result) in results.questions.enumerated() {
                    try Task.checkCancellation()
                    guard let chart = chart(result, results, meeting) else { continue }
                    let name = PictureFolder.name(
                        result.key, at: index + 1, of: meeting, in: scope.extent, format: format)
                    try folder.write(try await bytes(chart.svg()), to: name)
                    count += 1
                    progress(count)
                }
                for statements in Question.grids(in: results.questions) {
                    try Task.checkCancellation()
                    guard let key = statements[0].grid?.key, let chart = chart(statements, results, meeting),
                        let index = results.questions.firstIndex(where: { $0.key == statements[0].key })
                    else { continue }
                    let name = PictureFolder.name(key, at: index + 1, of: meeting, in: scope.extent, format: format)
                    try folder.write(try await bytes(chart.svg()), to: name)
                    count += 1
                    progress(count)
                }
            }
            last = meetings.last
            if meetings.count < Self.pageSize { return count }
        }
    }

    private func bytes(_ svg: String) async throws -> [UInt8] {
        guard let converter else { return Array(svg.utf8) }
        do throws(SVGConversionError) {
            return try await converter.png(svg)
        } catch {
            throw Failure(error, alternative: "use --format svg")
        }
    }

    private func chart(_ result: QuestionResult, _ results: FormResults, _ meeting: Meeting) -> Chart? {
        Chart(
            of: result.placed(in: meeting.room), meeting: meeting.title,
            withheld: results.withheld.map { Chart.Withheld(minimum: $0.minimum, shown: $0.shown) },
            name: Chart.name(of: result, inMeeting: meeting.id.uuidString))
    }

    private func chart(_ statements: [QuestionResult], _ results: FormResults, _ meeting: Meeting) -> GridChart? {
        GridChart(
            of: statements, meeting: meeting.title,
            withheld: results.withheld.map { Chart.Withheld(minimum: $0.minimum, shown: $0.shown) },
            inMeeting: meeting.id.uuidString)
    }
}

import Domain
import Foundation
import Imports
import StrictJSON
import Testing

@testable import Exports

@Suite struct RealExtracts {
    @Test func lecturersBecomeSeriesAndTermsBecomeRounds() throws {
        let map = try ImportMap.read(try Sample.fixture("lecture_ratings.map.json"))
        let plan = try Sample.plan(map, try Sample.fixture("lecture_ratings.csv"), chunkSize: 4096)
        #expect(plan.series.count == 14)
        #expect(plan.series.flatMap(\.meetings).count == 49)
        #expect(plan.rowCount == 396)
        #expect(plan.refused.isEmpty)
        #expect(Set(plan.allRows.map(\.key)).count == 396)
        let last = try #require(plan.series.first?.meetings.last)
        #expect(last.title.hasPrefix("Term "))
        let form = PreparedForm(questions: plan.questions)
        for row in plan.allRows { #expect(try form.answers(from: row.answers).entries.count == 4) }
    }

    /// Every text is written as CSV, with and without the guard, and read back byte for byte.
    @Test(arguments: [true, false]) func textsRoundTrip(_ raw: Bool) throws {
        let map = try ImportMap.read(try Sample.fixture("short_answers.map.json"))
        let plan = try Sample.plan(map, try Sample.fixture("short_answers.csv"))
        let form = PreparedForm(questions: plan.questions)
        let table = SubmissionsTable(questions: plan.questions, includesRounds: false, includesPeople: false)
        var writer = TableWriter(columns: table.columns, options: ExportOptions(raw: raw))
        var bytes: [UInt8] = []
        writer.writeHeader(into: &bytes)
        for row in plan.allRows {
            let submission = SubmissionRow(
                id: Sample.host, submittedAt: Date(timeIntervalSince1970: 0), formVersion: 1,
                answers: try form.answers(from: row.answers))
            writer.writeRow(table.row(submission), into: &bytes)
        }
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"'-") == !raw)
        #expect(writer.rows == 121)

        let readBack = try Sample.plan(
            try Sample.map(
                #""column":"sentiment","key":"sentiment","kind":"choice","title":"T""#,
                #""column":"text","key":"text","kind":"text","title":"T","maxLength":3000"#,
                more: #""guarded":\#(!raw),"#), bytes)
        #expect(readBack.allRows.map(\.answers) == plan.allRows.map(\.answers))
        #expect(
            readBack.allRows.map { Array($0.answers["text"]?.string?.utf8 ?? "".utf8) }
                == plan.allRows.map { Array($0.answers["text"]?.string?.utf8 ?? "".utf8) })
    }
}

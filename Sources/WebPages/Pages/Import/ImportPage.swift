import Foundation
import Imports

/// The first step of an import: a file, and a map if there is one.
struct ImportStartPage: PageModel {
    static let template = "import-start"
    var title: String
    var alert: String?
    /// Why the file can't be read.
    var sentences: [ImportRefusal.Sentence]
    var fileHint: String
    /// The series that gets the answers. Nil if the host has none.
    var target: PageField.Values?
}

/// What an import did, or would do.
struct ImportCounts: TemplateValues {
    struct Refused: TemplateValues {
        /// The line and the column.
        var place: String
        var reason: String
        /// The language of the reason.
        var lang: String
    }

    private static let maxRefused = 50

    var text: String
    /// About rows that an earlier import of this or another file has added.
    var earlier: String?
    /// The number of refused rows in words.
    var refusedText: String?
    var refused: [Refused]
    /// How many refused rows are not listed.
    var omitted: String?

    init(_ report: ImportReport, isDone: Bool, _ texts: PageTexts) {
        func formatted(_ count: Int) -> String { HealthPages.formatted(count, in: texts.language) }
        text = texts(
            isDone ? "import.did" : "import.would",
            [
                "created": formatted(report.created), "rows": formatted(report.rows),
                "meetings": formatted(report.meetings), "made": formatted(report.newMeetings),
            ])
        earlier =
            report.alreadyThere > 0
            ? texts("import.already", ["count": formatted(report.alreadyThere)]) : nil
        refusedText =
            report.refused.isEmpty
            ? nil : texts("import.refused", ["count": formatted(report.refusedCount)])
        refused = report.refusedInOrder.prefix(Self.maxRefused).map { row in
            let known = texts.find("import.reason-\(row.code)") ?? texts.find("fault.\(row.code)")
            let line = texts("import.line", ["line": formatted(row.line)])
            return Refused(
                place: row.column.isEmpty ? line : "\(line), \(row.column)", reason: known ?? row.reason,
                lang: known == nil ? "en" : texts.language.rawValue)
        }
        let rest = report.refused.count - refused.count
        omitted = rest > 0 ? texts("import.omitted", ["count": formatted(rest)]) : nil
    }
}

/// The last step of an import: what was imported, with links to it.
struct ImportDonePage: PageModel {
    struct Link: TemplateValues {
        var path: String
        var words: String
    }

    private static let maxLinks = 20

    static let template = "import-done"
    var title: String
    var counts: ImportCounts
    var series: [Link]
    var meetings: [Link]

    init(_ page: PageRequest, _ report: ImportReport, _ plan: ImportPlan) {
        title = page.texts("import.done")
        counts = ImportCounts(report, isDone: true, page.texts)
        let filled = plan.series.filter { $0.meetings.contains { !$0.rows.isEmpty } }
        series = filled.prefix(Self.maxLinks).map {
            Link(path: "/series/\($0.id.uuidString.lowercased())", words: "\(page.texts("import.series")): \($0.title)")
        }
        meetings = filled.flatMap(\.meetings).filter { !$0.rows.isEmpty }.prefix(Self.maxLinks).map {
            Link(
                path: "/meetings/\($0.id.uuidString.lowercased())/results",
                words: "\(page.texts("import.meeting")): \($0.title)")
        }
    }
}

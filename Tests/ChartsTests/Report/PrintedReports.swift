import Testing

@testable import Charts

@Suite struct PrintedReports {
    private func report(_ sections: [PrintedReport.Section], title: String = "Retro") -> PrintedReport {
        var report = PrintedReport(title: title, submissions: "9 answers") { "Page \($0) of \($1)" }
        report.lines = ["Round 1 · Room 3", "As of 27 November 2026"]
        report.responses = "9 of 12 expected have answered"
        report.sections = sections
        return report
    }

    private static let head = PrintedReport.Table.Head(answer: "Answer", count: "Count", share: "Share", range: "95 %")

    private func table(_ labels: [String]) -> PrintedReport.Table {
        .init(
            head: Self.head,
            rows: labels.map { .init(label: $0, count: "3", share: "33 %", fraction: 1.0 / 3, range: "12–65 %") })
    }

    private func sheets(_ report: PrintedReport) throws -> [ParsedSheet] { try ParsedSheet.read(report.pages()) }

    /// The characters of all texts in order, without spaces.
    private func characters(_ sheets: [ParsedSheet]) -> String {
        sheets.flatMap(\.texts).map(\.text).joined().filter { $0 != " " }
    }

    @Test func pageHasTitleNumbersAndPageNumber() throws {
        var section = PrintedReport.Section(title: "How was the pace?")
        section.facts = ["9 answers", "2 skipped"]
        (section.summary, section.details) = ("mean 2.78", "median 3")
        section.tables = [table(["1", "2"])]
        let sheets = try sheets(report([section]))
        let texts = sheets.flatMap(\.texts).map(\.text)
        #expect(sheets.count == 1)
        for text in [
            "Retro", "Round 1 · Room 3", "9 answers", "9 of 12 expected have answered", "How was the pace?",
            "9 answers · 2 skipped", "mean 2.78", "median 3", "Answer", "33 %", "12–65 %", "Page 1 of 1",
        ] {
            #expect(texts.contains(text), "\(text)")
        }
    }

    @Test func longTextsAreCompleteOverSeveralPages() throws {
        let sample = "The discussion helped. 데모가 좋았어요 🎉 العرض كان جيدا "
        let texts = (0..<200).map { "\($0) " + String(repeating: sample, count: 4_000 / sample.count) }
        var section = PrintedReport.Section(title: "What should we change?")
        section.texts = texts.map { .init($0) }
        let sheets = try sheets(report([section]))
        #expect(sheets.count > 40)
        let body = sheets.map { sheet in
            var sheet = sheet
            // The footer is the title and the page number.
            sheet.texts.removeLast(2)
            return sheet
        }
        #expect(characters(body).hasSuffix(texts.joined().filter { $0 != " " }))
    }

    @Test func nothingLeavesThePage() throws {
        let long = String(repeating: "Unbreakable", count: 400)
        var section = PrintedReport.Section(title: long)
        (section.summary, section.details, section.notice) = (long, long, long)
        section.tables = [table([long, "العرض كان جيدا", ""] + (0..<80).map(String.init))]
        section.texts = [.init(long + "\n\n" + long, note: long)]
        section.notes = [long]
        for sheet in try sheets(report([section, section], title: long)) {
            for text in sheet.texts {
                #expect((ReportLayout.margin...ReportLayout.size.width - ReportLayout.margin).contains(text.x))
                #expect((20...ReportLayout.size.height - 20).contains(text.y))
                guard text.anchor == "start", text.direction == "ltr" else { continue }
                #expect(text.x + TextFit.width(text.text, size: 11) <= ReportLayout.size.width, "\(text.text)")
            }
            for end in sheet.ends { #expect(end[0] <= ReportLayout.size.width && end[1] <= ReportLayout.size.height) }
        }
    }

    @Test func headOfATableIsRepeatedOnEachPage() throws {
        var section = PrintedReport.Section(title: "Which?")
        section.tables = [table((0..<150).map { "Option \($0)" })]
        let sheets = try sheets(report([section]))
        #expect(sheets.count > 2)
        for sheet in sheets { #expect(sheet.texts.filter { $0.text == "Answer" }.count == 1) }
        let labels = sheets.flatMap(\.texts).map(\.text).filter { $0.hasPrefix("Option ") }
        #expect(labels == (0..<150).map { "Option \($0)" })
    }

    @Test func headingIsNotSeparatedFromItsQuestion() throws {
        for rows in stride(from: 25, through: 45, by: 2) {
            var (first, second) = (PrintedReport.Section(title: "First"), PrintedReport.Section(title: "Second"))
            first.tables = [table((0..<rows).map(String.init))]
            second.tables = [table(["Alone"])]
            let sheets = try sheets(report([first, second]))
            let page = try #require(sheets.first { $0.texts.contains { $0.text == "Second" } })
            #expect(page.texts.contains { $0.text == "Alone" }, "\(rows) rows")
        }
    }

    @Test func rightToLeftTextsBeginAtTheRight() throws {
        var section = PrintedReport.Section(title: "Q")
        section.texts = [.init("العرض كان جيدا")]
        let text = try #require(try sheets(report([section])).flatMap(\.texts).first { $0.direction == "rtl" })
        #expect(text.x == ReportLayout.size.width - ReportLayout.margin && text.anchor == "start")
    }

    @Test func pagesAreXMLWithoutScriptsOrExternalResources() throws {
        let hostile = ["<script>alert(1)</script>", "\"' onload='x", "&amp; ]]>", "\u{0}\u{8}", "\u{202E}evil"]
        var section = PrintedReport.Section(title: hostile[0])
        section.tables = [table(hostile)]
        section.texts = hostile.map { .init($0) }
        for sheet in try sheets(report([section], title: hostile[1])) {
            #expect(sheet.tags.subtracting(["svg", "title", "rect", "path", "text"]) == [])
        }
    }

    @Test func reportOfVeryManyLinesIsCut() {
        var section = PrintedReport.Section(title: "Texts")
        section.texts = (0..<400).map { _ in .init(String(repeating: "a\n", count: 1000)) }
        var long = report([section])
        long.cutNotice = "More is elsewhere."
        let pages = long.pages()
        #expect(pages.count >= ReportLayout.maxPages && pages.count <= ReportLayout.maxPages + 3)
        #expect(pages.last?.contains("More is elsewhere.") == true)
        section.texts = [.init("one\ntwo")]
        long.sections = [section]
        #expect(long.pages().count == 1 && !long.pages()[0].contains("More is elsewhere."))
    }

    @Test func noncharactersAreReplaced() throws {
        func character(_ value: UInt32) -> String { Unicode.Scalar(value).map { String($0) } ?? "" }
        var section = PrintedReport.Section(title: "A\(character(0xFFFE))B")
        section.texts = [.init("x\(character(0xFDD0))y\(character(0x1FFFF))z")]
        let text = characters(try sheets(report([section])))
        #expect(text.contains("A\u{FFFD}B") && text.contains("x\u{FFFD}y\u{FFFD}z"))
    }
}

import Foundation
import Imports
import Store

/// The second step of an import: how the file is read, what its columns are, and the result of a check.
struct ImportColumnsPage: PageModel {
    /// The result of an action, shown above the form.
    struct Outcome {
        var refusal: ImportRefusal?
        var report: ImportReport?
    }

    struct Column: TemplateValues {
        var number: Int
        var name: String
        /// The first values.
        var values: String
        var uses: [PageField.Values.Choice]
        /// The title of the question.
        var words: String
        /// The id of the list of titles to choose from. Nil if there is none.
        var list: String?
        /// The note that the column continues a question of the series.
        var continuation: String?
    }

    struct Row: TemplateValues {
        var cells: [String]
    }

    private static let maxShownRows = 5
    private static let maxShownCharacters = 60

    static let template = "import-columns"
    var title: String
    var alert: String?
    /// What is wrong with the map.
    var sentences: [ImportRefusal.Sentence]
    var counts: ImportCounts?
    /// How the file was recognised, and the number of its rows.
    var found: String
    /// What to know before the columns are read.
    var notes: [String]
    var packed: String
    var fileName: String
    var columnCount: Int
    /// The id of the series for which the columns are shown; empty for a new one.
    var shownFor: String
    var reading: [PageField.Values]
    var heading: [String]
    var rows: [Row]
    /// The uploaded map, which replaces the fields below.
    var map: String?
    var fields: [PageField.Values]
    var columns: [Column]
    /// The titles of the questions of the series.
    var asked: [String]

    init(
        _ page: PageRequest, _ file: PackedFile, packed: String, _ sample: CSVSample, _ sheet: ImportSheet,
        _ target: SeriesChoice, _ outcome: Outcome
    ) {
        let texts = page.texts
        title = texts("import.columns")
        alert = outcome.refusal?.alert(texts)
        sentences = outcome.refusal?.sentences(texts) ?? []
        counts = outcome.report.map { ImportCounts($0, isDone: false, texts) }
        let service = SurveyService(header: sample.header)
        let size = texts(
            "import.size",
            ["count": HealthPages.formatted(sample.rowCount, in: page.language), "columns": "\(sample.header.count)"])
        found = [service.map { texts("import.service", ["name": $0.name]) }, size].compactMap(\.self)
            .joined(separator: " ")
        notes = Self.notes(sample, texts)
        (self.packed, fileName, columnCount) = (packed, file.name, sample.header.count)
        reading = Self.readingFields(sample, texts).map(\.values)
        heading = sample.header.map(Self.shortened)
        rows = sample.rows.prefix(Self.maxShownRows).map { Row(cells: $0.map(Self.shortened)) }
        map = sheet.map
        shownFor = target.field.value
        fields = ((target.isOffered ? [target.field] : []) + Self.fields(sheet, texts)).map(\.values)
        let known = target.chosen.map { KnownQuestions($0) }
        asked = known?.titles ?? []
        columns =
            sheet.map == nil ? sample.header.indices.map { Self.column($0, sample, sheet, known, texts) } : []
    }

    private static func column(
        _ index: Int, _ sample: CSVSample, _ sheet: ImportSheet, _ known: KnownQuestions?, _ texts: PageTexts
    ) -> Column {
        let use = sheet.uses.indices.contains(index) ? sheet.uses[index] : .skip
        var values: [String] = []
        for row in sample.rows.prefix(100) where !row[index].isEmpty && values.count < 3 {
            if !values.contains(row[index]) { values.append(row[index]) }
        }
        let name = sample.header[index]
        let title = sheet.titles.indices.contains(index) ? sheet.titles[index] : ""
        let isContinuation = use.isQuestion && known?.question(titled: title) != nil
        return Column(
            number: index, name: name.isEmpty ? "\(index + 1)" : name,
            values: values.map(shortened).joined(separator: " · "), uses: uses(use, texts),
            words: title, list: known?.titles.isEmpty == false ? "asked" : nil,
            continuation: isContinuation ? texts("import.continues") : nil)
    }

    private static func notes(_ sample: CSVSample, _ texts: PageTexts) -> [String] {
        var notes: [String] = []
        if let better = sample.betterDelimiter {
            let name = texts("import.delimiter-\(ImportSheet.name(of: better))")
            notes.append(
                texts("import.one-column", ["header": shortened(sample.header[0]), "delimiter": name]))
        }
        if sample.rowCount == 0, sample.faultCount == 0 { notes.append(texts("import.no-rows")) }
        if sample.faultCount > 0 {
            let count = HealthPages.formatted(sample.faultCount, in: texts.language)
            let first = sample.firstFault.map { ImportRefusal.sentence(of: $0, texts).text } ?? ""
            notes.append(texts("import.broken", ["count": count, "first": first]))
        }
        return notes
    }

    private static func readingFields(_ sample: CSVSample, _ texts: PageTexts) -> [PageField] {
        let delimiters = CSVSample.delimiters.map { delimiter in
            let name = ImportSheet.name(of: delimiter)
            return (value: name, label: texts("import.delimiter-\(name)"))
        }
        return [
            PageField(
                name: "delimiter", label: texts("import.delimiter"), value: ImportSheet.name(of: sample.delimiter),
                kind: .choice(delimiters)),
            PageField(
                name: "encoding", label: texts("import.encoding"), value: sample.encoding.name,
                kind: .choice(TextEncoding.names.map { (value: $0, label: $0) })),
        ]
    }

    private static func fields(_ sheet: ImportSheet, _ texts: PageTexts) -> [PageField] {
        var orders = [(value: "", label: texts("import.order-none"))]
        for order in TimeFormat.Order.allCases {
            orders.append((value: order.rawValue, label: texts("import.order-\(order.rawValue)")))
        }
        return [
            PageField(
                name: "series", label: texts("import.series-title"), value: sheet.seriesTitle,
                hint: texts("import.series-hint"), maxLength: 300),
            PageField(
                name: "meeting", label: texts("import.meeting"), value: sheet.meetingTitle,
                hint: texts("import.meeting-hint"), maxLength: 300),
            PageField(
                name: "zone", label: texts("import.zone"), value: sheet.timeZone, hint: texts("own.zone-hint"),
                maxLength: 100),
            PageField(
                name: "order", label: texts("import.order"), value: sheet.order?.rawValue ?? "", kind: .choice(orders),
                hint: texts("import.order-hint")),
            PageField(
                name: "dated", label: texts("import.dated"), value: sheet.isDated ? "on" : "", kind: .tick,
                hint: texts("import.dated-hint")),
        ]
    }

    private static func uses(_ chosen: ColumnUse, _ texts: PageTexts) -> [PageField.Values.Choice] {
        ColumnUse.all.map { use in
            var words = texts.find("import.use-\(use.name)") ?? use.name
            if case .rating(let min, let max) = use {
                words = texts("import.use-rating", ["min": "\(min)", "max": "\(max)"])
            }
            return .init(choice: use.name, words: words, isChosen: use == chosen)
        }
    }

    private static func shortened(_ text: String) -> String { text.shortened(to: maxShownCharacters) }
}

import Contract

/// The tables of a meeting that hosts can download.
enum Exports {
    struct Line: TemplateValues, Hashable {
        /// The name in the path of the download.
        var name: String
        var label: String
        /// The text of the link to the workbook.
        var workbook: String
        /// A further part of the downloads' query, with its `&`.
        var query: String
    }

    static func lines(isPartlyWithheld: Bool, _ context: MeetingContext) -> [Line] {
        var tables = [("summary", "charts.export-summary"), ("questions", "charts.export-questions")]
        // Once the answers are deleted, only their counts remain.
        let hasGrids = context.form.definition.questions.contains { $0.kind == "grid" }
        func line(_ name: String, _ labelKey: String) -> Line {
            var line = Self.line(name, labelKey, context.page)
            if hasGrids, ["summary", "questions"].contains(name) { line.query += "&grids=true" }
            return line
        }
        guard context.answersDeletedNotice == nil else { return tables.map { line($0, $1) } }
        if !context.isAnonymous {
            let lacksNames = context.who.isNamed && !context.canEdit
            tables.append(
                ("submissions", lacksNames ? "charts.export-submissions-unnamed" : "charts.export-submissions"))
        }
        // An anonymous form exports the table of answers once it is closed and nothing is withheld.
        if !context.isAnonymous || (context.isShut && !isPartlyWithheld) {
            tables.append(("answers", "charts.export-answers"))
        }
        return tables.map { name, labelKey in line(name, labelKey) }
    }

    /// The links of one table. Only the workbook of a summary has charts.
    static func line(_ name: String, _ labelKey: String, _ page: PageRequest) -> Line {
        Line(
            name: name, label: page.texts(labelKey),
            workbook: page.texts(name == "summary" ? "charts.export-workbook-charts" : "charts.export-workbook"),
            query: name == "answers" ? "&marks=true" : "")
    }
}

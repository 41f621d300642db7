import Contract

/// What of a meeting can be downloaded: workbooks first, which hosts open.
enum Exports {
    static func values(isSettled: Bool, _ host: MeetingContext) -> [[String: Any]] {
        var tables = [("summary", "charts.export-summary"), ("questions", "charts.export-questions")]
        if !host.isAnonymous {
            let lacksNames = host.who.isNamed && !host.canEdit
            tables.append(
                ("submissions", lacksNames ? "charts.export-submissions-unnamed" : "charts.export-submissions"))
        }
        // Of an anonymous form they exist once it is closed and nothing is kept back.
        if !host.isAnonymous || (host.isShut && isSettled) {
            tables.append(("answers", "charts.export-answers"))
        }
        return tables.map { name, text in value(name, text, host.page) }
    }

    /// One table; only the workbook of a summary has charts.
    static func value(_ name: String, _ text: String, _ page: PageRequest) -> [String: Any] {
        [
            "name": name, "label": page.texts(text),
            "workbook": page.texts(name == "summary" ? "charts.export-workbook-charts" : "charts.export-workbook"),
        ]
    }
}

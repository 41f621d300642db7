import Contract

/// What of a meeting can be downloaded: workbooks first, which hosts open.
enum Exports {
    static func values(isSettled: Bool, _ host: MeetingVisit) -> [[String: Any]] {
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
        return tables.map { name, text in ["name": name, "label": host.page.texts(text)] }
    }
}

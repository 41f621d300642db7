/// Notes about single cells, as rows of the sheet "Notes".
struct SheetNotes {
    static let columns = [
        SheetColumn("Sheet", width: 16), SheetColumn("Cell", width: 12), SheetColumn("Characters", width: 14),
        SheetColumn("Note", width: 90),
    ]

    private var listed: [[SheetCell]] = []
    /// The number of notes beyond the limit.
    private var unlistedCount = 0

    /// Notes beyond the limit are only counted.
    mutating func add(_ row: [SheetCell], limit: Int) {
        if listed.count < limit { listed.append(row) } else { unlistedCount += 1 }
    }

    var rows: [[SheetCell]] {
        guard unlistedCount > 0 else { return listed }
        return listed + [[.empty, .empty, .empty, .text("\(unlistedCount) more notes are not listed.")]]
    }
}

import CSV
import StrictJSON

/// The columns that a map names, without duplicates, and their uses. Columns are referred to by their index in
/// `columns`.
struct MappedColumns: Sendable {
    struct QuestionColumns: Sendable {
        /// One column for the answer, or one for each option.
        var main: [Int]
        var other: Int?
    }

    /// What distinguishes two columns of a map.
    private struct Key: Hashable {
        var name: String
        var guarded: Bool
    }

    private(set) var columns: [CodedColumn] = []
    private(set) var series: Int?
    private(set) var meeting: Int?
    private(set) var startsAt: Int?
    private(set) var endsAt: Int?
    private(set) var submittedAt: Int?
    private(set) var questions: [QuestionColumns] = []
    private var titleColumns: [String: Int] = [:]
    private var indices: [Key: Int] = [:]
    private var mentions: [(pointer: String, name: String)] = []

    init(_ map: ImportMap) {
        let guarded = map.guarded
        series = map.series.by.map { register($0, guarded, "/series/by") }
        meeting = map.meeting.by.map { register($0, guarded, "/meeting/by") }
        for name in map.series.title.columns { titleColumns[name] = register(name, guarded, "/series/title") }
        for name in map.meeting.title.columns { titleColumns[name] = register(name, guarded, "/meeting/title") }
        startsAt = map.meeting.startsAt.map { register($0, guarded, "/meeting/startsAt") }
        endsAt = map.meeting.endsAt.map { register($0, guarded, "/meeting/endsAt") }
        submittedAt = map.submittedAt.map { register($0, guarded, "/submittedAt") }
        for (index, question) in map.questions.enumerated() {
            let pointer = "/questions/\(index)"
            let main =
                switch question.source {
                case .column(let name): [register(name, question.guarded, pointer + "/column")]
                case .options(let options):
                    options.map { option in
                        let token = JSONPointer.token(option.id)
                        return register(option.column, question.guarded, pointer + "/columns" + token)
                    }
                }
            let other = question.otherColumn.map { register($0, question.guarded, pointer + "/otherColumn") }
            questions.append(QuestionColumns(main: main, other: other))
        }
    }

    /// Returns the index of the column, which is added if necessary.
    private mutating func register(_ name: String, _ guarded: Bool, _ pointer: String) -> Int {
        mentions.append((pointer, name))
        let key = Key(name: name, guarded: guarded)
        if let index = indices[key] { return index }
        indices[key] = columns.count
        columns.append(CodedColumn(name: name, guarded: guarded))
        return columns.count - 1
    }

    /// Finds the columns in a file's header. Returns a fault for each use of a missing column.
    mutating func bind(to header: [String]) -> [Fault] {
        let positions = Dictionary(zip(header, header.indices), uniquingKeysWith: { first, _ in first })
        for index in columns.indices { columns[index].position = positions[columns[index].name] ?? 0 }
        let missing = mentions.filter { positions[$0.name] == nil }
        return missing.enumerated().map { index, mention in
            let hint = index == missing.count - 1 ? " " + Self.columnHint(header) : ""
            return Fault(
                .invalid, at: mention.pointer, code: "unknown-column",
                "The file has no column “\(mention.name)”.\(hint)")
        }
    }

    /// A sentence about the columns of the file, for an error message. If there is only one column, it suggests a
    /// delimiter that the file may use.
    private static func columnHint(_ header: [String]) -> String {
        let names = header.prefix(20).map { "“\($0.prefix(100))”" }.joined(separator: ", ")
        guard header.count == 1 else { return "Its columns are \(names)\(header.count > 20 ? ", …" : "")." }
        let delimiters = [(";", "';'"), ("\t", "$'\\t'"), ("|", "'|'"), (",", "','")]
        guard let delimiter = delimiters.first(where: { header[0].contains($0.0) }) else {
            return "Its only column is \(names)."
        }
        return "Its only column is \(names): try --delimiter \(delimiter.1)."
    }

    mutating func append(_ row: CSVRow, missing: Set<String>) {
        for index in columns.indices {
            columns[index].append(row[columns[index].position], missing: missing)
        }
    }

    mutating func close() {
        for index in columns.indices { columns[index].close() }
    }

    func title(_ template: TitleTemplate, row: Int) -> String {
        template.text { name in titleColumns[name].flatMap { columns[$0].value(row) } }
    }
}

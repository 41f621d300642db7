import StrictJSON

/// A cross-tab: the counts of pairs of answers to two questions.
public struct CrossTab: Sendable, Equatable {
    /// One of the two questions. Abstentions count as no answer.
    public struct Axis: Sendable, Equatable {
        public var key: String
        public var kind: Question.KindName
        public var title: String
        /// The number of submissions that answer this question, with or without an answer to the other question.
        public var answered: Int
    }

    /// A pair of buckets. The share is relative to the submissions in the row that answer the column's question. `low`
    /// and `high` are Wilson's 95 % bounds. All three are nil if there are no such submissions.
    public struct Point: Sendable, Equatable {
        public var row: String
        public var rowLabel: String
        public var column: String
        public var columnLabel: String
        public var count: Int
        public var share: Double?
        public var low: Double?
        public var high: Double?
    }

    /// Submissions with the same answers to the two questions. A nil answer means that the question was skipped.
    public struct Pair: Sendable {
        public var row: Answer?
        public var column: Answer?
        public var count: Int

        public init(row: Answer?, column: Answer?, count: Int) {
            self.row = row
            self.column = column
            self.count = count
        }
    }

    public var rows: Axis
    public var columns: Axis
    /// The number of submissions that answer both questions.
    public var answered: Int
    /// The labels of the rows, in the form's order.
    public var labels: [String]
    /// One dataset for each bucket of the columns' question, with a value for each row.
    public var datasets: [QuestionResult.Dataset]
    /// In row-major order.
    public var points: [Point]

    public init(rows: Question, columns: Question, pairs: [Pair]) {
        var counts: [[String]: Int] = [:]
        var totals: [String: Int] = [:]
        var answered = (rows: 0, columns: 0, both: 0)
        for pair in pairs {
            let (row, column) = (pair.row?.counted, pair.column?.counted)
            if row != nil { answered.rows += pair.count }
            if column != nil { answered.columns += pair.count }
            guard let row, let column else { continue }
            answered.both += pair.count
            for rowBucket in row.buckets {
                totals[rowBucket, default: 0] += pair.count
                for columnBucket in column.buckets { counts[[rowBucket, columnBucket], default: 0] += pair.count }
            }
        }
        self.rows = Axis(key: rows.key, kind: rows.kind.name, title: rows.title, answered: answered.rows)
        self.columns = Axis(
            key: columns.key, kind: columns.kind.name, title: columns.title, answered: answered.columns)
        self.answered = answered.both
        labels = rows.buckets.map(\.label)
        datasets = columns.buckets.map { column in
            QuestionResult.Dataset(
                id: column.id, label: column.label, data: rows.buckets.map { counts[[$0.id, column.id]] ?? 0 })
        }
        points = rows.buckets.flatMap { row in
            columns.buckets.map { column in
                let count = counts[[row.id, column.id]] ?? 0
                let share = Proportion(count: count, of: totals[row.id] ?? 0)
                return Point(
                    row: row.id, rowLabel: row.label, column: column.id, columnLabel: column.label, count: count,
                    share: share?.value, low: share?.low, high: share?.high)
            }
        }
    }

    /// Finds the two questions of a cross-tab by their keys.
    ///
    /// Throws all errors together as 422 at `?rows` and `?columns`: a missing or unknown key, a text question, the same
    /// question twice. The errors depend on the form alone, never on its answers.
    public static func questions(
        rows: String?, columns: String?, among questions: [Question]
    ) throws(Problem) -> (rows: Question, columns: Question) {
        var faults: [Fault] = []
        func find(_ name: String, _ key: String?) -> Question? {
            func refuse(_ code: String, _ detail: String) -> Question? {
                faults.append(Fault(.invalid, at: "?\(name)", code: code, detail))
                return nil
            }
            guard let key else { return refuse("required", "A cross-tab needs the key of a question here.") }
            guard let question = questions.first(where: { $0.key == key }) else {
                return refuse("unknown-question", "The form has no such question.")
            }
            guard question.kind.name != .text else {
                return refuse("not-filterable", "A text question has no options to count by.")
            }
            return question
        }
        let (row, column) = (find("rows", rows), find("columns", columns))
        if let row, row.key == column?.key {
            faults.append(
                Fault(
                    .invalid, at: "?columns", code: "same-question",
                    "This must not be the same question as for the rows."))
        }
        guard faults.isEmpty, let row, let column else { throw Problem(faults) }
        return (row, column)
    }
}

extension Answer {
    /// The answer, unless it is an abstention.
    fileprivate var counted: Answer? { self == .abstention ? nil : self }
}

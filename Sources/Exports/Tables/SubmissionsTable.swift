import Domain

/// The wide format: one row for each submission, with a column for each question or for each option of a multiple
/// choice.
struct SubmissionsTable: Sendable {
    /// The columns of one question key across all forms of the table.
    private struct ColumnGroup: Sendable {
        let key: String
        /// The options with a 0/1 column each. Empty unless the question is a multiple choice in some form.
        var options: [String] = []
        var isMultiple = false
        var hasOther = false
        /// Whether the question has a single value in some form.
        var isSingle = false
    }

    let columns: [Column]
    private let groups: [ColumnGroup]
    private let hasRounds: Bool
    private let hasPeople: Bool
    /// The labels of single-choice options. If nil, ids are written.
    private let labels: AnswerTitles?

    /// - Parameters:
    ///   - questions: The questions of all forms and versions. Columns appear in the order of first occurrence. A key
    ///     that is single choice in one form and multiple choice in another is written as multiple choice throughout.
    ///   - includesRounds: Whether rows start with the round and the meeting's title, as in a series.
    ///   - includesPeople: Whether rows name the attendee.
    ///   - writesLabels: Whether single choices are written as the option's label instead of its id.
    init(questions: [Question], includesRounds: Bool, includesPeople: Bool, writesLabels: Bool = false) {
        let titles = AnswerTitles(questions)
        labels = writesLabels ? titles : nil
        groups = Self.groups(questions)
        hasRounds = includesRounds
        hasPeople = includesPeople
        var columns: [Column] = []
        if includesRounds { columns += [Column("round", "Round", .integer), Column("meeting", "Meeting", .text)] }
        columns += [
            Column("id", "ID", .identifier), Column("submitted_at", "Submitted at", .instant),
            Column("form_version", "Form version", .integer),
        ]
        if includesPeople { columns += [Column("name", "Name", .text), Column("email", "E-mail", .text)] }
        for group in groups {
            columns += Self.columns(group, titles.title(of: group.key), questions.filter { $0.key == group.key })
        }
        self.columns = columns
    }

    func row(_ submission: SubmissionRow) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(columns.count)
        if hasRounds { cells += [.integer(submission.round), .text(submission.meeting)] }
        cells += [
            .uuid(submission.id), .instant(submission.submittedAt), .integer(submission.formVersion),
        ]
        if hasPeople { cells += [.text(submission.name), .text(submission.email)] }
        for group in groups { append(submission.answers[group.key], group, to: &cells) }
        return cells
    }

    private static func groups(_ questions: [Question]) -> [ColumnGroup] {
        var groups: [ColumnGroup] = []
        var numbers: [String: Int] = [:]
        for question in questions {
            let number = numbers[question.key] ?? groups.count
            if number == groups.count {
                numbers[question.key] = number
                groups.append(ColumnGroup(key: question.key))
            }
            guard case .choice(let choice) = question.kind else {
                groups[number].isSingle = true
                continue
            }
            groups[number].isMultiple = groups[number].isMultiple || choice.multiple
            groups[number].hasOther = groups[number].hasOther || choice.other
            for option in choice.options where !groups[number].options.contains(option.id) {
                groups[number].options.append(option.id)
            }
        }
        for index in groups.indices where !groups[index].isMultiple {
            groups[index].isSingle = true
            groups[index].options = []
        }
        return groups
    }

    private static func columns(_ group: ColumnGroup, _ title: String, _ questions: [Question]) -> [Column] {
        var columns: [Column] = []
        if group.isSingle {
            let isRating = questions.allSatisfy { $0.kind.name == .rating }
            columns.append(Column(group.key, title, isRating ? .integer : .text))
        }
        let options = questions.flatMap { question in
            guard case .choice(let choice) = question.kind else { return [Question.Option]() }
            return choice.options
        }
        columns += group.options.map { id in
            let label = options.first { $0.id == id }?.label ?? id
            return Column("\(group.key).\(id)", "\(title): \(label)", .flag)
        }
        if group.hasOther {
            if group.isMultiple { columns.append(Column("\(group.key).other", "\(title): Other", .flag)) }
            columns.append(Column("\(group.key).other_text", "\(title): Other, in words", .text))
        }
        return columns
    }

    private func append(_ answer: Answer?, _ group: ColumnGroup, to cells: inout [Cell]) {
        var chosen: (ids: [String], other: String?)?
        if case .choice(let ids, let other) = answer { chosen = (ids, other) }
        if group.isSingle {
            switch answer {
            case .rating(let rating): cells.append(.integer(rating))
            case .text(let text): cells.append(.text(text))
            case .choice(let ids, let other) where !group.isMultiple:
                cells.append(
                    .text((other == nil ? ids.first : "other").map { labels?.label(of: $0, in: group.key) ?? $0 }))
            case .choice, nil: cells.append(.empty)
            }
        }
        for id in group.options { cells.append(chosen.map { .flag($0.ids.contains(id)) } ?? .empty) }
        if group.hasOther {
            if group.isMultiple { cells.append(chosen.map { .flag($0.other != nil) } ?? .empty) }
            cells.append(.text(chosen?.other))
        }
    }
}

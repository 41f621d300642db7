import Domain
import Store

/// The wide format: one row for each submission, with a column for each question or for each option of a multiple
/// choice.
///
/// `row` and `SubmissionEncoder` write the same rows. The suite `SubmissionEncoding` compares them.
struct SubmissionsTable: Sendable {
    let columns: [Column]
    /// The columns of answers, which follow all other columns.
    let groups: [ColumnGroup]
    /// The names of the groups and their options as bytes.
    let names: GroupNames
    let hasRounds: Bool
    let hasPeople: Bool
    /// Whether there are columns for the stars and tags of texts. `SubmissionEncoder` does not write them.
    let hasMarks: Bool
    /// The groups by key, each with its options.
    private let groupsByKey: [String: (group: ColumnGroup, options: Set<String>)]
    /// The labels of single-choice options. If nil, ids are written.
    private let labels: AnswerTitles?

    /// - Parameters:
    ///   - questions: The questions of all forms and versions.
    ///   - includesRounds: Whether rows start with the round and the meeting's title, as in a series.
    ///   - includesPeople: Whether rows name the attendee.
    ///   - writesLabels: Whether single choices are written as the option's label instead of its id.
    ///   - writesMarks: Whether there are columns for the stars and tags of texts.
    init(
        questions: [Question], includesRounds: Bool, includesPeople: Bool, writesLabels: Bool = false,
        writesMarks: Bool = false
    ) {
        hasMarks = writesMarks
        let titles = AnswerTitles(questions)
        labels = writesLabels ? titles : nil
        groups = ColumnGroup.groups(of: questions)
        names = GroupNames(groups)
        groupsByKey = Dictionary(uniqueKeysWithValues: groups.map { ($0.key, ($0, Set($0.options))) })
        hasRounds = includesRounds
        hasPeople = includesPeople
        var columns: [Column] = []
        if includesRounds { columns += [Column("round", "Round", .integer), Column("meeting", "Meeting", .text)] }
        columns += [
            Column("id", "ID", .identifier), Column("submitted_at", "Submitted at", .instant),
            Column("form_version", "Form version", .integer),
        ]
        if includesPeople { columns += [Column("name", "Name", .text), Column("email", "E-mail", .text)] }
        let questionsByKey = Dictionary(grouping: questions, by: \.key)
        for group in groups {
            columns += group.columns(
                title: titles.title(of: group.key), questions: questionsByKey[group.key] ?? [],
                writesMarks: writesMarks)
        }
        self.columns = columns
    }

    /// Returns whether a form with these questions needs no other columns.
    func hasColumns(for questions: [Question]) -> Bool {
        questions.allSatisfy { question in
            guard let (group, options) = groupsByKey[question.key] else { return false }
            if hasMarks, case .text = question.kind, !group.hasTexts { return false }
            guard case .choice(let choice) = question.kind else { return group.isSingle }
            if choice.multiple, !group.isMultiple { return false }
            if choice.other, !group.hasOther { return false }
            return !group.isMultiple || choice.options.allSatisfy { options.contains($0.id) }
        }
    }

    func row(_ submission: SubmissionRow) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(columns.count)
        if hasRounds { cells += [.integer(submission.round), .text(submission.meeting)] }
        cells += [
            .uuid(submission.id), .instant(submission.submittedAt), .integer(submission.formVersion),
        ]
        if hasPeople { cells += [.text(submission.name), .text(submission.email)] }
        let answers = Dictionary(submission.answers.entries.map { ($0.key, $0.answer) }) { first, _ in first }
        for group in groups {
            append(answers[group.key], group, to: &cells)
            guard hasMarks, group.hasTexts else { continue }
            let hasText = answers[group.key]?.hasText == true
            cells += hasText ? (submission.marks[group.key] ?? .none).cells : [.empty, .empty]
        }
        return cells
    }

    /// The text of a selection in the column of a single choice: an option's label or id, or that of `other`. Also of
    /// the abstention of a rating.
    func selection(_ id: String, of group: ColumnGroup) -> String { labels?.label(of: id, in: group.key) ?? id }

    private func append(_ answer: Answer?, _ group: ColumnGroup, to cells: inout [Cell]) {
        var chosen: (ids: [String], other: String?)?
        if case .choice(let ids, let other) = answer { chosen = (ids, other) }
        if group.isSingle {
            switch answer {
            case .rating(let rating): cells.append(.integer(rating))
            case .abstention: cells.append(.text(selection(Limits.abstention, of: group)))
            case .text(let text): cells.append(.text(text))
            case .choice(let ids, let other) where !group.isMultiple:
                cells.append(.text((other == nil ? ids.first : "other").map { selection($0, of: group) }))
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

extension Answer {
    /// Whether the participant wrote a text, which hosts can mark.
    fileprivate var hasText: Bool {
        switch self {
        case .rating, .abstention: false
        case .text: true
        case .choice(_, let other): other?.isEmpty == false
        }
    }
}

import Domain

/// The wide format: one row for each submission, with a column for each question or for each option of a multiple
/// choice.
public struct SubmissionsTable: Sendable {
    /// The columns of one question key across all forms of the table.
    private struct Place: Sendable {
        let key: String
        /// The options with a 0/1 column each. Empty unless the question is a multiple choice in some form.
        var options: [String] = []
        var isMultiple = false
        var hasOther = false
        /// Whether the question has a single value in some form.
        var isSingle = false
    }

    public let columns: [Column]
    private let places: [Place]
    private let hasRounds: Bool
    private let hasPeople: Bool
    /// The labels of single-choice options. If nil, ids are written.
    private let labels: AnswerTitles?

    /// - Parameters:
    ///   - questions: The questions of all forms and versions. Columns appear in the order of first occurrence. A key
    ///     that is single choice in one form and multiple choice in another is written as multiple choice throughout.
    ///   - rounds: Whether rows start with the round and the meeting's title, as in a series.
    ///   - people: Whether rows name the attendee.
    ///   - labels: Whether single choices are written as the option's label instead of its id.
    public init(questions: [Question], rounds: Bool, people: Bool, labels: Bool = false) {
        let places = Self.places(questions)
        self.labels = labels ? AnswerTitles(questions) : nil
        var titles: [String: String] = [:]
        for question in questions where titles[question.key] == nil { titles[question.key] = question.title }
        self.places = places
        hasRounds = rounds
        hasPeople = people
        var columns: [Column] = []
        if rounds { columns += [Column("round", "Round", .integer), Column("meeting", "Meeting", .text)] }
        columns += [
            Column("id", "ID", .identifier), Column("submitted_at", "Submitted at", .instant),
            Column("form_version", "Form version", .integer),
        ]
        if people { columns += [Column("name", "Name", .text), Column("email", "E-mail", .text)] }
        for place in places {
            columns += Self.columns(place, titles[place.key] ?? place.key, questions.filter { $0.key == place.key })
        }
        self.columns = columns
    }

    public func row(_ submission: SubmissionRow) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(columns.count)
        if hasRounds { cells += [.integer(submission.round), .text(submission.meeting)] }
        cells += [
            .uuid(submission.id), .instant(submission.submittedAt), .integer(submission.formVersion),
        ]
        if hasPeople { cells += [.text(submission.name), .text(submission.email)] }
        for place in places { append(submission.answers[place.key], place, to: &cells) }
        return cells
    }

    private static func places(_ questions: [Question]) -> [Place] {
        var places: [Place] = []
        var numbers: [String: Int] = [:]
        for question in questions {
            let number = numbers[question.key] ?? places.count
            if number == places.count {
                numbers[question.key] = number
                places.append(Place(key: question.key))
            }
            guard case .choice(let choice) = question.kind else {
                places[number].isSingle = true
                continue
            }
            places[number].isMultiple = places[number].isMultiple || choice.multiple
            places[number].hasOther = places[number].hasOther || choice.other
            for option in choice.options where !places[number].options.contains(option.id) {
                places[number].options.append(option.id)
            }
        }
        for index in places.indices where !places[index].isMultiple {
            places[index].isSingle = true
            places[index].options = []
        }
        return places
    }

    private static func columns(_ place: Place, _ title: String, _ questions: [Question]) -> [Column] {
        var columns: [Column] = []
        if place.isSingle {
            let isRating = questions.allSatisfy { $0.kind.name == .rating }
            columns.append(Column(place.key, title, isRating ? .integer : .text))
        }
        let given = questions.flatMap { question in
            guard case .choice(let choice) = question.kind else { return [Question.Option]() }
            return choice.options
        }
        columns += place.options.map { id in
            let label = given.first { $0.id == id }?.label ?? id
            return Column("\(place.key).\(id)", "\(title): \(label)", .flag)
        }
        if place.hasOther {
            if place.isMultiple { columns.append(Column("\(place.key).other", "\(title): Other", .flag)) }
            columns.append(Column("\(place.key).other_text", "\(title): Other, in words", .text))
        }
        return columns
    }

    private func append(_ answer: Answer?, _ place: Place, to cells: inout [Cell]) {
        var chosen: (ids: [String], other: String?)?
        if case .choice(let ids, let other) = answer { chosen = (ids, other) }
        if place.isSingle {
            switch answer {
            case .rating(let rating): cells.append(.integer(rating))
            case .text(let text): cells.append(.text(text))
            case .choice(let ids, let other) where !place.isMultiple:
                cells.append(
                    .text((other == nil ? ids.first : "other").map { labels?.label(of: $0, in: place.key) ?? $0 }))
            case .choice, nil: cells.append(.empty)
            }
        }
        for id in place.options { cells.append(chosen.map { .flag($0.ids.contains(id)) } ?? .empty) }
        if place.hasOther {
            if place.isMultiple { cells.append(chosen.map { .flag($0.other != nil) } ?? .empty) }
            cells.append(.text(chosen?.other))
        }
    }
}

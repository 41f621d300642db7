import Domain

/// The columns of one question key, across all forms of a table of submissions.
struct ColumnGroup: Sendable, Equatable {
    let key: String
    /// The options with a 0/1 column each. Empty unless the question is a multiple choice in some form.
    var options: [String] = []
    var isMultiple = false
    var hasOther = false
    /// Whether the question has a single value in some form.
    var isSingle = false
    /// Whether the question has texts in some form.
    var hasTexts: Bool { isText || hasOther }
    /// Whether the question is a text question in some form.
    var isText = false

    /// The groups in the order of the keys' first occurrence. A key that is single choice in one form and multiple
    /// choice in another is written as multiple choice throughout.
    static func groups(of questions: [Question]) -> [ColumnGroup] {
        var groups: [ColumnGroup] = []
        var numbers: [String: Int] = [:]
        var optionIDs: [Set<String>] = []
        for question in questions {
            let number = numbers[question.key] ?? groups.count
            if number == groups.count {
                numbers[question.key] = number
                groups.append(ColumnGroup(key: question.key))
                optionIDs.append([])
            }
            guard case .choice(let choice) = question.kind else {
                groups[number].isSingle = true
                if case .text = question.kind { groups[number].isText = true }
                continue
            }
            groups[number].isMultiple = groups[number].isMultiple || choice.multiple
            groups[number].hasOther = groups[number].hasOther || choice.other
            for option in choice.options where optionIDs[number].insert(option.id).inserted {
                groups[number].options.append(option.id)
            }
        }
        for index in groups.indices where !groups[index].isMultiple {
            groups[index].isSingle = true
            groups[index].options = []
        }
        return groups
    }

    /// - Parameters:
    ///   - questions: The questions with this key.
    ///   - writesMarks: Whether there are columns for the star and the tags of texts.
    func columns(title: String, questions: [Question], writesMarks: Bool) -> [Column] {
        var columns: [Column] = []
        if isSingle {
            let isRating = questions.allSatisfy { $0.kind.name == .rating }
            columns.append(Column(key, title, isRating ? .integer : .text))
        }
        var labels: [String: String] = [:]
        for case .choice(let choice) in questions.map(\.kind) {
            labels.merge(choice.options.map { ($0.id, $0.label) }) { first, _ in first }
        }
        columns += options.map { id in Column("\(key).\(id)", "\(title): \(labels[id] ?? id)", .flag) }
        if hasOther {
            if isMultiple { columns.append(Column("\(key).other", "\(title): Other", .flag)) }
            columns.append(Column("\(key).other_text", "\(title): Other, in words", .text))
        }
        if writesMarks, hasTexts {
            // No option's id contains a dot.
            columns.append(Column("\(key).marks.star", "\(title): Star", .flag))
            columns.append(Column("\(key).marks.tags", "\(title): Tags", .text))
        }
        return columns
    }
}

import Contract

extension [QuestionBody] {
    /// The questions as participants get them, in which each statement of a grid is a rating of its own.
    var expanded: [QuestionBody] {
        flatMap { question -> [QuestionBody] in
            guard let statements = question.statements else { return [question] }
            let grid = QuestionBody.Grid(
                key: question.key, title: question.title, description: question.description)
            return statements.map { statement in
                var rating = question
                (rating.key, rating.kind, rating.title) = (statement.key, "rating", statement.title)
                (rating.description, rating.statements, rating.grid) = (statement.description, nil, grid)
                return rating
            }
        }
    }
}

/// What precedes the first statement of a grid on a form. The template is `form-questions`.
struct GridHead: TemplateValues {
    var gridTitle: String
    var gridDescription: String?
}

extension [FormQuestion] {
    /// Puts the head of each grid before its first statement.
    mutating func addGridHeads(_ questions: [QuestionBody]) {
        var last: String?
        for (index, question) in questions.enumerated() {
            defer { last = question.grid?.key }
            guard let grid = question.grid, grid.key != last, indices.contains(index) else { continue }
            self[index].gridHead = GridHead(gridTitle: grid.title, gridDescription: grid.description)
        }
    }
}

import Domain

/// Forms with grids.
extension SeededNumbers {
    /// Puts a grid between two questions, or none.
    mutating func addGrid(to questions: inout [Question]) {
        guard int(0...2) == 0 else { return }
        let grid = Grid(key: "grid", title: label(), description: chance() ? text() : nil)
        let low = int(0...1)
        var rating = Question.Rating(min: low, max: int(low + 1...10), abstain: chance() ? label() : nil)
        if chance() {
            rating.labels = (rating.min...rating.max).map { _ in label() }
        } else {
            (rating.minLabel, rating.maxLabel) = (text(), text())
        }
        let required = chance()
        let statements = (0..<int(1...4)).map {
            Question(
                key: "s\($0)", title: label(), description: chance() ? text() : nil, required: required,
                kind: .rating(rating), grid: grid)
        }
        questions.insert(contentsOf: statements, at: int(0...questions.count))
    }

    /// The statements of a grid have the condition of the first one.
    func shareConditions(in questions: inout [Question]) {
        for index in questions.indices.dropFirst() where questions[index].grid != nil {
            guard questions[index].grid == questions[index - 1].grid else { continue }
            questions[index].showIf = questions[index - 1].showIf
        }
    }

    /// Turns the statements of grids that an edit has broken into ratings of their own.
    static func removeBrokenGrids(from questions: inout [Question]) {
        let groups = Question.groups(questions)
        let keys = groups.compactMap { $0.first?.grid?.key }
        var broken = Set(keys.filter { key in keys.count { $0 == key } > 1 })
        for group in groups {
            guard let grid = group.first?.grid, case .rating(let rating)? = group.first?.kind else { continue }
            let isLabelled = rating.labels != nil || rating.minLabel != nil && rating.maxLabel != nil
            if !isLabelled || rating.labels.map({ $0.count != rating.max - rating.min + 1 }) == true {
                broken.insert(grid.key)
            }
        }
        for index in questions.indices {
            if let key = questions[index].grid?.key, broken.contains(key) || questions[index].kind.name != .rating {
                questions[index].grid = nil
            }
            if case .rating(var rating) = questions[index].kind,
                rating.labels.map({ $0.count != rating.max - rating.min + 1 }) == true
            {
                rating.labels = nil
                questions[index].kind = .rating(rating)
            }
        }
    }
}

import StrictJSON

extension Question {
    /// Parses a grid of a form as the ratings of its statements. Returns nothing if there are faults.
    static func readGrid(_ reader: ObjectReader, keys: inout Set<String>) -> [Draft] {
        let count = reader.faults.count
        _ = reader.requiredString("kind")
        let key = readKey(reader, &keys)
        let title = reader.requiredText("title", atMost: Limits.title)
        let description = reader.text("description", atMost: Limits.description)
        let required = reader.bool("required") ?? false
        let condition = ShowIf.read("showIf", of: reader)
        let rating = Rating.read(reader)
        if rating.labels == nil, !reader.faults.contains(where: { $0.pointer.hasPrefix(reader.pointer(to: "labels")) }),
            rating.minLabel?.isEmpty != false || rating.maxLabel?.isEmpty != false
        {
            reader.fault(
                at: "labels", code: "required", "A grid needs a label for each point, or minLabel and maxLabel.")
        }
        let statements = readStatements(reader, &keys)
        guard reader.faults.count == count, let key, let title else { return [] }
        let grid = Grid(key: key, title: title, description: description)
        return statements.map { statement in
            Draft(
                question: Question(
                    key: statement.key, title: statement.title, description: statement.description, required: required,
                    showIf: condition?.condition, kind: .rating(rating), grid: grid),
                condition: condition)
        }
    }

    private static func readStatements(
        _ reader: ObjectReader, _ keys: inout Set<String>
    ) -> [(key: String, title: String, description: String?)] {
        let count = reader.array("statements")?.count ?? 0
        guard 1...Limits.statements ~= count else {
            reader.fault(
                at: "statements", code: count == 0 ? "required" : "too-many",
                "A grid has from 1 to \(Limits.statements) statements.")
            return []
        }
        return (reader.objects("statements") ?? []).compactMap { element in
            let key = readKey(element, &keys)
            let title = element.requiredText("title", atMost: Limits.title)
            let description = element.text("description", atMost: Limits.description)
            guard let key, let title else { return nil }
            return (key, title, description)
        }
    }

    /// Ratings that name the same grid have to follow each other and be alike, and the grid has a key of its own.
    static func faultsOfNamedGrids(_ questions: [Question], at pointer: String) -> [Fault] {
        var (faults, known, start): ([Fault], Set<String>, Int) = ([], [], 0)
        for group in groups(questions) {
            defer { start += group.count }
            guard let first = group.first, let grid = first.grid else { continue }
            if !known.insert(grid.key).inserted {
                faults.append(
                    Fault(
                        .invalid, at: "\(pointer)/\(start)/grid", code: "grid-differs",
                        "The statements of a grid follow each other, with the same scale, condition and requirement."))
            }
            if group.count > Limits.statements {
                faults.append(
                    Fault(
                        .invalid, at: "\(pointer)/\(start)/grid", code: "too-many",
                        "A grid has from 1 to \(Limits.statements) statements."))
            }
            guard case .rating(let rating) = first.kind, rating.isLabelled else {
                faults.append(
                    Fault(
                        .invalid, at: "\(pointer)/\(start)/grid", code: "required",
                        "A grid needs a label for each point, or minLabel and maxLabel."))
                continue
            }
        }
        let own = Set(questions.map(\.key))
        for key in known.intersection(own).sorted() {
            let index = questions.firstIndex { $0.grid?.key == key } ?? 0
            faults.append(
                Fault(
                    .invalid, at: "\(pointer)/\(index)/grid/key", code: "duplicate-key",
                    "Another question has this key."))
        }
        return faults
    }
}

extension Question.Rating {
    /// Whether each point has a label, or both ends have.
    fileprivate var isLabelled: Bool { labels != nil || minLabel?.isEmpty == false && maxLabel?.isEmpty == false }
}

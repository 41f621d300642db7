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
}

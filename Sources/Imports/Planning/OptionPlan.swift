import Domain
import Store
import StrictJSON

/// Completes a map's questions with options derived from the file's values.
struct OptionPlan {
    static let maximumOptions = 50

    let map: ImportMap
    let mapped: MappedColumns

    /// The validated questions, and for each the options as JSON and the faults of values that can't be options, by
    /// code.
    func questions() throws(ImportFailure) -> (
        questions: [Question], options: [[JSONValue]], unusable: [[UInt32: Fault]]
    ) {
        var unusable = [[UInt32: Fault]](repeating: [:], count: map.questions.count)
        var faults: [Fault] = []
        var definitions: [JSONValue] = []
        for (index, question) in map.questions.enumerated() {
            guard question.derivesOptions else {
                definitions.append(question.definition)
                continue
            }
            let column = mapped.columns[mapped.questions[index].main[0]]
            func parts(_ code: UInt32) -> [String] { question.parts(of: column.values[Int(code)]) }
            for code in column.sortedCodes { unusable[index][code] = parts(code).lazy.compactMap(Self.fault).first }
            let usable = column.sortedCodes.filter { unusable[index][$0] == nil }
            let values = question.separator == nil ? usable.flatMap(parts) : Self.distinct(usable.flatMap(parts))
            definitions.append(question.definition(options: deriveOptions(values, question, column, index, &faults)))
        }
        guard faults.isEmpty else { throw .map(faults) }
        do {
            let questions = try FormDefinition.readQuestions(.array(definitions), at: "/questions", isExpanded: true)
            return (questions, definitions.map { $0["options"]?.array ?? [] }, unusable)
        } catch {
            throw .map(error.faults)
        }
    }

    /// The fault of a value that is not valid as an option's label, if any.
    private static func fault(of value: String) -> Fault? {
        let isPlain = value.utf8.count <= 300 && value.utf8.contains { $0 > 0x20 } && !value.utf8.contains(0)
        if isPlain, !value.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return nil }
        let texts = [("key", "k"), ("kind", "choice"), ("title", "t")].map { JSONValue.Member($0, .string($1)) }
        let options = JSONValue.Member("options", .array([ImportQuestion.option(id: "a", label: value)]))
        do {
            _ = try FormDefinition.readQuestions(.array([.object(texts + [options])]))
            return nil
        } catch {
            return error.faults.first
        }
    }

    private static func distinct(_ values: [String]) -> [String] {
        var known: Set<ExactText> = []
        let distinct = values.filter { known.insert(ExactText($0)).inserted }
        return ValueOrder.sorted(distinct).map { distinct[$0] }
    }

    private func deriveOptions(
        _ candidates: [String], _ question: ImportQuestion, _ column: CodedColumn, _ index: Int, _ faults: inout [Fault]
    ) -> [JSONValue] {
        let values = candidates.filter { question.otherColumn == nil || $0 != "other" }
        if values.isEmpty, question.otherColumn == nil {
            faults.append(
                Fault(
                    .invalid, at: "/questions/\(index)/column", code: "no-options",
                    "The column “\(column.name)” has no values from which options could be derived: "
                        + "list the options in the map."
                ))
        } else if values.count > Self.maximumOptions {
            faults.append(
                Fault(
                    .invalid, at: "/questions/\(index)/column", code: "too-many-options",
                    "The column “\(column.name)” has \(values.count) different values, but a choice has at most "
                        + "\(Self.maximumOptions) options: import the column as a text."))
            return []
        }
        return OptionNames().options(for: values).map { ImportQuestion.option(id: $0.id, label: $0.label) }
    }
}

import Domain
import Store
import StrictJSON

/// Completes a map's questions with the options that the file's own values are.
struct OptionPlan {
    static let mostOptions = 50

    private let map: ImportMap
    private let mapped: MappedColumns

    init(_ map: ImportMap, _ mapped: MappedColumns) {
        self.map = map
        self.mapped = mapped
    }

    /// The questions by the rules of forms, and each one's options as JSON.
    func questions() throws(ImportFailure) -> (questions: [Question], options: [[JSONValue]]) {
        var faults: [Fault] = []
        var definitions: [JSONValue] = []
        for (index, question) in map.questions.enumerated() {
            guard question.derivesOptions else {
                definitions.append(question.definition)
                continue
            }
            let column = mapped.columns[mapped.questions[index].main[0]]
            definitions.append(question.definition(options: derived(question, column, index, &faults)))
        }
        guard faults.isEmpty else { throw .map(faults) }
        do {
            let questions = try FormDefinition.readQuestions(.array(definitions), at: "/questions")
            return (questions, definitions.map { $0["options"]?.array ?? [] })
        } catch {
            throw .map(error.faults)
        }
    }

    private func derived(
        _ question: ImportQuestion, _ column: CodedColumn, _ index: Int, _ faults: inout [Fault]
    ) -> [JSONValue] {
        let values = column.sortedCodes.map { column.values[Int($0)] }
            .filter { question.otherColumn == nil || $0 != "other" }
        if values.isEmpty, question.otherColumn == nil {
            faults.append(
                Fault(
                    .invalid, at: "/questions/\(index)/column", code: "no-options",
                    "The column “\(column.name)” has no values to make options from; give the options."))
        } else if values.count > Self.mostOptions {
            faults.append(
                Fault(
                    .invalid, at: "/questions/\(index)/column", code: "too-many-options",
                    "The column “\(column.name)” has \(values.count) different values, a choice at most "
                        + "\(Self.mostOptions) options; import it as a text."))
            return []
        }
        return OptionNames().options(for: values).map { ImportQuestion.option(id: $0.id, label: $0.label) }
    }
}

import Domain
import StrictJSON

/// A question of the demo, with the rule by which participants answer it.
struct DemoQuestion: Sendable {
    enum Habit: Sendable {
        /// A rating that is higher in better rounds.
        case rises
        /// A rating of a grid, which is higher in better rounds, and by this much of the scale than other statements.
        case shifts(Double)
        /// A rating between too little and too much that is nearer to the middle in better rounds.
        case centers
        /// Options with their probabilities in a good and in a bad round, and occasionally a free text.
        case chooses([(id: String, good: Double, bad: Double)], freeTexts: [String])
        /// Texts of good and of bad rounds, and the share of participants who write one.
        case writes(good: [String], bad: [String], share: Double)
    }

    let question: Question
    let habit: Habit

    /// Returns an answer, or nil if the participant skips the question.
    ///
    /// - Parameter mood: The mood of one participant, 0 to 1.
    func answer(_ mood: Double, _ numbers: inout SeededNumbers) -> JSONValue? {
        switch (question.kind, habit) {
        case (.rating(let rating), _) where rating.abstain != nil && numbers.happens(0.12):
            return .string(Limits.abstention)
        case (.rating(let rating), .centers):
            let middle = Double(rating.min + rating.max) / 2
            let side = numbers.happens(0.7) ? 1.0 : -1.0
            let deviation = (1 - mood) * Double(rating.max - rating.min) / 2 + 0.3 * numbers.bell()
            return JSONValue(min(rating.max, max(rating.min, Int((middle + side * deviation).rounded()))))
        case (.rating(let rating), .shifts(let shift)):
            let value = Double(rating.min) + (mood + shift + 0.15 * numbers.bell()) * Double(rating.max - rating.min)
            return JSONValue(min(rating.max, max(rating.min, Int(value.rounded()))))
        case (.rating(let rating), _):
            let value = Double(rating.min) + mood * Double(rating.max - rating.min)
            return JSONValue(min(rating.max, max(rating.min, Int(value.rounded()))))
        case (.choice(let choice), .chooses(let options, let freeTexts)):
            return selections(choice, options, freeTexts, mood, &numbers)
        case (.text, .writes(let good, let bad, let share)):
            guard numbers.happens(share) else { return nil }
            return (numbers.happens(mood) ? good : bad).randomElement(using: &numbers).map { .string($0) }
        default: return nil
        }
    }

    private func selections(
        _ choice: Question.Choice, _ options: [(id: String, good: Double, bad: Double)], _ freeTexts: [String],
        _ mood: Double, _ numbers: inout SeededNumbers
    ) -> JSONValue? {
        let weighted = options.map { (id: $0.id, weight: mood * $0.good + (1 - mood) * $0.bad) }
        let freeText = choice.other && numbers.happens(0.08) ? freeTexts.randomElement(using: &numbers) : nil
        let other = freeText.map { JSONValue.object([.init("other", .string($0))]) }
        guard choice.multiple else {
            return other ?? numbers.pick(weighted) { $0.weight }.map { .string($0.id) }
        }
        let maxCount = (choice.maxSelections ?? options.count) - (other == nil ? 0 : 1)
        let selected = weighted.filter { numbers.happens($0.weight) }.prefix(maxCount).map { JSONValue.string($0.id) }
        let answers = selected + [other].compactMap(\.self)
        return answers.isEmpty ? nil : .array(answers)
    }
}

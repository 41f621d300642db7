import Domain
import Foundation
import StrictJSON

/// A generator whose numbers are the same in every run (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance() -> Bool { .random(using: &self) }

    mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    mutating func one<T>(of values: [T]) -> T { values[int(0...values.count - 1)] }
}

/// Random valid definitions and submissions.
extension SplitMix {
    mutating func text() -> String {
        (0...int(0...5)).map { _ in one(of: ["word", "é", "e\u{301}", "한국", "👩‍👩‍👧", "\"", "\\", "=1", "\n", "x"]) }
            .joined() + "."
    }

    mutating func definition() -> FormDefinition {
        let anonymous = chance()
        return FormDefinition(
            title: one(of: ["", text()]), intro: chance() ? text() : nil,
            identity: one(of: FormDefinition.Identity.allCases),
            anonymous: anonymous, minimumGroup: chance() ? nil : int(3...1000),
            showResults: one(of: FormDefinition.ShowResults.allCases), cap: chance() ? int(1...10_000) : nil,
            opens: chance() ? .instant(Date(timeIntervalSince1970: Double(int(0...1000)))) : nil,
            closes: chance() ? .instant(Date(timeIntervalSince1970: Double(int(1001...9_999_999)))) : closing(),
            graceMinutes: int(0...1440), autoPublish: chance(), oneByOne: chance(),
            questions: (0..<int(0...8)).map { question("q\($0)") } + (0..<int(0...2)).flatMap { grid("g\($0)") })
    }

    /// The statements of a grid.
    private mutating func grid(_ key: String) -> [Question] {
        var rating = Question.Rating(min: int(0...1), max: int(2...10), abstain: chance() ? text() : nil)
        if chance() {
            rating.labels = (rating.min...rating.max).map { _ in text() }
        } else {
            (rating.minLabel, rating.maxLabel) = (text(), text())
        }
        let (grid, required) = (Grid(key: key, title: text(), description: chance() ? text() : nil), chance())
        return (0..<int(1...20)).map {
            Question(
                key: "\(key)_\($0)", title: text(), description: chance() ? text() : nil, required: required,
                kind: .rating(rating), grid: grid)
        }
    }

    private mutating func closing() -> Moment? {
        chance() ? .offset(from: one(of: Moment.Anchor.allCases), minutes: int(-600...6000)) : nil
    }

    private mutating func question(_ key: String) -> Question {
        Question(
            key: key, title: text(), description: chance() ? text() : nil, required: int(0...3) == 0, kind: kind())
    }

    private mutating func kind() -> Question.Kind {
        switch int(0...2) {
        case 0: return .text(maxLength: int(100...10_000))
        case 1:
            if int(0...3) == 0 { return .rating(.init(min: 0, max: 10, minLabel: text(), metric: .nps)) }
            return .rating(
                .init(
                    min: int(0...1), max: int(2...10), maxLabel: chance() ? text() : nil,
                    abstain: chance() ? text() : nil))
        default:
            let options = (0..<int(1...6)).map { Question.Option(id: "o\($0)", label: text()) }
            guard chance() else { return .choice(.init(options: options, other: chance())) }
            let maxSelections = chance() ? int(1...options.count) : nil
            return .choice(
                .init(
                    options: options, multiple: true, minSelections: int(0...(maxSelections ?? options.count)),
                    maxSelections: maxSelections, other: chance()))
        }
    }

    /// A valid submission as a participant would send it.
    mutating func submission(to definition: FormDefinition) -> JSONValue {
        .object(
            definition.questions.compactMap { question in
                guard question.required || chance() else { return nil }
                return JSONValue.Member(question.key, answer(to: question))
            }.shuffled(using: &self))
    }

    private mutating func answer(to question: Question) -> JSONValue {
        switch question.kind {
        case .text: return .string(text())
        case .rating(let rating) where rating.abstain != nil && int(0...3) == 0: return .string("abstain")
        case .rating(let rating): return JSONValue(int(rating.min...rating.max))
        case .choice(let choice) where choice.multiple:
            var selections = choice.options.map { JSONValue.string($0.id) }
            if choice.other { selections.append(.object([.init("other", .string(text()))])) }
            let count = int(max(1, choice.minSelections)...(choice.maxSelections ?? selections.count))
            return .array(Array(selections.shuffled(using: &self).prefix(count)))
        case .choice(let choice):
            if choice.other, chance() { return .object([.init("other", .string(text()))]) }
            return .string(one(of: choice.options).id)
        }
    }
}

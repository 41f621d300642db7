import Domain
import StrictJSON

/// Random forms with every kind of question, and valid submissions to them.
enum RandomAnswers {
    private static let pieces = [
        "\"", ",", ";", "\t", "\r", "\n", "'", "=1", "+", "-", "@", "é", "e\u{301}", "한국", "👩‍👩‍👧", " ", "other", "NA", "0",
    ]

    static func make() -> (questions: [Question], submissions: [JSONValue]) {
        let questions = (0..<Int.random(in: 1...5)).map { number in
            Question(key: "q\(number)", title: "=\(number)", kind: kind())
        }
        let form = questions + (Bool.random() ? grid() : [])
        return (form, submissions(to: form))
    }

    /// The statements of a grid.
    private static func grid() -> [Question] {
        let labels = (1...Int.random(in: 2...11)).map { "\(text())\($0)" }
        let rating = Question.Rating(
            min: 0, max: labels.count - 1, abstain: Bool.random() ? "=\(text())" : nil, labels: labels)
        let grid = Grid(key: "grid", title: "=\(text())", description: Bool.random() ? text() : nil)
        return (0..<Int.random(in: 1...20)).map {
            Question(key: "s\($0)", title: "=\($0)", kind: .rating(rating), grid: grid)
        }
    }

    /// Between 1 and 40 submissions.
    static func submissions(to questions: [Question]) -> [JSONValue] {
        (0..<Int.random(in: 1...40)).map { _ in
            JSONValue.object(
                questions.filter { _ in Int.random(in: 0...3) > 0 }.map { .init($0.key, answer(to: $0.kind)) })
        }
    }

    private static func kind() -> Question.Kind {
        switch Int.random(in: 0...3) {
        case 0: return .text(maxLength: 200)
        case 1:
            return .rating(
                .init(
                    min: 0, max: 10, metric: Bool.random() ? .nps : .mean, abstain: Bool.random() ? "=\(text())" : nil))
        case let shape:
            let options = (0..<Int.random(in: 1...5)).map { Question.Option(id: "o\($0)", label: "\(text())\($0)") }
            return .choice(.init(options: options, multiple: shape == 2, other: Bool.random()))
        }
    }

    private static func answer(to kind: Question.Kind) -> JSONValue {
        switch kind {
        case .text: return .string(text())
        case .rating(let rating) where rating.abstain != nil && Int.random(in: 0...3) == 0: return .string("abstain")
        case .rating(let rating): return JSONValue(Int.random(in: rating.min...rating.max))
        case .choice(let choice):
            let ids = choice.options.map { JSONValue.string($0.id) }
            let otherAnswer = JSONValue.object([.init("other", .string(text()))])
            let choices = ids + (choice.other ? [otherAnswer] : [])
            guard choice.multiple else { return choices.randomElement() ?? .null }
            return .array(Array(choices.shuffled().prefix(Int.random(in: 0...choices.count))))
        }
    }

    /// A text that is never blank.
    private static func text() -> String {
        (0..<Int.random(in: 0...6)).map { _ in Bool.random() ? pieces.randomElement() ?? "" : randomCharacter() }
            .joined()
            + "x"
    }

    /// Any character except U+0000, which PostgreSQL cannot store.
    private static func randomCharacter() -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0x1...0x7F, 0x80...0x2FFF, 0x3000...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
        ]
        let value = UInt32.random(in: ranges.randomElement() ?? 0x61...0x61)
        return Unicode.Scalar(value).map { String(Character($0)) } ?? ""
    }
}

import StrictJSON

extension FormDefinition {
    /// What an edit must not change if answers before and after it are to be counted together: which answers are
    /// possible to which questions, whatever their wording and order. Equal texts mean equal questions.
    ///
    /// Answers of an anonymous form to another set of questions are counted separately, because the counts would
    /// otherwise reveal the few participants who were asked something else.
    public var asked: JSONValue {
        .array(questions.sorted { $0.key < $1.key }.map(\.asked))
    }
}

extension Question {
    fileprivate var asked: JSONValue {
        let common: [JSONValue] = [.string(key), .string(kind.name.rawValue), .bool(required)]
        switch kind {
        case .rating(let rating): return .array(common + [JSONValue(rating.min), JSONValue(rating.max)])
        case .text(let maxLength): return .array(common + [JSONValue(maxLength)])
        case .choice(let choice):
            return .array(
                common + [
                    .bool(choice.multiple), JSONValue(choice.minSelections), JSONValue(choice.maxSelections),
                    .bool(choice.other), .array(choice.options.map(\.id).sorted().map { .string($0) }),
                ])
        }
    }
}

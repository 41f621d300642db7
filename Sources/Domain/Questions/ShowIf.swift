import StrictJSON

/// The condition under which a question is asked: tests of the answers to earlier questions, of which all must hold, or
/// any.
///
/// An answer that was skipped, or whose question was not asked, fails every test but `answered: false`. So nobody is
/// asked about an answer that they did not give. An abstention is no answer here either, but can be tested itself.
public struct ShowIf: Sendable, Equatable {
    public enum Join: String, Sendable, CaseIterable {
        case all, any
    }

    /// An answer with which another is compared.
    public enum Value: Sendable, Equatable {
        /// The id of an option, `other`, or the abstention of a rating.
        case option(String)
        case rating(Int)
    }

    public enum Comparison: Sendable, Equatable {
        /// In a multiple choice, the option is among the selected ones.
        case equals(Value)
        case differs(Value)
        case atLeast(Int)
        case atMost(Int)
        case answered(Bool)
    }

    public struct Test: Sendable, Equatable {
        /// The key of the question whose answer is tested.
        public var question: String
        public var comparison: Comparison

        public init(_ question: String, _ comparison: Comparison) {
            self.question = question
            self.comparison = comparison
        }
    }

    public let join: Join
    public let tests: [Test]

    /// A single test is the same under both joins, and always has `all`.
    public init(_ join: Join, _ tests: [Test]) {
        self.join = tests.count > 1 ? join : .all
        self.tests = tests
    }

    public init(_ test: Test) { self.init(.all, [test]) }

    /// The condition as it is stored: `{"question": "pace", "atLeast": 4}`, or a list of tests as `all` or `any`.
    public var json: JSONValue {
        if tests.count == 1 { return tests[0].json }
        return .object([.init(join.rawValue, .array(tests.map(\.json)))])
    }

    /// Whether the condition holds.
    ///
    /// - Parameter answer: Returns the answer to a question; nil if there is none.
    public func holds(_ answer: (String) -> Answer?) -> Bool {
        join == .all
            ? tests.allSatisfy { $0.comparison.holds(answer($0.question)) }
            : tests.contains { $0.comparison.holds(answer($0.question)) }
    }
}

extension ShowIf.Test {
    fileprivate var json: JSONValue {
        let member: JSONValue.Member =
            switch comparison {
            case .equals(let value): .init("is", value.json)
            case .differs(let value): .init("isNot", value.json)
            case .atLeast(let rating): .init("atLeast", JSONValue(rating))
            case .atMost(let rating): .init("atMost", JSONValue(rating))
            case .answered(let isAnswered): .init("answered", .bool(isAnswered))
            }
        return .object([.init("question", .string(question)), member])
    }
}

extension ShowIf.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .option(let id): .string(id)
        case .rating(let rating): JSONValue(rating)
        }
    }

    /// Whether an answer is this one, or has it among its selections.
    fileprivate func isPart(of answer: Answer) -> Bool {
        switch (self, answer) {
        case (.rating(let value), .rating(let rating)): value == rating
        case (.option(Limits.abstention), .abstention): true
        case (.option(TallyKey.other), .choice(_, let other)): other != nil
        case (.option(let id), .choice(let ids, _)): ids.contains(id)
        default: false
        }
    }
}

extension ShowIf.Comparison {
    /// Whether the test holds for an answer; nil if there is none.
    func holds(_ answer: Answer?) -> Bool {
        switch (self, answer) {
        case (.answered(let isExpected), _): (answer != nil && answer != .abstention) == isExpected
        case (_, nil): false
        case (.differs, .abstention): false
        case (.equals(let value), let answer?): value.isPart(of: answer)
        case (.differs(let value), let answer?): !value.isPart(of: answer)
        case (.atLeast(let least), .rating(let rating)): rating >= least
        case (.atMost(let most), .rating(let rating)): rating <= most
        case (.atLeast, _), (.atMost, _): false
        }
    }
}

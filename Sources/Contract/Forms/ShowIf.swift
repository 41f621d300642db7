/// The condition under which a question is asked: one test of an earlier answer, or a list of tests of which all must
/// hold, or any.
public struct ShowIf: Codable, Sendable, Equatable {
    public enum Join: String, Codable, Sendable {
        case all, any
    }

    /// The id of an option, or a rating.
    public enum Value: Codable, Sendable, Equatable {
        case option(String)
        case rating(Int)

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let rating = try? container.decode(Int.self) {
                self = .rating(rating)
            } else {
                self = .option(try container.decode(String.self))
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .option(let id): try container.encode(id)
            case .rating(let rating): try container.encode(rating)
            }
        }
    }

    /// A test of one answer, with exactly one comparison. Without an answer, only `answered: false` holds.
    public struct Test: Codable, Sendable, Equatable {
        /// The key of an earlier question.
        public var question: String
        /// In a multiple choice, the option is among the selected ones.
        public var `is`: Value?
        public var isNot: Value?
        /// Ratings only, as is `atMost`.
        public var atLeast: Int?
        public var atMost: Int?
        public var answered: Bool?

        public init(
            _ question: String, is value: Value? = nil, isNot: Value? = nil, atLeast: Int? = nil, atMost: Int? = nil,
            answered: Bool? = nil
        ) {
            self.question = question
            self.is = value
            self.isNot = isNot
            self.atLeast = atLeast
            self.atMost = atMost
            self.answered = answered
        }
    }

    public var join: Join
    public var tests: [Test]

    public init(_ join: Join, _ tests: [Test]) {
        self.join = join
        self.tests = tests
    }

    public init(_ test: Test) { self.init(.all, [test]) }

    private enum CodingKeys: CodingKey {
        case all, any
    }

    /// In JSON, a condition with one test is that test.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let tests = try container.decodeIfPresent([Test].self, forKey: .all) {
            self.init(.all, tests)
        } else if let tests = try container.decodeIfPresent([Test].self, forKey: .any) {
            self.init(.any, tests)
        } else {
            self.init(.all, [try Test(from: decoder)])
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if tests.count == 1 { return try tests[0].encode(to: encoder) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tests, forKey: join == .all ? .all : .any)
    }
}

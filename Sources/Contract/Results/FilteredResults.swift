/// The results of the submissions that match all conditions. `submissions` and all counts refer to these submissions.
public struct FilteredResults: Codable, Sendable, Equatable {
    /// In JSON, the fields of the results are on the same level as `where` and `of`.
    public var results: Results
    /// The conditions, such as `pace:4`. Encoded as `where`.
    public var conditions: [String]
    /// The number of all submissions of the form. Encoded as `of`.
    public var total: Int
    /// Nil if all submissions were read.
    @ExplicitNull public var partial: SubmissionSampleSize?

    private enum CodingKeys: String, CodingKey {
        case conditions = "where"
        case total = "of"
        case partial
    }

    public init(results: Results, conditions: [String], total: Int, partial: SubmissionSampleSize?) {
        self.results = results
        self.conditions = conditions
        self.total = total
        self.partial = partial
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            results: try Results(from: decoder), conditions: try container.decode([String].self, forKey: .conditions),
            total: try container.decode(Int.self, forKey: .total),
            partial: try container.decode(ExplicitNull<SubmissionSampleSize>.self, forKey: .partial).wrappedValue)
    }

    public func encode(to encoder: any Encoder) throws {
        try results.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(conditions, forKey: .conditions)
        try container.encode(total, forKey: .total)
        try container.encode(_partial, forKey: .partial)
    }
}

/// The size of a random sample of the submissions. The sample is the same for every caller.
public struct SubmissionSampleSize: Codable, Sendable, Equatable {
    /// The number of submissions in the sample.
    public var read: Int
    /// The number of all submissions. Encoded as `of`.
    public var total: Int

    private enum CodingKeys: String, CodingKey {
        case read
        case total = "of"
    }

    public init(read: Int, total: Int) {
        self.read = read
        self.total = total
    }
}

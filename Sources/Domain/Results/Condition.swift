import StrictJSON

/// A condition on one answer, as in a query: `pace:4`, `topics:demo`, `team:other`.
public struct Condition: Sendable, Hashable {
    /// The largest number of conditions in a query. Anonymous forms allow only one.
    public static let maximumCount = 5

    public var key: String
    /// An option's id, a rating in digits, `other`, or `abstain`.
    public var bucket: String

    public init(key: String, bucket: String) {
        self.key = key
        self.bucket = bucket
    }

    /// The condition as written in a query.
    public var text: String { "\(key):\(bucket)" }

    /// Parses conditions on the questions that a form has ever had.
    ///
    /// Throws all errors together as 422 at `?where`: too many conditions, a condition that is not `key:option`, an
    /// unknown question or option, a text question. Whether a condition is valid depends on the form alone, never on
    /// its answers.
    public static func read(
        _ texts: [String], among questions: [Question], atMost limit: Int
    ) throws(Problem) -> [Condition] {
        guard texts.count <= limit else {
            let rule =
                limit == 1 ? "An anonymous form allows one condition at a time." : "At most \(limit) are allowed."
            throw Problem([fault("too-many-conditions", rule)])
        }
        var conditions: [Condition] = []
        var faults: [Fault] = []
        for text in texts {
            do {
                conditions.append(try read(text, among: questions))
            } catch {
                faults.append(error)
            }
        }
        guard faults.isEmpty else { throw Problem(faults) }
        return conditions
    }

    private static func read(_ text: String, among questions: [Question]) throws(Fault) -> Condition {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Limits.isKey(parts[0]), Limits.isKey(parts[1]) || isRating(parts[1]) else {
            throw fault("malformed-condition", "A condition is a question's key, a colon, and an option or a rating.")
        }
        guard let question = questions.first(where: { $0.key == parts[0] }) else {
            throw fault("unknown-question", "The form has no such question.")
        }
        guard question.kind.name != .text else {
            throw fault("not-filterable", "A text question has no options to filter by.")
        }
        guard question.buckets.contains(where: { $0.id == parts[1] }) || question.isAbstention(parts[1]) else {
            throw fault("unknown-option", "The question has no such option or rating.")
        }
        return Condition(key: parts[0], bucket: parts[1])
    }

    private static func isRating(_ text: String) -> Bool {
        1...2 ~= text.utf8.count && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func fault(_ code: String, _ detail: String) -> Fault {
        Fault(.invalid, at: "?where", code: code, detail)
    }
}

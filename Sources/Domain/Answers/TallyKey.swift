/// The key of one maintained count: a bucket of one question.
///
/// Buckets are option ids, `other`, ratings as digits, and the two that every question has: `#answered` and `#skipped`.
public struct TallyKey: Sendable, Hashable, Comparable {
    public static let answered = "#answered"
    public static let skipped = "#skipped"
    public static let other = Limits.otherOption
    /// Counts without a question: submissions, corrections and withdrawals.
    public static let submissions = "#submissions"
    public static let changes = "#changes"

    public var question: String
    public var bucket: String

    public init(question: String, bucket: String) {
        self.question = question
        self.bucket = bucket
    }

    public static func < (left: TallyKey, right: TallyKey) -> Bool {
        left.question == right.question ? left.bucket < right.bucket : left.question < right.question
    }
}

import Domain

/// Results of the submissions that meet some conditions.
public struct FilteredResults: Sendable {
    /// Their `submissions` are those that match; what is withheld of an anonymous form are the questions by which
    /// somebody would stand out.
    public var results: FormResults
    public var conditions: [Condition]
    /// The form's submissions.
    public var total: Int
    /// How many were read, if not all; the counts are of these.
    public var read: Int?
    /// Fewer than usual, since the database was slow: the next reading may have more.
    public var isHurried = false
}

/// Two questions of a form against each other.
public struct FormCrossTab: Sendable {
    /// The form's results, for what stands at the head of each answer.
    public var results: FormResults
    public var table: CrossTab
    /// How many submissions were read, if not all; the counts are of these.
    public var read: Int?
    /// Fewer than usual, since the database was slow: the next reading may have more.
    public var isHurried = false
}

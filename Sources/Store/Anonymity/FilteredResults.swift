import Domain

/// Results of the submissions that match conditions.
public struct FilteredResults: Sendable {
    /// Their `submissions` are those that match. Of an anonymous form, questions that would single somebody out are
    /// withheld.
    public var results: FormResults
    public var conditions: [Condition]
    /// The number of submissions to the form.
    public var total: Int
    /// The number of submissions read, if not all; the counts are of these.
    public var read: Int?
    /// Fewer were read than usual because the database was slow; a later reading may have more.
    public var isHurried = false
}

/// A cross-tab of two questions of a form.
public struct FormCrossTab: Sendable {
    /// The form's results, for the titles of questions and options.
    public var results: FormResults
    public var table: CrossTab
    /// The number of submissions read, if not all; the counts are of these.
    public var read: Int?
    /// Fewer were read than usual because the database was slow; a later reading may have more.
    public var isHurried = false
}

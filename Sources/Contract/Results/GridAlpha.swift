import Foundation

/// How much the statements of a grid measure the same: Cronbach's alpha, at one revision of the results.
public struct GridAlpha: Codable, Sendable, Equatable {
    public var meetingId: ResourceID
    public var formId: ResourceID
    public var version: Int
    public var revision: Int
    public var updatedAt: Date
    public var submissions: Int
    public var grid: QuestionBody.Grid
    /// The keys of the statements.
    public var statements: [String]
    /// The number of people who rated all statements.
    public var n: Int
    /// Null for fewer than two people or statements, and if all people have the same total.
    @ExplicitNull public var alpha: Double?
    /// The lower and the upper bound, by Feldt.
    @ExplicitNull public var confidence95: [Double]?
    /// Null if all submissions were read.
    @ExplicitNull public var partial: SubmissionSampleSize?

    public init(
        meetingId: ResourceID, formId: ResourceID, version: Int, revision: Int, updatedAt: Date, submissions: Int,
        grid: QuestionBody.Grid, statements: [String], n: Int, alpha: Double?, confidence95: [Double]?,
        partial: SubmissionSampleSize?
    ) {
        self.meetingId = meetingId
        self.formId = formId
        self.version = version
        self.revision = revision
        self.updatedAt = updatedAt
        self.submissions = submissions
        self.grid = grid
        self.statements = statements
        self.n = n
        self.alpha = alpha
        self.confidence95 = confidence95
        self.partial = partial
    }
}

import Foundation

/// The cross-tab of two questions of a form, at one revision of the results.
public struct CrossTab: Codable, Sendable, Equatable {
    /// One of the two questions.
    public struct Axis: Codable, Sendable, Equatable {
        public var key: String
        /// `choice` or `rating`.
        public var kind: String
        public var title: String
        /// The number of submissions that answered this question, whether or not they answered the other question.
        public var answered: Int

        public init(key: String, kind: String, title: String, answered: Int) {
            self.key = key
            self.kind = kind
            self.title = title
            self.answered = answered
        }
    }

    /// A pair of buckets. `share` is relative to the submissions in the row that answered the column's question.
    public struct Point: Codable, Sendable, Equatable {
        public var row: String
        public var rowLabel: String
        public var column: String
        public var columnLabel: String
        public var count: Int
        @ExplicitNull public var share: Double?
        @ExplicitNull public var low: Double?
        @ExplicitNull public var high: Double?

        public init(
            row: String, rowLabel: String, column: String, columnLabel: String, count: Int, share: Double?,
            low: Double?, high: Double?
        ) {
            self.row = row
            self.rowLabel = rowLabel
            self.column = column
            self.columnLabel = columnLabel
            self.count = count
            self.share = share
            self.low = low
            self.high = high
        }
    }

    public var meetingId: ResourceID
    public var formId: ResourceID
    public var version: Int
    public var revision: Int
    public var updatedAt: Date
    public var submissions: Int
    /// The number of submissions that answered both questions.
    public var answered: Int
    public var rows: Axis
    public var columns: Axis
    /// The labels of the rows.
    public var labels: [String]
    /// One dataset for each bucket of the columns, with a value for each row.
    public var datasets: [QuestionResults.Dataset]
    /// In row-major order.
    public var points: [Point]
    /// Nil if all submissions were read.
    @ExplicitNull public var partial: SubmissionSampleSize?

    public init(
        meetingId: ResourceID, formId: ResourceID, version: Int, revision: Int, updatedAt: Date, submissions: Int,
        answered: Int, rows: Axis, columns: Axis, labels: [String], datasets: [QuestionResults.Dataset],
        points: [Point], partial: SubmissionSampleSize?
    ) {
        self.meetingId = meetingId
        self.formId = formId
        self.version = version
        self.revision = revision
        self.updatedAt = updatedAt
        self.submissions = submissions
        self.answered = answered
        self.rows = rows
        self.columns = columns
        self.labels = labels
        self.datasets = datasets
        self.points = points
        self.partial = partial
    }
}

import Domain

/// One row per option or rating of each question, with its count and share.
public enum SummaryTable {
    public static let columns =
        QuestionsTable.questionColumns + [
            Column("bucket_position", "Bucket position", .integer),
            Column("option_id", "Option ID", .text),
            Column("label", "Label", .text),
            Column("value", "Value", .integer),
            Column("count", "Count", .integer),
            Column("share", "Share", .real),
            Column("answered", "Answered", .integer),
            Column("skipped", "Skipped", .integer),
        ]

    /// The rows of a meeting's questions, given in the form's order.
    ///
    /// A question without buckets, a text or a withheld result, has one row with the bucket's columns empty, so that no
    /// question is missing from the table; a withheld one also without counts.
    public static func rows(_ meeting: MeetingContext, _ results: [QuestionResult]) -> [[Cell]] {
        results.enumerated().flatMap { index, result -> [[Cell]] in
            let question = QuestionsTable.questionCells(meeting, index + 1, result)
            let counts = QuestionsTable.countCells(result)
            guard !result.points.isEmpty else { return [question + Array(repeating: .empty, count: 6) + counts] }
            return result.points.enumerated().map { place, point in
                let bucket: [Cell] = [
                    .integer(place + 1), .text(point.id), .text(point.label), .integer(point.value),
                    .integer(point.count), .real(point.share),
                ]
                return question + bucket + counts
            }
        }
    }
}

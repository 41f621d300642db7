import Domain

/// One row for each option or rating of each question, with its count and share.
enum SummaryTable {
    static let columns =
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

    /// The columns about the room, which an export has only on request.
    static let roomColumns =
        QuestionsTable.roomFacts + [
            Column("room_low", "Share in this room, low", .real),
            Column("room_high", "Share in this room, high", .real),
            Column("certain_low", "Share in this room, certain low", .real),
            Column("certain_high", "Share in this room, certain high", .real),
        ]

    /// The rows of a meeting's questions, in the form's order.
    ///
    /// A text question or a withheld result has one row with empty bucket columns, so that no question is missing. If
    /// withheld, the counts are empty too. A rating that offers an abstention has one more row, without value and share.
    static func rows(
        _ meeting: MeetingContext, _ results: [QuestionResult], withRoom: Bool = false, withGrids: Bool = false
    ) -> [[Cell]] {
        results.enumerated().flatMap { index, result -> [[Cell]] in
            let question = QuestionsTable.questionCells(meeting, index + 1, result)
            let counts = QuestionsTable.countCells(result)
            func furtherCells(_ bounds: RoomInterval?) -> [Cell] {
                (withRoom ? QuestionsTable.factCells(result.room) + QuestionsTable.boundCells(bounds) : [])
                    + (withGrids ? QuestionsTable.gridCells(result) : [])
            }
            guard !result.points.isEmpty else {
                return [question + Array(repeating: .empty, count: 6) + counts + furtherCells(nil)]
            }
            let abstentions: [[Cell]] =
                result.abstain.map { label in
                    let bucket: [Cell] = [
                        .integer(result.points.count + 1), .text(Limits.abstention), .text(label), .empty,
                        .integer(result.abstained), .empty,
                    ]
                    return [question + bucket + counts + furtherCells(nil)]
                } ?? []
            return result.points.enumerated().map { position, point in
                let bucket: [Cell] = [
                    .integer(position + 1), .text(point.id), .text(point.label), .integer(point.value),
                    .integer(point.count), .real(point.share),
                ]
                return question + bucket + counts + furtherCells(result.room?.points[position])
            } + abstentions
        }
    }
}

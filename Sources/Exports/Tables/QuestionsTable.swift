import Domain

/// One row for each question of a meeting, with its statistics.
enum QuestionsTable {
    /// The columns that identify the meeting and the question, shared with the summary.
    static let questionColumns =
        MeetingContext.leadingColumns + [
            Column("time_zone", "Time zone", .text),
            Column("position", "Position", .integer),
            Column("question", "Question", .text),
            Column("kind", "Kind", .text),
            Column("title", "Title", .text),
        ]

    static func questionCells(_ meeting: MeetingContext, _ position: Int, _ result: QuestionResult) -> [Cell] {
        meeting.leadingCells + [
            .text(meeting.timeZone), .integer(position), .text(result.key), .text(result.kind.rawValue),
            .text(result.title),
        ]
    }

    /// The numbers of answers and skips. Withheld counts are empty, because 0 would be a count.
    static func countCells(_ result: QuestionResult) -> [Cell] {
        result.isWithheld ? [.empty, .empty] : [.integer(result.answered), .integer(result.skipped)]
    }

    /// The number of submissions that were asked. Last in its tables, because it was added last.
    static func askedCell(_ result: QuestionResult) -> Cell {
        result.isWithheld ? .empty : .integer(result.asked)
    }

    static let columns =
        questionColumns + [
            Column("answered", "Answered", .integer),
            Column("skipped", "Skipped", .integer),
            Column("mean", "Mean", .real),
            Column("median", "Median", .real),
            Column("standard_deviation", "Standard deviation", .real),
            Column("low", "Mean, low", .real),
            Column("high", "Mean, high", .real),
            Column("nps", "NPS", .real),
            Column("asked", "Asked", .integer),
        ]

    /// The rows of a meeting's questions, in the form's order. `low` and `high` are the bounds of the interval of the
    /// mean, clipped to the scale.
    static func rows(_ meeting: MeetingContext, _ results: [QuestionResult]) -> [[Cell]] {
        results.enumerated().map { index, result in
            let summary = result.summary
            return questionCells(meeting, index + 1, result) + countCells(result) + [
                .real(summary?.mean), .real(summary?.median), .real(summary?.standardDeviation),
                .real(result.meanInterval?.low), .real(result.meanInterval?.high), .real(summary?.nps?.score),
                askedCell(result),
            ]
        }
    }
}

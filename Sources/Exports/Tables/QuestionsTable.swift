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
        ]

    /// The columns about the room, which an export has only on request.
    static let roomColumns =
        [Column("grouped_median", "Interpolated median", .real)] + roomFacts + [
            Column("room_low", "Mean in this room, low", .real),
            Column("room_high", "Mean in this room, high", .real),
            Column("certain_low", "Mean in this room, certain low", .real),
            Column("certain_high", "Mean in this room, certain high", .real),
            Column("nps_room_low", "NPS in this room, low", .real),
            Column("nps_room_high", "NPS in this room, high", .real),
            Column("nps_certain_low", "NPS in this room, certain low", .real),
            Column("nps_certain_high", "NPS in this room, certain high", .real),
        ]

    /// The columns about the grid of a statement, which an export has only on request.
    static let gridColumns = [Column("grid", "Grid", .text), Column("grid_title", "Title of the grid", .text)]

    static func gridCells(_ result: QuestionResult) -> [Cell] { [.text(result.grid?.key), .text(result.grid?.title)] }

    /// The number of people in the room, and the statement that pages show first.
    static let roomFacts = [
        Column("room_people", "People", .integer),
        Column("room_first", "First statement", .text),
    ]

    private static func roomCells(of result: QuestionResult) -> [Cell] {
        [.real(result.summary?.groupedMedian)] + factCells(result.room) + boundCells(result.room?.mean)
            + boundCells(result.room?.nps)
    }

    static func factCells(_ room: RoomResult?) -> [Cell] {
        [.integer(room?.people), .text(room?.first.rawValue)]
    }

    /// The bounds if those who were silent are like the others, then the certain ones.
    static func boundCells(_ interval: RoomInterval?) -> [Cell] {
        [
            .real(interval?.ifAlike?.low), .real(interval?.ifAlike?.high), .real(interval?.certain.low),
            .real(interval?.certain.high),
        ]
    }

    /// The rows of a meeting's questions, in the form's order. `low` and `high` are the bounds of the interval of the
    /// mean, clipped to the scale.
    static func rows(
        _ meeting: MeetingContext, _ results: [QuestionResult], withRoom: Bool = false, withGrids: Bool = false
    ) -> [[Cell]] {
        results.enumerated().map { index, result in
            let summary = result.summary
            return questionCells(meeting, index + 1, result) + countCells(result) + [
                .real(summary?.mean), .real(summary?.median), .real(summary?.standardDeviation),
                .real(result.meanInterval?.low), .real(result.meanInterval?.high), .real(summary?.nps?.score),
            ] + (withRoom ? roomCells(of: result) : []) + (withGrids ? gridCells(result) : [])
        }
    }
}

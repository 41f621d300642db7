import Domain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One row per answer: the long form, which any number of different forms fit into.
public enum AnswersTable {
    public static let columns = [
        Column("meeting_id", "Meeting ID", .text),
        Column("submission_id", "Submission ID", .text),
        Column("submitted_at", "Submitted at", .instant),
        Column("question", "Question", .text),
        Column("kind", "Kind", .text),
        Column("option_id", "Option ID", .text),
        Column("value", "Value", .text),
    ]

    /// The rows of one submission; a multiple choice has a row for each selection, a skipped question none.
    ///
    /// An anonymous form's rows come without submission and time, and the caller shuffles them by question.
    public static func rows(
        meetingId: UUID, submissionId: UUID?, submittedAt: Date?, answers: Answers
    ) -> [[Cell]] {
        answers.entries.flatMap { entry in
            rows(meetingId: meetingId, submissionId: submissionId, submittedAt: submittedAt, entry: entry)
        }
    }

    /// The rows of one answer.
    public static func rows(
        meetingId: UUID, submissionId: UUID?, submittedAt: Date?, entry: Answers.Entry
    ) -> [[Cell]] {
        let lead: [Cell] = [
            .uuid(meetingId), submissionId.map { .uuid($0) } ?? .empty, .instant(submittedAt), .text(entry.key),
        ]
        switch entry.answer {
        case .rating(let rating): return [lead + [kind(.rating), .empty, .integer(rating)]]
        case .text(let text): return [lead + [kind(.text), .empty, .text(text)]]
        case .choice(let ids, let other):
            let chosen = ids.map { lead + [kind(.choice), .text($0), .empty] }
            guard let other else { return chosen }
            return chosen + [lead + [kind(.choice), .text("other"), .text(other)]]
        }
    }

    private static func kind(_ name: Question.KindName) -> Cell { .text(name.rawValue) }
}

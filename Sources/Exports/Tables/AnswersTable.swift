import Domain
import Foundation
import Store

/// The long format: one row for each answer, whatever the form.
enum AnswersTable {
    static let columns = [
        Column("meeting_id", "Meeting ID", .identifier),
        Column("submission_id", "Submission ID", .identifier),
        Column("submitted_at", "Submitted at", .instant),
        Column("question", "Question", .text),
        Column("kind", "Kind", .text),
        Column("option_id", "Option", .text),
        Column("value", "Value", .text),
    ]
    /// The columns that follow if the stars and tags of texts are written.
    static let markColumns = [Column("star", "Star", .flag), Column("tags", "Tags", .text)]

    /// The rows of answers. A multiple choice has a row for each selection, a skipped question none.
    ///
    /// For an anonymous form, rows have no submission id and no time, and `ExportReader.anonymousAnswers` provides the
    /// entries in an order that reveals nothing.
    ///
    /// - Parameters:
    ///   - titles: The titles and labels to write instead of keys and ids. If nil, keys and ids are written.
    ///   - marks: The stars and tags of the texts by question. Nil if the table has no columns for them.
    static func rows(
        meetingID: UUID, submissionID: UUID?, submittedAt: Date?, entries: [Answers.Entry],
        titles: AnswerTitles? = nil, marks: [String: TextMarks]? = nil
    ) -> [[Cell]] {
        entries.flatMap { entry -> [[Cell]] in
            let lead: [Cell] = [
                .uuid(meetingID), submissionID.map { .uuid($0) } ?? .empty, .instant(submittedAt),
                .text(titles?.title(of: entry.key) ?? entry.key),
            ]
            func option(_ id: String) -> Cell { .text(titles?.label(of: id, in: entry.key) ?? id) }
            let unmarked: [Cell] = marks == nil ? [] : [.empty, .empty]
            let marked = marks.map { ($0[entry.key] ?? .none).cells } ?? []
            switch entry.answer {
            case .rating(let rating): return [lead + [kind(.rating), .empty, .integer(rating)] + unmarked]
            case .abstention: return [lead + [kind(.rating), option(Limits.abstention), .empty] + unmarked]
            case .text(let text): return [lead + [kind(.text), .empty, .text(text)] + marked]
            case .choice(let ids, let other):
                let chosen = ids.map { lead + [kind(.choice), option($0), .empty] + unmarked }
                guard let other else { return chosen }
                return chosen + [lead + [kind(.choice), option("other"), .text(other)] + marked]
            }
        }
    }

    private static func kind(_ name: Question.KindName) -> Cell { .text(name.rawValue) }
}

extension TextMarks {
    /// Whether the text has a star, and its tags. No tag contains a comma.
    var cells: [Cell] { [.flag(isStarred), tags.isEmpty ? .empty : .text(tags.joined(separator: ", "))] }
}

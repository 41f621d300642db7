import Domain
import Foundation
import Store

/// The error for a form with questions for which the table of submissions has no columns.
struct QuestionsChanged: Error {}

extension Export {
    /// Writes the submissions or answers of one form.
    func writeAnswers(
        of meeting: Meeting, _ table: SubmissionsTable?, into output: inout ExportOutput,
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        if kind == .submissions, meeting.form.anonymous { throw Problem(.anonymousForm) }
        if case .meeting = scope.extent { try meeting.form.requireAnswers() }
        if meeting.form.anonymous { return try await writeAnonymousAnswers(of: meeting, into: &output, sink) }
        if let table { return try await writeSubmissions(of: meeting, table, into: &output, sink) }
        var titles: AnswerTitles?
        try await reader.records(
            of: meeting.form.id, includesPeople: false, includesMarks: options.marks
        ) { form, records in
            if options.writesTitles, titles == nil { titles = AnswerTitles(form.questions) }
            try records.forEach { record in
                let stored = try record.decoded(in: form)
                output.append(
                    AnswersTable.rows(
                        meetingID: meeting.id, submissionID: stored.id, submittedAt: stored.submittedAt,
                        entries: Answers.read(stored: stored.answers, in: form).entries, titles: titles,
                        marks: options.marks ? stored.marks : nil))
            }
            try await output.flushIfFull(sink)
        }
    }

    /// Throws `QuestionsChanged` if the form has questions for which the table has no columns.
    private func writeSubmissions(
        of meeting: Meeting, _ table: SubmissionsTable, into output: inout ExportOutput,
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        var encoder: SubmissionEncoder?
        try await reader.records(
            of: meeting.form.id, includesPeople: table.hasPeople, includesMarks: table.hasMarks
        ) { form, records in
            if encoder == nil {
                guard table.hasColumns(for: form.questions) else { throw QuestionsChanged() }
                encoder = output.makeEncoder(for: table, of: form, at: meeting)
            }
            for part in records.parts(of: max(1, Self.cellsPerPart / table.columns.count)) {
                func cells(_ record: SubmissionRecord) throws -> [Cell] {
                    table.row(try SubmissionRow(record.decoded(in: form), in: form, at: meeting))
                }
                if table.hasMarks {
                    try part.forEach { output.append([try cells($0)]) }
                } else {
                    try output.append(part, as: &encoder!, cells: cells)
                }
                try await output.flushIfFull(sink)
            }
        }
    }

    private func writeAnonymousAnswers(
        of meeting: Meeting, into output: inout ExportOutput, isolation: isolated (any Actor)? = #isolation,
        _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        do {
            let titles = options.writesTitles ? AnswerTitles(try await reader.form(meeting.form.id).questions) : nil
            try await reader.anonymousAnswers(of: meeting) { answers in
                for (entry, marks) in answers {
                    output.append(
                        AnswersTable.rows(
                            meetingID: meeting.id, submissionID: nil, submittedAt: nil, entries: [entry],
                            titles: titles, marks: options.marks ? [entry.key: marks] : nil))
                }
                try await output.flushIfFull(sink)
            }
        } catch let problem as Problem where [.resultsWithheld, .answersDeleted, .notFound].contains(problem.code) {
            // An export of several meetings leaves out an anonymous form whose answers are withheld, as documented. It
            // also leaves out a meeting or answers that were deleted in the meantime.
            if case .meeting = scope.extent { throw problem }
        }
    }
}

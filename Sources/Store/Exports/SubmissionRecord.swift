import Domain
import Foundation
import Postgres
import StrictJSON

extension ExportReader {
    /// Reads a form's submissions in chunks, the oldest first, in constant memory. Reads nothing if the form is
    /// anonymous or its answers have expired.
    ///
    /// Each chunk comes with the form's questions of all versions. They come from the same snapshot as the rows, so
    /// that no answer to a question that was added in the meantime is lost.
    ///
    /// - Parameters:
    ///   - includesPeople: Whether to read names and addresses.
    ///   - includesMarks: Whether to read the stars and tags of texts.
    public func records(
        of formID: UUID, includesPeople: Bool, includesMarks: Bool = false,
        isolation: isolated (any Actor)? = #isolation,
        _ consume: (PreparedForm, SubmissionRecords) async throws -> Void
    ) async throws {
        // Only submissions of anonymous forms have no time. The query excludes them, because the index of times does
        // not contain them. Without this index, all rows would have to be sorted before the first byte could be sent.
        // The form is read once and attendees are joined only if necessary, because a join takes time for each row.
        var (columns, join): (Statement, Statement) = ("", "")
        if includesPeople {
            (columns, join) = (", a.name, a.email::text", "LEFT JOIN listed_attendee a ON a.id = s.attendee_id")
        } else if includesMarks {
            columns = ", NULL::text, NULL::text"
        }
        if includesMarks { columns += ", s.marks" }
        let query: Statement = """
            SELECT s.id, s.submitted_at, s.version, s.answers, s.hidden\(fragment: columns)
            FROM submission s \(fragment: join)
            WHERE s.form_id = \(literal: formID) AND NOT s.withdrawn AND s.submitted_at IS NOT NULL
                AND NOT (SELECT fs.anonymous OR fs.answers_expired_at IS NOT NULL FROM form_state fs
                    WHERE fs.form_id = \(literal: formID))
            ORDER BY s.submitted_at, s.id
            """
        try await source.snapshot { connection in
            let form = PreparedForm(questions: try await Forms.questions(of: formID, on: connection))
            for try await rows in connection.copiedRows(query) {
                try await consume(form, SubmissionRecords(rows: rows, range: 0..<rows.count))
            }
        }
    }

    /// Reads the same submissions as `records`, with their answers parsed as JSON.
    public func submissions(
        of formID: UUID, isolation: isolated (any Actor)? = #isolation,
        _ consume: ([StoredSubmission]) async throws -> Void
    ) async throws {
        try await records(of: formID, includesPeople: true) { form, records in
            var submissions: [StoredSubmission] = []
            try records.forEach { submissions.append(try $0.decoded(in: form)) }
            try await consume(submissions)
        }
    }
}

/// A chunk of submissions, decoded on access.
public struct SubmissionRecords: Sendable {
    fileprivate let rows: CopiedRows
    fileprivate let range: Range<Int>

    /// Calls `body` with each submission in order.
    public func forEach(_ body: (SubmissionRecord) throws -> Void) rethrows {
        try rows.forEach(in: range) { try body(SubmissionRecord(row: $0)) }
    }

    /// The submissions in parts of at most `count`, in order. `count` must be positive.
    public func parts(of count: Int) -> [SubmissionRecords] {
        stride(from: range.lowerBound, to: range.upperBound, by: count).map { start in
            SubmissionRecords(rows: rows, range: start..<min(start + count, range.upperBound))
        }
    }
}

/// A submission as the bytes that the database sent. Valid only during the call of `SubmissionRecords.forEach`.
public struct SubmissionRecord {
    fileprivate let row: CopiedRow
    /// The first byte of the binary format of `jsonb`, before the text.
    private static let jsonbVersion: UInt8 = 1

    /// The 16 bytes of the id.
    public var id: UnsafeRawBufferPointer? { row[0] }
    public var submittedAt: Date { get throws { try row.decode(Date.self, at: 1, of: .timestamptz) } }
    public var version: Int { get throws { try row.decode(Int.self, at: 2, of: .int4) } }
    /// JSON as PostgreSQL writes it: with a space after each comma and colon, and the members of an object ordered by
    /// the length of their names.
    public var answers: UnsafeRawBufferPointer? {
        guard let bytes = row[3], bytes.first == Self.jsonbVersion else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }
    /// Whether some texts are hidden. They are in `answers` nevertheless.
    public var hasHiddenTexts: Bool { row[4] != nil }
    /// Nil if names were not read.
    public var name: String? { get throws { try person(5) } }
    public var email: String? { get throws { try person(6) } }

    /// The stars and tags of texts by question. Empty if they were not read.
    private var marks: [String: TextMarks] {
        get throws {
            guard row.count > 7, let text = try row.decode(String?.self, at: 7, of: .jsonb) else { return [:] }
            let members = try StoredJSON.parse(text).members ?? []
            return try members.reduce(into: [:]) { $0[$1.name] = try TextMarks(stored: $1.value.text) }
        }
    }

    private func person(_ column: Int) throws -> String? {
        row.count > column ? try row.decode(String?.self, at: column, of: .text) : nil
    }

    /// The submission without hidden texts. An own answer to a choice counts nevertheless: its words are empty.
    public func decoded(in form: PreparedForm) throws -> StoredSubmission {
        var answers = try StoredJSON.parse(row.decode(String.self, at: 3, of: .jsonb))
        let hidden = try row.decode([String]?.self, at: 4, of: .text)
        if let hidden, case .object(let members) = answers {
            answers = .object(
                members.compactMap { member in
                    guard hidden.contains(member.name) else { return member }
                    guard form.question(member.name)?.kind.name == .choice else { return nil }
                    return .init(member.name, Self.withoutOwnWords(member.value))
                })
        }
        return StoredSubmission(
            id: try row.decode(UUID.self, at: 0, of: .uuid), submittedAt: try submittedAt, version: try version,
            answers: answers, name: try name, email: try email,
            marks: try marks.filter { hidden?.contains($0.key) != true })
    }

    private static func withoutOwnWords(_ selection: JSONValue) -> JSONValue {
        switch selection {
        case .array(let selections): .array(selections.map(withoutOwnWords))
        case .object(let members): .object(members.map { .init($0.name, .string("")) })
        default: selection
        }
    }
}

/// A submission as read by an export, without hidden texts.
public struct StoredSubmission: Sendable {
    public var id: UUID
    public var submittedAt: Date?
    public var version: Int
    public var answers: JSONValue
    public var name: String?
    public var email: String?
    /// The stars and tags of texts by question, as far as they were read.
    public var marks: [String: TextMarks] = [:]
}

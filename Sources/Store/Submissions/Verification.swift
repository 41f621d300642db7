import Domain
import Foundation
import Postgres

/// Compares the maintained numbers (tallies, timelines and the number of submissions) with the stored submissions, and
/// repairs them.
///
/// The submissions of a form are streamed, so that memory use does not depend on their number. They are read in one
/// snapshot without a lock, so that a running service is not blocked. The counts of a minimum group (`pending`,
/// `shown`) depend on the order of past submissions and can't be counted again. The same applies to all counts of a
/// form whose answers were deleted at the end of their retention. Of such a form, only the number of submissions is
/// compared with the tallies.
public struct Verification: Sendable {
    /// A maintained number that differs from the submissions.
    public struct Difference: Sendable, Equatable {
        public enum Kind: String, Sendable {
            /// The form's number of submissions.
            case submissions
            /// One bucket of one question.
            case tally
            /// One minute of the timeline, or one day for an anonymous form. The bucket is the time.
            case timeline
            /// Submissions to a version that was never published. The bucket is the number of the version. These
            /// submissions can't be counted, so the form is not repaired.
            case version
            /// Submissions that are stored although their form's answers were deleted at the end of their retention.
            /// The form is not repaired.
            case expired
        }

        public var formID: UUID
        public var meetingID: UUID
        public var kind: Kind
        public var question: String?
        public var bucket: String?
        public var stored: Int
        public var counted: Int
    }

    public struct Report: Sendable {
        /// The maximum number of differences in the report. Further ones are only counted.
        public static let maxDifferences = 1_000

        public var forms = 0
        public var submissions = 0
        public var tallies = 0
        public var differenceCount = 0
        /// The number of differences that a repair has corrected.
        public var repaired = 0
        public var differences: [Difference] = []

        mutating func add(_ recount: Recount) {
            forms += 1
            submissions += recount.submissions
            tallies += recount.tallies
            differenceCount += recount.differences.count
            differences += recount.differences.prefix(max(0, Self.maxDifferences - differences.count))
        }
    }

    let pool: Pool

    /// Verifies all forms, or the form of one meeting. Throws 404 for an unknown meeting.
    ///
    /// - Parameters:
    ///   - repair: Whether to correct the numbers that differ.
    ///   - progress: Called with the number of submissions read so far, and the expected total.
    public func run(
        meeting: UUID? = nil, repair: Bool = false, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> Report {
        let total = try await expectedTotal(meeting)
        var report = Report()
        var last: UUID?
        while true {
            let page = try await forms(of: meeting, after: last)
            for forms in Self.groups(page) {
                let before = report.submissions
                for recount in try await recount(forms, progress: { progress(before + $0, total) }) {
                    report.add(recount)
                    if repair, recount.isRepairable {
                        try await self.repair(recount.formID, recount.meetingID)
                        report.repaired += recount.differences.count
                    }
                }
                progress(report.submissions, total)
            }
            guard let end = page.last, meeting == nil else { break }
            last = end.formID
        }
        guard meeting == nil || report.forms > 0 else { throw Problem(.notFound) }
        return report
    }

    private struct Form {
        var formID: UUID
        var meetingID: UUID
        var submissions: Int
    }

    /// The maximum number of submissions that are read in one transaction, unless one form has more.
    private static let maxSubmissions = 20_000
    /// The maximum number of forms that are read in one transaction.
    private static let maxForms = 200

    /// Splits the forms into groups that are recounted together, so that small forms do not need queries of their own.
    private static func groups(_ forms: [Form]) -> [[Form]] {
        var groups: [[Form]] = []
        var submissions = 0
        for form in forms {
            submissions += form.submissions
            if let last = groups.last, last.count < maxForms, submissions <= maxSubmissions {
                groups[groups.count - 1].append(form)
            } else {
                groups.append([form])
                submissions = form.submissions
            }
        }
        return groups
    }

    private func recount(_ forms: [Form], progress: @escaping @Sendable (Int) -> Void) async throws -> [Recount] {
        let ids = forms.map { (formID: $0.formID, meetingID: $0.meetingID) }
        return try await pool.transaction(isolation: .repeatableRead) { connection in
            try await Recount.run(ids, on: connection, progress: progress)
        }
    }

    /// Recounts the submissions and corrects the numbers under the form's lock, which every writer takes first. So
    /// nothing changes between the recount and the correction.
    private func repair(_ formID: UUID, _ meetingID: UUID) async throws {
        try await pool.transaction(isolation: .readCommitted) { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(formID) FOR UPDATE")
            for recount in try await Recount.run([(formID, meetingID)], on: connection, progress: { _ in })
            where recount.isRepairable {
                try await recount.write(on: connection)
            }
        }
    }

    private func expectedTotal(_ meeting: UUID?) async throws -> Int {
        let rows = try await pool.query(
            """
            SELECT coalesce(sum(fs.submissions), 0)::bigint FROM form_state fs JOIN form f ON f.id = fs.form_id
            WHERE \(meeting)::uuid IS NULL OR f.meeting_id = \(meeting)
            """)
        return try rows.single().decode(Int.self)
    }

    private func forms(of meeting: UUID?, after last: UUID?) async throws -> [Form] {
        let rows = try await pool.query(
            """
            SELECT f.id, f.meeting_id, coalesce(fs.submissions, 0)
            FROM form f LEFT JOIN form_state fs ON fs.form_id = f.id
            WHERE (\(last)::uuid IS NULL OR f.id > \(last)) AND (\(meeting)::uuid IS NULL OR f.meeting_id = \(meeting))
            ORDER BY f.id LIMIT 1000
            """)
        return try rows.map { row in
            let (formID, meetingID, submissions) = try row.decode(UUID.self, UUID.self, Int.self)
            return Form(formID: formID, meetingID: meetingID, submissions: submissions)
        }
    }
}

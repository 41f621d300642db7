import Domain
import Foundation
import Postgres

/// Recounts maintained numbers from the submissions: tallies, timelines and the number of submissions.
///
/// Each form is read in one snapshot and streamed, so that memory depends neither on the number of forms nor on that of
/// submissions, and a running service is not blocked by a lock. The counts of a minimum group (`pending`, `shown`)
/// depend on history and cannot be recounted.
public struct Verification: Sendable {
    /// A maintained number that differs from the submissions.
    public struct Difference: Sendable, Equatable {
        public enum What: String, Sendable {
            /// The form's number of submissions.
            case submissions
            /// One bucket of one question.
            case tally
            /// One minute, or day of an anonymous form; the bucket is its time.
            case timeline
            /// Submissions whose version was never published; the bucket is its number. They cannot be counted, so a
            /// repair does not change their form.
            case version
        }

        public var formID: UUID
        public var meetingID: UUID
        public var what: What
        public var question: String?
        public var bucket: String?
        public var stored: Int
        public var counted: Int
    }

    public struct Report: Sendable {
        /// Further differences are only counted.
        public static let kept = 1_000

        public var forms = 0
        public var submissions = 0
        public var tallies = 0
        public var differenceCount = 0
        /// The number of differences that a repair has corrected.
        public var mended = 0
        public var differences: [Difference] = []

        mutating func add(_ recount: Recount) {
            forms += 1
            submissions += recount.submissions
            tallies += recount.tallies
            differenceCount += recount.differences.count
            differences += recount.differences.prefix(max(0, Self.kept - differences.count))
        }
    }

    let pool: Pool

    /// Throws 404 for an unknown meeting.
    ///
    /// - Parameter progress: Called with the submissions read and, as far as it is known, their number.
    public func run(
        meeting: UUID? = nil, repair: Bool = false, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> Report {
        let total = try await expected(meeting)
        var report = Report()
        var last: UUID?
        while true {
            let page = try await forms(of: meeting, after: last)
            for (formID, meetingID) in page {
                let before = report.submissions
                let recount = try await recount(formID, meetingID) { progress(before + $0, total) }
                report.add(recount)
                if repair, recount.isMendable {
                    try await self.repair(formID, meetingID)
                    report.mended += recount.differences.count
                }
                progress(report.submissions, total)
            }
            guard let end = page.last, meeting == nil else { break }
            last = end.formID
        }
        guard meeting == nil || report.forms > 0 else { throw Problem(.notFound) }
        return report
    }

    private func recount(
        _ formID: UUID, _ meetingID: UUID, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Recount {
        try await pool.transaction(isolation: .repeatableRead) { connection in
            try await Recount.make(formID, meetingID, on: connection, progress: progress)
        }
    }

    /// Runs under the lock that every writer of the form takes first, so that nothing changes between count and
    /// correction.
    private func repair(_ formID: UUID, _ meetingID: UUID) async throws {
        try await pool.transaction(isolation: .readCommitted) { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(formID) FOR UPDATE")
            let recount = try await Recount.make(formID, meetingID, on: connection) { _ in }
            if recount.isMendable { try await recount.write(on: connection) }
        }
    }

    private func expected(_ meeting: UUID?) async throws -> Int {
        let rows = try await pool.query(
            """
            SELECT coalesce(sum(fs.submissions), 0)::bigint FROM form_state fs JOIN form f ON f.id = fs.form_id
            WHERE \(meeting)::uuid IS NULL OR f.meeting_id = \(meeting)
            """)
        return try rows.single().decode(Int.self)
    }

    private func forms(of meeting: UUID?, after last: UUID?) async throws -> [(formID: UUID, meetingID: UUID)] {
        let rows = try await pool.query(
            """
            SELECT f.id, f.meeting_id FROM form f
            WHERE (\(last)::uuid IS NULL OR f.id > \(last)) AND (\(meeting)::uuid IS NULL OR f.meeting_id = \(meeting))
            ORDER BY f.id LIMIT 1000
            """)
        return try rows.map { row in
            let (formID, meetingID) = try row.decode(UUID.self, UUID.self)
            return (formID, meetingID)
        }
    }
}

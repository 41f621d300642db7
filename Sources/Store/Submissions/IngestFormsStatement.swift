import Domain
import Foundation
import Postgres

/// Calls the SQL function `ingest_forms` with the offers for several forms, and decodes its result.
///
/// A call of `ingest` costs PostgreSQL ten to twenty times as much as one of its rows. With many forms, a batch has few
/// rows for each of them.
struct IngestFormsStatement {
    let statement: Statement
    /// The indices of the batch's groups that the statement contains.
    let groups: [Int]
    private let sizes: [Int]

    /// Returns nil if fewer than two groups are suitable.
    ///
    /// - Parameter batch: The offers of each form, in the order of the forms' ids.
    init?(_ batch: [ArraySlice<Offer>], imported: Bool, attempt: Int32) {
        groups = batch.indices.filter { Self.isSuitable(batch[$0]) }
        guard groups.count > 1 else { return nil }
        sizes = groups.map { batch[$0].count }
        let (firsts, rows) = (groups.compactMap { batch[$0].first }, groups.flatMap { batch[$0] })
        var counts = FormCounts()
        for (index, group) in groups.enumerated() { counts.add(batch[group], form: Int32(index + 1)) }
        let rowForms = sizes.enumerated().flatMap { index, size in repeatElement(Int32(index + 1), count: size) }
        let attendees = IngestStatement.column(rows.map(\.attendeeID))
        let (keyMACs, bodyMACs) = (
            IngestStatement.column(rows.map(\.keyMAC)), IngestStatement.column(rows.map(\.bodyMAC))
        )
        // The SQL function unnests the times together with the rows, so it always needs the array.
        let times: [Date?] = rows.map { imported ? $0.submittedAt : nil }
        statement = """
            SELECT stored, times, revisions FROM ingest_forms(\(firsts.map(\.formID)),
                \(firsts.map { Int32($0.version) }), \(sizes.map { Int32($0) }), \(rowForms), \(rows.map(\.id)),
                \(rows.map(\.answers)), \(attendees), \(keyMACs), \(bodyMACs), \(times), \(counts.forms),
                \(counts.questions), \(counts.buckets), \(counts.totals), \(imported), \(attempt))
            """
    }

    /// Returns whether all offers of one form answer the same version and have different ids. Large forms are not
    /// suitable, because `ingest` is faster at adding many counts.
    private static func isSuitable(_ offers: ArraySlice<Offer>) -> Bool {
        guard let first = offers.first else { return false }
        if let increments = first.increments, increments.version.isLarge { return false }
        guard offers.count > 1 else { return true }
        return offers.allSatisfy { $0.version == first.version } && Set(offers.map(\.id)).count == offers.count
    }

    /// Decodes the outcomes by the index of the group. Those of a group that was not stored are missing.
    func outcomes(_ rows: Rows) throws(PostgresError) -> [Int: [Outcome]] {
        guard let row = rows.first else { return [:] }
        let (stored, times, revisions) = try row.decode([Bool].self, [Date]?.self, [Int?].self)
        guard let times else { return [:] }
        var outcomes: [Int: [Outcome]] = [:]
        var start = 0
        for (index, size) in sizes.enumerated() {
            if stored[index] {
                outcomes[groups[index]] = times[start..<start + size].map {
                    .created(at: $0, revision: revisions[index] ?? 0)
                }
            }
            start += size
        }
        return outcomes
    }
}

/// The total of each bucket of several forms, in the form that `ingest_forms` expects.
private struct FormCounts {
    private(set) var forms: [Int32] = []
    private(set) var questions: [String] = []
    private(set) var buckets: [String] = []
    private(set) var totals: [Int64] = []

    mutating func add(_ offers: ArraySlice<Offer>, form: Int32) {
        var counts = BatchCounts()
        for offer in offers {
            if let increments = offer.increments { counts.add(increments, row: 0) }
        }
        forms += repeatElement(form, count: counts.totals.count + 1)
        questions += counts.questions + [""]
        buckets += counts.buckets + [TallyKey.submissions]
        totals += counts.totals + [Int64(offers.count)]
    }
}

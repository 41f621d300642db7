import Domain
import Foundation
import Postgres

/// Calls the SQL function `ingest` with the offers for one form, and decodes its result.
package enum IngestStatement {
    /// The statement that stores the offers.
    ///
    /// - Parameter attempt: The random number of the batch. A retry uses the same number, by which it recognizes the
    ///   rows that the batch has already stored.
    package static func make(_ offers: ArraySlice<Offer>, imported: Bool, attempt: Int32) -> Statement {
        var counts = BatchCounts()
        for (row, offer) in offers.enumerated() {
            if let increments = offer.increments { counts.add(increments, row: Int32(row + 1)) }
        }
        let formID = offers.first?.formID ?? UUID()
        let areIDsUnique = Set(offers.map(\.id)).count == offers.count
        let times: [Date?]? = imported ? offers.map(\.submittedAt) : nil
        let attendees = column(offers.map(\.attendeeID))
        let (keyMACs, bodyMACs) = (column(offers.map(\.keyMAC)), column(offers.map(\.bodyMAC)))
        return """
            SELECT outcomes, times, at_revision FROM ingest(\(formID), \(offers.map(\.id)),
                \(offers.map { Int32($0.version) }), \(offers.map(\.answers)), \(attendees), \(keyMACs), \(bodyMACs),
                \(counts.questions), \(counts.buckets), \(counts.hitRows), \(counts.hitBuckets), \(imported), \(times),
                \(areIDsUnique ? counts.totals : nil), \(attempt))
            """
    }

    /// Returns nil if all values are nil, because `ingest` then needs no array.
    static func column<Value>(_ values: [Value?]) -> [Value?]? {
        values.contains { $0 != nil } ? values : nil
    }

    /// Decodes the outcomes, in the order of the offers.
    static func outcomes(_ rows: Rows) throws(PostgresError) -> [Outcome] {
        guard let row = rows.first else { return [] }
        let (words, times, revision) = try row.decode([String].self, [Date]?.self, Int?.self)
        return words.enumerated().map { index, word in
            Outcome(word: word, at: times?[index] ?? .distantPast, revision: revision ?? 0)
        }
    }

    /// The statement that notifies all instances, after the commit, that a form's results have changed. The payload is
    /// the form's id.
    static func notification(_ formID: UUID) -> Statement {
        "SELECT pg_notify(\(FormChannel.name), \(formID.lowercased))"
    }
}

/// The channel on which instances notify each other that a form's results changed.
public enum FormChannel {
    public static let name = "afterword_form"
}

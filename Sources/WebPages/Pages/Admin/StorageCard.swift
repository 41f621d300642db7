import Contract
import Foundation

/// The part of the health page that shows the storage of the database.
struct StorageCard: TemplateValues {
    struct Table: TemplateValues {
        var name: String
        var size: String
        var rows: String
    }

    private static let maxTables = 8

    var facts: [Fact]
    var tables: [Table]

    /// - Parameter time: Formats a time for the page.
    init(_ storage: Storage, _ texts: PageTexts, time: (Date) -> String) {
        func formatted(_ count: Int) -> String { HealthPages.formatted(count, in: texts.language) }
        func size(_ bytes: Int) -> String { Self.size(bytes, in: texts.language) }
        func waiting(_ queue: Storage.Queue) -> String {
            let count = formatted(queue.waiting)
            guard let oldest = queue.oldest else { return count }
            return texts("admin.storage-since", ["count": count, "time": time(oldest)])
        }
        var submissions = storage.submissions.count.map(formatted)
        if !storage.submissions.exact {
            submissions = submissions.map { texts("admin.storage-about", ["count": $0]) }
        }
        let values: [(String, String)] = [
            ("database", storage.databaseBytes.map(size) ?? "–"), ("postgres", storage.postgres),
            ("meetings", formatted(storage.meetings)), ("submissions", submissions ?? "–"),
            ("outbox", waiting(storage.outbox)), ("deliveries", waiting(storage.deliveries)),
        ]
        facts = values.map { Fact(label: texts("admin.storage-\($0.0)"), value: $0.1) }
        tables = storage.tables.prefix(Self.maxTables).map {
            Table(name: $0.name, size: size($0.bytes), rows: $0.rows.map(formatted) ?? "–")
        }
    }

    /// A number of bytes with at most three significant digits: `8.19 kB`, `94.3 MB`, `1.2 GB`.
    static func size(_ bytes: Int, in language: Language) -> String {
        var (value, units) = (Double(bytes), ["B", "kB", "MB", "GB", "TB", "PB"][...])
        // From 999.5, a value rounded to three digits would be 1,000, so the next unit is used.
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let digits = FloatingPointFormatStyle<Double>.number.precision(.significantDigits(1...3))
        return value.formatted(digits.locale(language.locale)) + " " + (units.first ?? "")
    }
}

import Contract
import Foundation

/// The part of the health page with the storage of the database.
struct StorageCard {
    private static let maxTables = 8
    private static let numberLocale = Locale(identifier: "en")

    let storage: Storage
    let texts: PageTexts
    /// Formats a time for the page.
    let time: (Date) -> String

    struct Values: TemplateValues {
        struct Table: TemplateValues {
            var name: String
            var size: String
            var rows: String
        }

        var facts: [HealthPage.Fact]
        var tables: [Table]
    }

    var values: Values {
        let facts: [(String, String)] = [
            ("database", storage.databaseBytes.map(Self.size) ?? "–"), ("postgres", storage.postgres),
            ("meetings", Self.formatted(storage.meetings)), ("submissions", submissions),
            ("outbox", waiting(storage.outbox)), ("deliveries", waiting(storage.deliveries)),
        ]
        return Values(
            facts: facts.map { HealthPage.Fact(label: texts("admin.storage-\($0.0)"), value: $0.1) },
            tables: storage.tables.prefix(Self.maxTables).map {
                Values.Table(name: $0.name, size: Self.size($0.bytes), rows: $0.rows.map(Self.formatted) ?? "–")
            })
    }

    private var submissions: String {
        guard let count = storage.submissions.count.map(Self.formatted) else { return "–" }
        return storage.submissions.exact ? count : texts("admin.storage-about", ["count": count])
    }

    private func waiting(_ queue: Storage.Queue) -> String {
        guard let oldest = queue.oldest else { return Self.formatted(queue.waiting) }
        return texts("admin.storage-since", ["count": Self.formatted(queue.waiting), "time": time(oldest)])
    }

    /// A number of bytes with at most three significant digits: `8.19 kB`, `94.3 MB`, `1.2 GB`.
    static func size(_ bytes: Int) -> String {
        var (value, units) = (Double(bytes), ["B", "kB", "MB", "GB", "TB", "PB"][...])
        // From 999.5, a value rounded to three digits would be 1,000, so the next unit is used.
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let digits = FloatingPointFormatStyle<Double>.number.precision(.significantDigits(1...3)).locale(numberLocale)
        return value.formatted(digits) + " " + (units.first ?? "")
    }

    private static func formatted(_ count: Int) -> String { count.formatted(.number.locale(numberLocale)) }
}

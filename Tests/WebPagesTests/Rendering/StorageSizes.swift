import Contract
import Foundation
import TestSupport
import Testing

@testable import WebPages

/// The sizes and counts of the database on the page for admins.
@Suite struct StorageSizes {
    private static func facts(_ storage: Storage) throws -> [String] {
        let resources = Repository.url("Sources/WebPages/Resources")
        let card = StorageCard(storage, try PageTexts(.english, from: resources)) { _ in "Monday" }
        return card.facts.map(\.value)
    }

    @Test func estimatesAndUnknownValuesAreMarked() throws {
        var storage = Storage(
            program: "1", postgres: "15.10", databaseBytes: 8_192, tables: [],
            outbox: .init(waiting: 1_200, oldest: .now), deliveries: .init(waiting: 0),
            submissions: .init(count: 20_467, exact: true), meetings: 1_096)
        #expect(try Self.facts(storage) == ["8.19 kB", "15.10", "1,096", "20,467", "1,200, since Monday", "0"])
        storage.databaseBytes = nil
        storage.submissions.exact = false
        #expect(try Self.facts(storage)[0] == "–" && Self.facts(storage)[3] == "about 20,467")
        storage.submissions.count = nil
        #expect(try Self.facts(storage)[3] == "–")
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1 kB"), (8_192, "8.19 kB"), (94_300_000, "94.3 MB"), (999_499, "999 kB"),
        (999_500, "1 MB"), (1_200_000_000, "1.2 GB"), (5_000_000_000_000, "5 TB"), (Int.max, "9,220 PB"),
    ])
    func sizesHaveAtMostThreeSignificantDigits(_ bytes: Int, _ text: String) {
        #expect(StorageCard.size(bytes, in: .english) == text)
    }

    @Test func sizesHaveTheSeparatorsOfTheLanguage() {
        #expect(StorageCard.size(8_192, in: .german) == "8,19 kB")
        #expect(StorageCard.size(8_192, in: .korean) == "8.19 kB")
    }
}

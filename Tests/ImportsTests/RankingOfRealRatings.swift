import Foundation
import Imports
import StrictJSON
import TestSupport
import Testing

/// An extract of real ratings is imported, ranked by the service, and ranked independently by NumPy.
@Suite(.timeLimit(.minutes(15))) struct RankingOfRealRatings {
    @Test(arguments: ["series", "meeting"]) func rankingMatchesNumPy(_ unit: String) async throws {
        let map = try ImportMap.read(try Sample.fixture("lecture_ratings.map.json"))
        let csv = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
            .appending(path: "lecture_ratings.csv")
        try await TestService.run { service in
            _ = try await service.fixture.importCSV(try Sample.fixture("lecture_ratings.csv"), by: map)
            var items: [JSONValue] = []
            var lastPage: JSONValue?
            var cursor: String?
            repeat {
                let suffix = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await service.host.get("/v1/rankings?key=rating&by=\(unit)&limit=9\(suffix)").expect(200)
                lastPage = page.json
                items += page.json?["items"]?.array ?? []
                cursor = page.json?["next"]?.string
            } while cursor != nil
            #expect(items.count == (unit == "series" ? 14 : 49))
            let ranking = JSONValue.object([
                .init("by", .string(unit)), .init("prior", try #require(lastPage?["prior"])),
                .init("items", .array(items)),
            ])
            let report = try await RoundsCheck.run(ranking, before: ["--ranking"], after: [csv.path])
            #expect(report.succeeded, "\(report.lines.suffix(20))")
            #expect(report.lines.last?.hasPrefix("0 ") == false, "at least one value was compared")
        }
    }
}

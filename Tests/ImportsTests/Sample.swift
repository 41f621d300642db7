import Domain
import Foundation
import Imports
import StrictJSON
import Testing

/// Small files and maps, and the extracts in `Fixtures`.
enum Sample {
    static let host = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, 16))

    static func fixture(_ name: String) throws -> [UInt8] {
        let url = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return Array(try Data(contentsOf: url.appending(path: name)))
    }

    /// A map of one series and one meeting with these questions, each given without braces. `more` has additional
    /// members of the map, each with a comma after it.
    static func map(_ questions: String..., more: String = "") throws(Problem) -> ImportMap {
        let list = questions.map { "{\($0)}" }.joined(separator: ",")
        return try ImportMap.read(
            Array(#"{"series":{"title":"S"},"meeting":{"title":"M"},\#(more)"questions":[\#(list)]}"#.utf8))
    }

    static func plan(_ map: ImportMap, _ csv: String, chunkSize: Int = .max) throws(ImportFailure) -> ImportPlan {
        try plan(map, Array(csv.utf8), chunkSize: chunkSize)
    }

    static func plan(_ map: ImportMap, _ csv: [UInt8], chunkSize: Int = .max) throws(ImportFailure) -> ImportPlan {
        var planner = ImportPlanner(map: map, hostID: host)
        var remaining = csv[...]
        while !remaining.isEmpty {
            try planner.read(remaining.prefix(chunkSize))
            remaining = remaining.dropFirst(chunkSize)
        }
        return try planner.finish()
    }
}

extension ImportPlan {
    /// All rows, series by series and round by round.
    var allRows: [Row] { series.flatMap(\.meetings).flatMap(\.rows).map(row) }

    var answers: [String] { allRows.map(\.answers.text) }
}

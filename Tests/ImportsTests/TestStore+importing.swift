import Foundation
import Imports
import Postgres
import Store
import TestSupport

extension TestStore {
    /// Imports a file as the host.
    func importCSV(_ csv: [UInt8], by map: ImportMap, isDryRun: Bool = false) async throws -> ImportReport {
        var planner = ImportPlanner(map: map, hostID: host.account.id)
        try planner.read(csv)
        let importer = try store.importer
        do {
            let report = try await ImportRun(
                planner.finish(), for: host.account, through: importer, isDryRun: isDryRun
            ).run()
            await importer.close()
            return report
        } catch {
            await importer.close()
            throw error
        }
    }

    func importCSV(_ csv: String, by map: ImportMap, isDryRun: Bool = false) async throws -> ImportReport {
        try await importCSV(Array(csv.utf8), by: map, isDryRun: isDryRun)
    }

    /// All meetings outside of the trash, series by series and round by round.
    func meetings() async throws -> [Meeting] {
        try await store.exports.meetings(in: ExportScope(.all), after: nil, limit: 1000)
    }

    /// The number of rows of a table.
    func count(_ table: String) async throws -> Int {
        let rows = try await store.pool.query("SELECT count(*) FROM \(identifier: table)")
        guard let row = rows.first else { throw Missing("a count") }
        return try row.decode(Int.self)
    }
}

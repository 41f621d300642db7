import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// Access to series that an earlier import of the same host made. These are the rows of the access matrix for
/// `POST /import/columns`, which belongs to no series by its path.
@Suite(.timeLimit(.minutes(5))) struct ImportAccess {
    /// What has become of the host's access since the first import.
    enum Relation: String, CaseIterable {
        case owner
        case editor
        case viewer
        case removed
        case inTrash

        var canImport: Bool { self == .owner || self == .editor }

        func apply(in fixture: TestStore) async throws {
            let pool = fixture.store.pool
            let host = fixture.host.account.id
            if self == .inTrash { try await pool.execute("UPDATE series SET deleted_at = now()") }
            guard self != .owner, self != .inTrash else { return }
            let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: fixture.store)
            try await pool.execute("UPDATE series SET owner_id = \(other.account.id)")
            guard self == .editor || self == .viewer else { return }
            try await pool.execute(
                "INSERT INTO series_host (series_id, account_id, role) SELECT id, \(host), \(rawValue) FROM series")
        }
    }

    private static func counts(_ fixture: TestStore) async throws -> [Int] {
        let rows = try await fixture.store.pool.query(
            """
            SELECT (SELECT count(*) FROM meeting), (SELECT count(*) FROM submission),
                (SELECT count(*) FROM form_version), (SELECT count(*) FROM audit WHERE act = 'meeting.import')
            """)
        let (meetings, submissions, versions, entries) = try #require(rows.first)
            .decode(Int.self, Int.self, Int.self, Int.self)
        return [meetings, submissions, versions, entries]
    }

    @Test(arguments: Relation.allCases)
    func importIntoAnExistingSeriesRequiresAnEditor(_ relation: Relation) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let columns = try await ImportingInTheBrowser.upload(ImportingInTheBrowser.csv, &host).expect(200)
            try await ImportingInTheBrowser.send(columns, "import", &host).expect(200)
            let before = try await Self.counts(site.fixture)
            #expect(before == [1, 4, 1, 1])
            try await relation.apply(in: site.fixture)
            // The same rows, and rows of another option for the same meeting and for a new one.
            let more = ImportingInTheBrowser.csv + "2026/11/27 8:39:12 PM GMT+1,2,Cake,\n"
            let wider = try await ImportingInTheBrowser.upload(more, &host).expect(200)
            let choice = ["use.2": "choice"]
            let another = choice.merging(["meeting": "Another meeting"]) { $1 }
            for (page, changes) in [(columns, choice), (wider, choice), (wider, another)] {
                for action in ["check", "refused", "import"] {
                    let answer = try await ImportingInTheBrowser.send(page, action, with: changes, &host)
                    guard !relation.canImport else {
                        try answer.expect(200)
                        continue
                    }
                    #expect(answer.status == 403, "\(relation): \(action)")
                    #expect(answer.text.contains("but you cannot add to it"))
                    let counts = ["rows would be", "were imported", "were already there", "Meetings:", "are refused"]
                    for word in counts {
                        #expect(!answer.text.contains(word), "\(relation): \(action): \(word)")
                    }
                }
            }
            let after = try await Self.counts(site.fixture)
            #expect(after == (relation.canImport ? [2, 10, 3, 3] : before), "\(relation)")
        }
    }

    /// Ids are derived from the host, so that equal files of two hosts make two series.
    @Test func importsOfTwoHostsWithTheSameTitleAreSeparate() async throws {
        try await TestSite.run { site in
            _ = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            for address in ["host@example.org", "other@example.org"] {
                var host = try await site.signedIn(address)
                let columns = try await ImportingInTheBrowser.upload(ImportingInTheBrowser.csv, &host).expect(200)
                let done = try await ImportingInTheBrowser.send(columns, "import", &host).expect(200)
                #expect(done.text.contains("4 of 4 rows were imported"))
            }
            #expect(try await Self.counts(site.fixture)[0] == 2)
        }
    }
}

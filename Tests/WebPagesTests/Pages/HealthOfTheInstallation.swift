import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// The last backup and the free space of the disks on the admins' page.
@Suite(.timeLimit(.minutes(3))) struct HealthOfTheInstallation {
    private static func texts(_ language: Language = .english) throws -> PageTexts {
        try PageTexts(language, from: Repository.url("Sources/WebPages/Resources"))
    }

    private static func record(_ sql: Statement, _ site: TestSite) async throws {
        try await Connection.with(PostgresConfiguration(url: site.fixture.database.url)) { connection in
            _ = try await connection.query(sql)
        }
    }

    @Test func missingAndOutdatedBackupsAreWarningsWithACommand() async throws {
        let folder = try TemporaryFolder()
        try await TestStore.run { fixture in
            let options = WebSiteOptions(publicURL: TestSite.origin, dataFolder: folder.path)
            try await TestSite.serve(fixture, options) { site in
                var admin = try await site.signedIn("admin@example.org")
                let missing = try await admin.get("/admin/health").expect(200).text
                #expect(missing.contains("There is no backup yet"))
                let command = "afterword backup --to /var/backups/afterword --keep 14 --data \(folder.path)"
                #expect(missing.contains(command))
                #expect(missing.contains("Data folder and PostgreSQL") || missing.contains(">PostgreSQL</dt>"))
                try await Self.record(
                    "INSERT INTO last_backup (finished_at, bytes) VALUES (now() - interval '50 hours', 94300000)", site)
                let recent = try await admin.get("/admin/health").expect(200).text
                #expect(recent.contains("(2 days ago)") && recent.contains("94.3 MB"))
                #expect(!recent.contains("afterword backup --to"))
                try await Self.record("UPDATE last_backup SET finished_at = now() - interval '169 hours'", site)
                let outdated = try await admin.get("/admin/health").expect(200).text
                #expect(outdated.contains("older than 7 days") && outdated.contains("afterword backup --to"))
            }
        }
    }

    @Test func hostsSeeNeitherBackupsNorFolders() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let page = try await host.get("/admin/health")
            #expect(page.status == 403 && !page.text.contains("afterword backup"))
        }
    }

    @Test func lowAndShortDisksAreNamed() throws {
        let disks = [
            MonitoredDisk(contents: [.data], folder: "/srv", freeBytes: 100 << 20),
            MonitoredDisk(contents: [.postgres], folder: "/var", freeBytes: 1 << 30),
        ]
        let card = DiskCard(disks, try Self.texts())
        #expect(card.facts.map(\.label) == ["Data folder", "PostgreSQL"] && !card.isPostgresUnknown)
        #expect(card.alerts.count == 2)
        #expect(card.alerts[0].contains("Data folder: less than 268 MB") && card.alerts[0].contains("no answer"))
        #expect(card.alerts[1].contains("PostgreSQL: less than 2.15 GB"))
        let other = DiskCard([MonitoredDisk(contents: [.data], folder: "/srv", freeBytes: 1 << 40)], try Self.texts())
        #expect(other.alerts.isEmpty && other.isPostgresUnknown)
    }

    @Test(arguments: [
        ("/srv/data", "/srv/data"), ("/srv/my data", "'/srv/my data'"), ("/a'b;rm -r", #"'/a'\''b;rm -r'"#),
    ])
    func folderInTheCommandIsOneWordOfAShell(_ path: String, _ quoted: String) {
        #expect(BackupCard.quoted(path) == quoted)
    }
}

import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import afterword

@Suite struct DoctorReports {
    private func examine(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, report: JSONValue) {
        let outcome = try await Program.run(["doctor", "--json"] + arguments, environment: environment)
        return (outcome.status, try JSONValue.parse(Array(outcome.output.utf8.dropLast())))
    }

    private func findings(_ report: JSONValue, _ level: String) -> [String] {
        (report["findings"]?.array ?? []).filter { $0["level"]?.string == level }
            .map { "\($0["topic"]?.string ?? ""): \($0["message"]?.string ?? "")" }
    }

    @Test func unusedFolderIsAnErrorAndStaysEmpty() async throws {
        let folder = try TemporaryFolder()
        let arguments = [
            "--data", folder.path, "--public-url", "https://feedback.example.org", "--sendmail", "/bin/true",
        ]
        let withoutProxies = try await examine(arguments).report
        #expect(findings(withoutProxies, "warning").map { String($0.prefix(16)) } == ["trusted-proxies:"])
        let (status, report) = try await examine(
            arguments + ["--trusted-proxies", "1"], environment: ["AFTERWORD_POOL_SIZE": "9"])
        #expect(status == 1)
        #expect(
            findings(report, "wrong") == [
                "database: The data folder \(folder.path) holds no database: start `afterword serve --data \(folder.path)`"
                    + " first, or correct --data."
            ])
        #expect(findings(report, "warning") == [])
        let open = try await examine(arguments + ["--trusted-proxies", "1", "--webhooks-to-private", "on"]).report
        #expect(findings(open, "warning").map { String($0.prefix(20)) } == ["webhooks-to-private:"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let settings = report["settings"]?.array ?? []
        let sources = settings.map {
            "\($0["name"]?.string ?? "") \($0["value"]?.string ?? "") \($0["source"]?.string ?? "")"
        }
        #expect(sources.contains("data \(folder.path) flag"))
        #expect(sources.contains("pool-size 9 environment"))
        #expect(sources.contains("port 8080 default"))
    }

    @Test(.timeLimit(.minutes(2))) func privilegedOrUnusablePoolerIsReported() async throws {
        let database = try await TestStore.database()
        let pooler = try await TestPooler(TestCluster.server())
        let folder = try TemporaryFolder()
        func poolerFindings(_ url: String) async throws -> [String] {
            let arguments = ["--data", folder.path, "--database-url", database.url, "--pooler-url", url]
            let report = try await examine(arguments).report
            return ["fine", "warning", "wrong"].flatMap { level in
                findings(report, level).filter { $0.hasPrefix("pooler-url") }.map { "\(level) \($0)" }
            }
        }
        #expect(
            try await poolerFindings(pooler.url(database: database.name)) == [
                "warning pooler-url: Requests use it as postgres, who may change tables: name a login that is a member "
                    + "of afterword_app only."
            ])
        let user = "doctor_\(database.name)"
        _ = try await Connection.with(PostgresConfiguration(url: database.url)) { connection in
            try await connection.execute("CREATE ROLE \(identifier: user) LOGIN IN ROLE afterword_app")
        }
        let narrow = try await TestPooler(TestCluster.server(), user: user)
        #expect(
            try await poolerFindings(narrow.url(database: database.name)) == [
                "fine pooler-url: Requests use it as \(user)."
            ])
        let wrong = try await poolerFindings(narrow.url(database: "nowhere"))
        #expect(wrong.count == 1 && wrong[0].hasPrefix("wrong pooler-url: pooler-url cannot be used: "))
        try await database.drop()
    }

    @Test func overdueDeletionIsAWarning() {
        let settings = RetentionSettings(trashDays: 30, limitDays: 365)
        let fine = Diagnostics.retention(settings, nil, configured: settings)
        #expect(fine.level == .fine && fine.sentence.contains("30 days") && fine.sentence.contains("365 days"))
        #expect(!fine.sentence.contains("next start"))
        let changed = Diagnostics.retention(settings, nil, configured: RetentionSettings())
        #expect(changed.level == .fine && changed.sentence.contains("next start"))
        let late = Diagnostics.retention(settings, OverdueDeletions(forms: 2, trashed: 1), configured: settings)
        #expect(late.level == .warning && late.sentence.contains("2 forms and 1 meetings"))
    }

    @Test func workingServiceGetsOnlyWarnings() async throws {
        let folder = try TemporaryFolder()
        try await RunningService(["--data", folder / "data"]).using { _ async throws in
            let (status, report) = try await examine(["--data", folder / "data"])
            #expect(status == 0)
            #expect(findings(report, "wrong") == [])
            let warnings = findings(report, "warning")
            #expect(warnings.contains { $0.contains("no phone can reach") })
            #expect(warnings.contains { $0.contains("is unencrypted") })
            #expect(
                warnings.contains { $0.hasPrefix("first-admin: admin@localhost has the password of") })
            #expect(findings(report, "fine").contains { $0.hasPrefix("charts: ") })
            let disks = ["fine", "warning", "wrong"].flatMap { findings(report, $0) }.filter { $0.hasPrefix("disk: ") }
            #expect(disks.count == 1 && disks[0].hasPrefix("disk: The disk of the data folder and PostgreSQL ("))
            #expect(report["versions"]?["postgresql"]?.string?.isEmpty == false)
        }
    }

    @Test func problemsAreReportedWithTheirRemedy() async throws {
        let database = try await TestCluster.database()
        let folder = try TemporaryFolder()
        let secret = folder / "secret"
        _ = try KeyRing.loadOrCreate(path: secret)
        chmod(secret, 0o644)
        let arguments = ["--data", folder.path, "--database-url", database.url + "&password=geheim"]
        let (status, report) = try await examine(arguments)
        #expect(status == 1)
        let wrong = findings(report, "wrong")
        #expect(wrong.contains { $0.hasPrefix("durability: fsync = off") })
        #expect(wrong.contains { $0.hasPrefix("schema: ") && $0.hasSuffix("run `afterword migrate`.") })
        #expect(wrong.contains { $0.contains("has mode 644") && $0.contains("chmod 600") })
        #expect(!report.text.contains("geheim"))
        let text = try await Program.run(["doctor"] + arguments)
        #expect(text.status == 1)
        #expect(text.output.contains("password=****"))
        try await database.drop()
    }

    @Test func secretFileOfAnotherDatabaseIsReported() async throws {
        try await TestStore.run { fixture in
            let folder = try TemporaryFolder()
            let arguments = ["--data", folder.path, "--database-url", fixture.database.url]
            #expect(
                findings(try await examine(arguments).report, "wrong").contains {
                    $0.contains("restore it from a backup")
                })
            _ = try KeyRing.loadOrCreate(path: folder / "secret")
            #expect(findings(try await examine(arguments).report, "wrong").contains { $0.contains("is not the key") })
            _ = try folder.write("1 short\n", to: "secret")
            #expect(findings(try await examine(arguments).report, "wrong").contains { $0.contains("Line 1") })
        }
    }

    @Test func mailTransportIsReported() async throws {
        try await TestStore.run { fixture in
            let folder = try TemporaryFolder()
            let arguments = ["--data", folder.path, "--database-url", fixture.database.url, "--sendmail"]
            let none = try await examine(arguments + ["none"]).report
            #expect(findings(none, "warning").contains { $0.hasPrefix("mail: There is no sendmail") })
            let missing = try await examine(arguments + ["/nowhere/sendmail"])
            #expect(missing.status == 1)
            #expect(
                findings(missing.report, "wrong").contains { $0.hasPrefix("mail: /nowhere/sendmail cannot be run") })
            let unreachable = try await examine(
                ["--data", folder.path, "--database-url", fixture.database.url, "--smtp", "smtp://127.0.0.1:1?tls=off"])
            #expect(unreachable.status == 1)
            #expect(
                findings(unreachable.report, "wrong").contains {
                    $0.hasPrefix("mail: smtp://127.0.0.1:1?tls=off cannot be used: ")
                })
            try await fixture.store.pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body, failed_at) VALUES
                    (gen_random_uuid(), 'trial', 'a@example.org', 's', 'b', NULL),
                    (gen_random_uuid(), 'trial', 'a@example.org', 's', 'b', NULL),
                    (gen_random_uuid(), 'trial', 'a@example.org', NULL, NULL, now())
                """)
            let report = try await examine(arguments + ["/bin/true", "--mail-from", "x@example.org"]).report
            #expect(findings(report, "fine").contains("mail: Mail is sent by /bin/true, from x@example.org."))
            let warnings = findings(report, "warning")
            #expect(warnings.contains { $0.hasPrefix("mail: 2 mails wait") })
            #expect(warnings.contains { $0.hasPrefix("mail: 1 mails") && $0.contains("given up") })
        }
    }

    @Test func fullDiskIsWrongAndALowOneAWarning() {
        func finding(_ bytes: Int) -> Diagnostics.Finding {
            Diagnostics.disk(MonitoredDisk(contents: [.postgres], folder: "/srv", freeBytes: bytes))
        }
        #expect(finding(5 << 30).level == .fine)
        #expect(finding(5 << 30).sentence == "The disk of PostgreSQL (/srv) has 5,120 MiB free.")
        #expect(finding(1 << 30).level == .warning && finding(1 << 30).sentence.contains("less than 2,048 MiB"))
        #expect(finding(1 << 20).level == .wrong && finding(1 << 20).sentence.contains("no answer can be stored"))
    }

    @Test func missingChartLibraryIsReportedWithARemedy() throws {
        let folder = try TemporaryFolder()
        let missing = Diagnostics.charts(library: folder / "chart.min.js")
        #expect(missing.level == .warning && missing.sentence.contains("Install libjs-chart.js"))
        let present = Diagnostics.charts(library: try folder.write("// a library", to: "chart.min.js"))
        #expect(present.level == .fine)
    }

    @Test func missingListOfCommonPasswordsIsReportedWithARemedy() throws {
        let folder = try TemporaryFolder()
        let missing = Diagnostics.passwords(list: folder / "Common.pm")
        #expect(missing.level == .warning && missing.sentence.contains("Install libdata-password-zxcvbn-perl"))
        let present = Diagnostics.passwords(list: try folder.write("  'password12' => 3,\n", to: "Common.pm"))
        #expect(present.level == .fine && present.sentence.hasPrefix("1 common ones"))
    }

    @Test(arguments: [
        ("postgresql://a@db.example.org/a", "", true), ("postgresql://a@db.example.org/a?sslmode=require", "", true),
        ("postgresql://a@db.example.org/a?sslmode=verify-full", "", false),
        ("postgresql://a@db.example.org/a", "verify-full", false),
        ("postgresql://a@db.example.org/a?sslmode=prefer", "verify-full", true),
        ("postgresql://a@localhost/a", "", false), ("host=127.0.0.1 dbname=a", "", false),
        ("postgresql:///a?host=/run/postgresql", "", false), ("dbname=a", "", false),
        ("postgresql://a@localhost,db.example.org/a", "", true), ("host=localhost hostaddr=10.0.0.7", "", true),
        ("no url", "", false),
    ])
    func unverifiedRemoteDatabaseIsReported(url: String, mode: String, isReported: Bool) {
        let environment = mode.isEmpty ? [:] : ["PGSSLMODE": mode]
        let finding = Diagnostics.transport(url, environment: environment)
        #expect((finding != nil) == isReported, "\(url)")
        let ofPooler = Diagnostics.transport(url, of: .poolerURL, environment: environment)
        #expect(ofPooler?.topic == (isReported ? "pooler-url" : nil))
        #expect(finding.map { $0.level == .warning && $0.sentence.contains("sslmode=verify-full") } ?? true)
    }

    @Test func missingDatabaseIsReported() async throws {
        let folder = try TemporaryFolder()
        let (status, report) = try await examine([
            "--data", folder.path, "--database-url", "postgres:///x?host=\(folder.path)",
        ])
        #expect(status == 1)
        #expect(findings(report, "wrong").contains { $0.hasPrefix("database: The database cannot be reached") })
    }
}

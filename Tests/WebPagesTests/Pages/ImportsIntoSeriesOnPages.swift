import Domain
import Foundation
import Imports
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// An import in the browser adds rounds to a series that the host may edit, also if no import made it.
@Suite(.timeLimit(.minutes(5))) struct ImportsIntoSeriesOnPages {
    private typealias Steps = ImportingInTheBrowser

    private static let csv = """
        Timestamp,pace,What helped? [The demo],What helped? [Snacks],Mood
        2026/11/27 8:35:12 PM GMT+1,4,Yes,No,good
        2026/11/27 8:36:12 PM GMT+1,2,No,Yes,bad
        2026/11/27 8:37:12 PM GMT+1,3,Yes,Yes,good

        """

    /// Uploads the file with a chosen series.
    private static func upload(_ into: String, _ host: inout PageBrowser) async throws -> HTTPTestClient.Response {
        try await Steps.upload([("file", "retro.csv", Array(csv.utf8))], into: into, &host)
    }

    private static func counts(_ fixture: TestStore) async throws -> [Int] {
        let rows = try await fixture.store.pool.query(
            """
            SELECT (SELECT count(*) FROM series), (SELECT count(*) FROM meeting), (SELECT count(*) FROM submission),
                (SELECT count(*) FROM audit WHERE act = 'meeting.import')
            """)
        let (series, meetings, submissions, entries) = try rows.single().decode(Int.self, Int.self, Int.self, Int.self)
        return [series, meetings, submissions, entries]
    }

    /// Calls `test` with a signed-in host and a series of theirs with one open round.
    private static func run(
        _ test: (TestSite, inout PageBrowser, Meeting, String) async throws -> Void
    ) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.fixture.openMeeting()
            try await test(site, &host, meeting, meeting.seriesID.lowercased)
        }
    }

    @Test func columnsContinueTheQuestionsOfTheSeriesAndASecondImportAddsNothing() async throws {
        try await Self.run { site, host, meeting, id in
            #expect(try await host.get("/series/\(id)/rounds").text.contains("href=\"/import?series=\(id)\""))
            let start = try await host.get("/import?series=\(id)").expect(200)
            #expect(start.text.contains("<option value=\"\(id)\" selected>A meeting · Rounds: 1</option>"))
            let columns = try await Self.upload(id, &host).expect(200)
            let fields = Steps.fields(columns)
            #expect(fields["into"] == id && fields["shown"] == id)
            #expect(fields["title.1"] == "How was the pace?" && fields["use.1"] == "rating-1-5")
            #expect(columns.count("Continues this question of the series.") == 3)
            #expect(columns.text.contains("<option value=\"What should change?\"></option>"))
            let checked = try await Steps.send(columns, "check", &host).expect(200)
            #expect(checked.text.contains("3 of 3 rows would be imported. Meetings: 1, new ones: 1."))
            #expect(try await Self.counts(site.fixture) == [1, 1, 0, 0])
            let map = try await Steps.send(checked, "map", &host).expect(200)
            let done = try await Steps.send(checked, "import", &host).expect(200)
            #expect(done.text.contains("3 of 3 rows were imported") && done.text.contains("Series: A meeting"))
            #expect(done.text.contains("/series/\(id)\""))
            #expect(try await Self.counts(site.fixture) == [1, 2, 3, 1])
            let page = try await host.get("/series/\(id)/rounds").expect(200)
            #expect(page.text.contains("retro"))

            let again = try await Steps.send(try await Self.upload(id, &host), "import", &host).expect(200)
            #expect(
                again.text.contains("0 of 3 rows were imported") && again.text.contains("3 rows were already there."))
            #expect(try await Self.counts(site.fixture) == [1, 2, 3, 1])

            // The command gets the same result by the downloaded map.
            var read = try ImportMap.read(map.body, file: "retro.csv")
            let account = site.fixture.host.account
            try await read.findSeries(for: .acting(as: account), in: site.fixture.store)
            var planner = ImportPlanner(map: read, hostID: account.id)
            try planner.read(Array(Self.csv.utf8))
            let importer = try site.fixture.store.importer(for: .acting(as: account))
            let report = try await ImportRun(planner.finish(), for: account, through: importer).run()
            await importer.close()
            #expect(report.created == 0 && report.alreadyThere == 3 && report.refused == [])
        }
    }

    @Test func seriesChosenOnTheSecondPageIsMatchedToo() async throws {
        try await Self.run { site, host, _, id in
            let columns = try await Self.upload("", &host).expect(200)
            let fields = Steps.fields(columns)
            #expect(fields["into"] == "" && fields["shown"] == "" && fields["title.1"] == "pace")
            #expect(!columns.text.contains("Continues this question"))
            let checked = try await Steps.send(columns, "check", with: ["into": id], &host).expect(200)
            #expect(Steps.fields(checked)["title.1"] == "How was the pace?")
            #expect(checked.text.contains("new ones: 1.") && checked.count("Continues this question") == 3)
            let elsewhere = try await Steps.send(checked, "import", with: ["into": ""], &host).expect(200)
            #expect(elsewhere.text.contains("3 of 3 rows were imported"))
            #expect(try await Self.counts(site.fixture) == [2, 2, 3, 1])
        }
    }

    @Test func questionOfAnotherKindIsNamedInTheReadersLanguage() async throws {
        try await Self.run { site, host, _, id in
            let columns = try await Self.upload(id, &host).expect(200)
            let uses = ["use.1": "rating-1-7"]
            for (language, alert, question) in [
                ("en", "asks these questions with another kind or scale", "Question “How was the pace?”"),
                ("de", "in einer anderen Art oder Skala", "Frage „How was the pace?“"),
                ("ko", "종류나 점수 범위가 달라", "질문 “How was the pace?”"),
            ] {
                for action in ["check", "import", "refused"] {
                    let page = try await Steps.send(columns, action, with: uses, language: language, &host)
                    #expect(page.status == 422 && page.text.contains(alert) && page.text.contains(question))
                }
            }
            let column = try await Steps.send(columns, "check", with: ["use.4": "series"], &host)
            #expect(column.status == 422 && column.text.contains("All answers go into the chosen series."))
            #expect(try await Self.counts(site.fixture) == [1, 1, 0, 0])
            // Under another title it is another question.
            let renamed = uses.merging(["title.1": "Tempo"]) { $1 }
            try await Steps.send(columns, "import", with: renamed, &host).expect(200)
        }
    }

    @Test func meetingThatAsksSomethingElseIsNamed() async throws {
        try await Self.run { site, host, _, id in
            let columns = try await Self.upload(id, &host).expect(200)
            try await Steps.send(columns, "import", &host).expect(200)
            let other = try await Steps.send(columns, "check", with: ["use.4": "text"], &host)
            #expect(other.status == 422)
            #expect(other.text.contains("The meeting “retro” of the series “A meeting” is there already"))
            #expect(other.text.contains("Question “Mood”"))
            let another = ["use.4": "text", "title.4": "What else?", "meeting": "Another"]
            try await Steps.send(columns, "check", with: another, &host).expect(200)
        }
    }

    /// What happens to the series between the second step and the third.
    enum Event: String, CaseIterable {
        case removedCoHost
        case viewer
        case trash
        case deleted
    }

    @Test(arguments: Event.allCases) func accessThatEndsBetweenTheStepsPreventsTheImport(_ event: Event) async throws {
        try await TestSite.run { site in
            let pool = site.fixture.store.pool
            let editor = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            var host = try await site.signedIn("other@example.org")
            // The deleted series has no round, and no question to continue.
            let meeting = try await site.fixture.openMeeting()
            let id = meeting.seriesID
            try await pool.execute(
                """
                INSERT INTO series_host (series_id, account_id, role) VALUES (\(id), \(editor.account.id), 'editor')
                """)
            let columns = try await Self.upload(id.lowercased, &host).expect(200)
            let map = try await Steps.send(columns, "map", &host).expect(200)
            var sent = id.lowercased
            switch event {
            case .removedCoHost: try await pool.execute("DELETE FROM series_host")
            case .viewer: try await pool.execute("UPDATE series_host SET role = 'viewer'")
            case .trash: try await pool.execute("UPDATE series SET deleted_at = now()")
            case .deleted: sent = UUID().lowercased
            }
            let before = try await Self.counts(site.fixture)
            let text = "You cannot add to this series: you are not one of its editors"
            for action in ["check", "refused", "import", "read", "map"] {
                let page = try await Steps.send(columns, action, with: ["into": sent, "shown": sent], &host)
                #expect(page.status == 403 && page.text.contains(text), "\(event): \(action) \(page.status)")
                // The choice stays, so that the rows do not go into a new series unnoticed.
                #expect(Steps.fields(page)["into"] == sent)
                #expect(!page.text.contains("What should change?"), "\(event): \(action)")
            }
            let start = try await host.get("/import?series=\(sent)")
            #expect(start.status == 403 && start.text.contains(text))
            #expect(try await Self.upload(sent, &host).status == 403)
            // The same by a map, which a host could have written by hand.
            let written = String(decoding: map.body, as: UTF8.self).replacing(id.lowercased, with: sent)
            let files = [
                (field: "file", name: "retro.csv", bytes: Array(Self.csv.utf8)),
                (field: "map", name: "map.json", bytes: Array(written.utf8)),
            ]
            let mapped = try await Steps.upload(files, &host).expect(200)
            for action in ["check", "import"] {
                let page = try await Steps.send(mapped, action, &host)
                #expect(page.status == 403 && page.text.contains(text), "\(event): \(action) by a map")
            }
            #expect(try await Self.counts(site.fixture) == before)
        }
    }

    @Test func seriesOfOthersAreNotOffered() async throws {
        try await TestSite.run { site in
            let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            let foreign = try await site.fixture.meeting(title: "Foreign <b>", by: other)
            var host = try await site.signedIn()
            #expect(try await !host.get("/import").text.contains("name=\"into\""))
            _ = try await site.fixture.meeting(title: "Mine <b>")
            let start = try await host.get("/import").expect(200)
            #expect(start.text.contains("Mine &lt;b&gt; · Rounds: 1") && !start.text.contains("Foreign"))
            #expect(try await host.get("/import?series=\(foreign.seriesID.lowercased)").status == 403)
            #expect(try await host.get("/import?series=nonsense").status == 200)
            // An admin may edit each series, but the menu has the admin's own.
            var admin = try await site.signedIn("admin@example.org")
            #expect(try await !admin.get("/import").text.contains("Foreign"))
            #expect(try await admin.get("/import?series=\(foreign.seriesID.lowercased)").text.contains("Foreign"))
        }
    }

    @Test func choicesByWhichTheFileCannotBeReadAreExplained() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let columns = try await Steps.upload("a,\"b;c\"\n1,2\n", &host).expect(200)
            let wrong = try await Steps.send(columns, "read", with: ["delimiter": "semicolon"], &host)
            #expect(wrong.status == 422 && wrong.text.contains("cannot be read with these choices"))
            #expect(wrong.text.contains("Line 1: A quotation mark is not closed"))
            #expect(Steps.fields(wrong)["delimiter"] == "comma" && Steps.fields(wrong)["columns"] == "2")
            let latin =
                [UInt8]("why\n".utf8) + (0..<10).flatMap { [0x67, 0x72, 0xFC, 0x6E, 0x30 + $0, 0x0A] as [UInt8] }
            let guessed = try await Steps.upload([("file", "a.csv", latin)], &host).expect(200)
            let read = try await Steps.send(guessed, "read", with: ["encoding": "utf-8"], &host).expect(200)
            let checked = try await Steps.send(read, "check", with: ["use.0": "text"], &host)
            #expect(checked.status == 422 && checked.text.contains("not in the encoding utf-8"), "\(checked.text)")
            #expect(!checked.text.contains("--encoding"))
        }
    }

    /// The reasons in the sources of imports have texts in every language; the command's are in English.
    @Test func allReasonsHaveTexts() throws {
        let resources = Repository.url("Sources/WebPages/Resources")
        let catalogues = try Language.allCases.map { try PageTexts($0, from: resources) }
        func codes(_ folder: String) throws -> Set<String> {
            let folder = Repository.url("Sources/Imports/\(folder)")
            var codes: Set<String> = []
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
                codes.formUnion(text.matches(of: #/code: "([a-z-]+)"/#).map { String($0.1) })
            }
            return codes
        }
        let rows = try codes("Reading").union(
            codes("Maps").intersection(["invalid-time", "ends-before-start", "meeting-too-long"])
        )
        .union(FileFault.codes)
        .union(["other-time", "required", "out-of-range", "too-long", "unknown-option", "not-an-integer"])
        let maps = try codes("Maps").union(codes("Planning"))
            .subtracting(["invalid-time", "ends-before-start", "meeting-too-long", "other-time"])
        #expect(rows.count > 12 && maps.count > 12)
        for texts in catalogues {
            for code in rows { #expect(texts.find("import.reason-\(code)") != nil, "\(texts.language) \(code)") }
            for code in maps { #expect(texts.find("import.fault-\(code)") != nil, "\(texts.language) \(code)") }
        }
    }

    @Test func faultsOfAMapAreInTheReadersLanguage() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let rows = (0..<60).map { "v\($0)\n" }.joined()
            let columns = try await Steps.upload("Topic\n" + rows, &host).expect(200)
            for (language, text) in [
                ("en", "Question “Topic”: The column “Topic” has more than 50 different values."),
                ("de", "Frage „Topic“: Die Spalte „Topic“ hat mehr als 50 verschiedene Werte."),
                ("ko", "질문 “Topic”: “Topic” 열의 서로 다른 값이 50개보다 많습니다."),
            ] {
                let page = try await Steps.send(columns, "check", with: ["use.0": "choice"], language: language, &host)
                #expect(page.status == 422 && page.text.contains(text), "\(language)")
            }
        }
    }
}

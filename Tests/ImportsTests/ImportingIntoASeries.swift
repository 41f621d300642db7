import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import Imports

/// A map may name an existing series by its id, also one that no import made. The meetings of the file become further rounds of it.
@Suite(.timeLimit(.minutes(2))) struct ImportingIntoASeries {
    private static let csv = """
        m,How was the pace?,What helped? [The demo],What helped? [Snacks],Mood
        1,4,Yes,No,good
        2,5,No,Yes,bad
        2,3,Yes,Yes,good

        """

    /// The map that the choices on the page make for the file.
    private static func map(_ target: ImportableSeries.Target) throws -> ImportMap {
        let columns = [
            MapDraft.Column(name: "m", use: .meeting), .init(name: "How was the pace?", use: .rating(min: 1, max: 5)),
            .init(name: "What helped? [The demo]", use: .option), .init(name: "What helped? [Snacks]", use: .option),
            .init(name: "Mood", use: .choice),
        ]
        let draft = MapDraft(
            columns: columns, seriesTitle: "Unused", meetingTitle: "Week", timeZone: "UTC", order: nil,
            addingTo: KnownQuestions(target))
        return try ImportMap.read(Array(draft.text.utf8))
    }

    private static func run(
        _ csv: String, by map: ImportMap, as host: Principal, in fixture: TestStore, isDryRun: Bool = false
    ) async throws -> ImportReport {
        var map = map
        try await map.findSeries(for: host, in: fixture.store)
        return try await write(csv, by: map, as: host, in: fixture, isDryRun: isDryRun)
    }

    /// Imports without the check that `findSeries` makes before the file is read.
    private static func write(
        _ csv: String, by map: ImportMap, as host: Principal, in fixture: TestStore, isDryRun: Bool = false
    ) async throws -> ImportReport {
        var planner = ImportPlanner(map: map, hostID: host.account.id)
        try planner.read(Array(csv.utf8))
        let plan = try planner.finish()
        let importer = try fixture.store.importer(for: host)
        do {
            let report = try await ImportRun(plan, for: host.account, through: importer, isDryRun: isDryRun).run()
            await importer.close()
            return report
        } catch {
            await importer.close()
            throw error
        }
    }

    private static func rounds(_ fixture: TestStore) async throws -> [String] {
        let rows = try await fixture.store.pool.query("SELECT round || ' ' || title FROM meeting ORDER BY round")
        return try rows.map { try $0.decode(String.self) }
    }

    @Test func rowsBecomeRoundsAfterTheLastAndContinueItsQuestions() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 2, "topics": ["demo"]}"#, to: meeting)
            let target = try await fixture.store.importableSeries.require(meeting.seriesID, for: fixture.host)
            #expect(target.name.id == meeting.seriesID && target.name.title == "A meeting" && target.name.rounds == 1)
            let map = try Self.map(target)
            #expect(map.questions.map(\.key) == ["pace", "topics", "mood"])
            let dry = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture, isDryRun: true)
            #expect(try await Self.rounds(fixture) == ["1 A meeting"])
            let report = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture)
            #expect(report == dry && report.created == 3 && report.newMeetings == 2 && report.newSeries == 0)
            #expect(try await Self.rounds(fixture) == ["1 A meeting", "2 Week 1", "3 Week 2"])
            let pooled = try await fixture.store.seriesRounds.pooled(of: meeting.seriesID) { $0 }
            let pace = try #require(pooled.questions.first { $0.result.key == "pace" })
            #expect(pace.leftOut == [] && pace.result.points.map(\.count) == [0, 1, 1, 1, 1])
            let topics = try #require(pooled.questions.first { $0.result.key == "topics" })
            let counts = Dictionary(uniqueKeysWithValues: topics.result.points.map { ($0.label, $0.count) })
            #expect(topics.leftOut == [] && counts["The demo"] == 3 && counts["Snacks"] == 2)
            #expect(try await fixture.count("attendee") == 0)
        }
    }

    @Test func secondRunAddsNothing() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let series = fixture.store.importableSeries
            for isFirst in [true, false] {
                // The page makes the map again, from the questions of all rounds.
                let map = try Self.map(try await series.require(meeting.seriesID, for: fixture.host))
                let report = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture)
                #expect(report.created == (isFirst ? 3 : 0) && report.alreadyThere == (isFirst ? 0 : 3))
                #expect(report.newMeetings == (isFirst ? 2 : 0) && report.refused == [])
            }
            #expect(try await fixture.count("form_version") == 3)
        }
    }

    @Test func numbersOfDeletedRoundsAreNotGivenAgain() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await fixture.store.pool.execute("UPDATE series SET rounds = 7")
            let map = try Self.map(
                try await fixture.store.importableSeries.require(meeting.seriesID, for: fixture.host))
            _ = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture)
            #expect(try await Self.rounds(fixture) == ["1 A meeting", "8 Week 1", "9 Week 2"])
            let rows = try await fixture.store.pool.query("SELECT rounds FROM series")
            #expect(try rows.single().decode(Int.self) == 9)
        }
    }

    @Test func roundsOfAnEditorBelongToTheOwnerOfTheSeries() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let editor = try await TestStore.account("editor@example.org", "Edda", .host, in: fixture.store)
            try await fixture.store.pool.execute(
                """
                INSERT INTO series_host (series_id, account_id, role)
                VALUES (\(meeting.seriesID), \(editor.account.id), 'editor')
                """)
            #expect(
                try await fixture.store.importableSeries.list(for: editor, limit: 10).map(\.id) == [meeting.seriesID])
            let map = try Self.map(try await fixture.store.importableSeries.require(meeting.seriesID, for: editor))
            let report = try await Self.run(Self.csv, by: map, as: editor, in: fixture)
            #expect(report.created == 3)
            let hosts = try await fixture.store.pool.query("SELECT DISTINCT host_id FROM meeting")
            #expect(try hosts.single().decode(UUID.self) == fixture.host.account.id)
            // The same file of the owner meets the same rows.
            let again = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture)
            #expect(again.created == 0 && again.alreadyThere == 3)
        }
    }

    /// What keeps an account from adding to a series.
    enum Obstacle: String, CaseIterable {
        case stranger
        case viewer
        case trash
        case unknown
    }

    @Test(arguments: Obstacle.allCases)
    func noStepAddsToASeriesThatTheHostMayNotEdit(_ obstacle: Obstacle) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            var map = try Self.map(
                try await fixture.store.importableSeries.require(meeting.seriesID, for: fixture.host))
            let pool = fixture.store.pool
            let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: fixture.store)
            let caller = obstacle == .stranger || obstacle == .viewer ? other : fixture.host
            switch obstacle {
            case .stranger: break
            case .viewer:
                try await pool.execute(
                    """
                    INSERT INTO series_host (series_id, account_id, role)
                    VALUES (\(meeting.seriesID), \(caller.account.id), 'viewer')
                    """)
            case .trash: try await pool.execute("UPDATE series SET deleted_at = now()")
            case .unknown: map.series.id = UUID()
            }
            let sent = map
            let offered = try await fixture.store.importableSeries.list(for: caller, limit: 10).map(\.id)
            #expect(offered.contains(meeting.seriesID) == (obstacle == .unknown))
            await #expect(throws: ImportAccessDenied.self) {
                _ = try await Self.run(Self.csv, by: sent, as: caller, in: fixture)
            }
            for isDryRun in [true, false] {
                await #expect(throws: ImportAccessDenied.self) {
                    _ = try await Self.write(Self.csv, by: sent, as: caller, in: fixture, isDryRun: isDryRun)
                }
            }
            // The importer that checks no access takes no such map.
            await #expect(throws: ImportAccessDenied.self) {
                _ = try await fixture.importCSV(Self.csv, by: sent)
            }
            #expect(try await fixture.count("meeting") == 1)
            #expect(try await fixture.count("series") == 1)
            #expect(try await fixture.count("submission") == 0)
        }
    }

    /// The access is read after the lock of the series, which a removal holds until it is committed.
    @Test func accessThatEndsBeforeTheRoundsAreMadePreventsThem() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: fixture.store)
            let map = try Self.map(
                try await fixture.store.importableSeries.require(meeting.seriesID, for: fixture.host))
            let run = try await fixture.store.pool.transaction { connection in
                try await connection.execute("UPDATE series SET owner_id = \(other.account.id)")
                let run = Task { try await Self.write(Self.csv, by: map, as: fixture.host, in: fixture) }
                try await Task.sleep(for: .milliseconds(300))
                return run
            }
            await #expect(throws: ImportAccessDenied.self) { _ = try await run.value }
            #expect(try await fixture.count("meeting") == 1)
        }
    }

    @Test(arguments: [
        #""column":"How was the pace?","key":"pace","kind":"rating","title":"T","min":1,"max":7"#,
        #""column":"Mood","key":"pace","kind":"choice","title":"T""#,
        #""column":"Mood","key":"topics","kind":"choice","title":"T""#,
    ])
    func questionOfAnotherKindOrScaleIsRefusedBeforeAnyWrite(_ question: String) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let map = try ImportMap.read(
                Array(
                    #"{"series": {"id": "\#(meeting.seriesID.lowercased)"}, "questions": [{\#(question)}]}"#.utf8))
            for isDryRun in [true, false] {
                let mismatch = await #expect(throws: ImportSeriesMismatch.self) {
                    _ = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture, isDryRun: isDryRun)
                }
                #expect(mismatch?.series == "A meeting" && mismatch?.options == [])
                #expect(mismatch?.kinds == [question.contains("topics") ? "topics" : "pace"])
                #expect(mismatch?.description.contains("“A meeting”") == true)
            }
            #expect(try await fixture.count("meeting") == 1)
        }
    }

    @Test func optionWithTheLabelOfAnotherIsRefusedBeforeAnyWrite() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let map = try ImportMap.read(
                Array(
                    """
                    {"series": {"id": "\(meeting.seriesID.lowercased)"}, "questions": [
                        {"columns": {"talk": "What helped? [The demo]"}, "key": "topics", "kind": "choice", "title": "T",
                         "options": [{"id": "talk", "label": "The demo"}]}]}
                    """.utf8))
            for isDryRun in [true, false] {
                let mismatch = await #expect(throws: ImportSeriesMismatch.self) {
                    _ = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture, isDryRun: isDryRun)
                }
                #expect(mismatch?.options == ["topics"] && mismatch?.kinds == [])
            }
            #expect(try await fixture.count("meeting") == 1)
        }
    }

    /// An imported round may become anonymous later, as those of any import.
    @Test func rowsOfARoundThatBecameAnonymousAreRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let map = try Self.map(
                try await fixture.store.importableSeries.require(meeting.seriesID, for: fixture.host))
            _ = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture)
            let pool = fixture.store.pool
            try await pool.execute(
                """
                UPDATE form_state SET anonymous = true, once_only = false, minimum_group = 3
                WHERE form_id IN (SELECT f.id FROM form f JOIN meeting m ON m.id = f.meeting_id WHERE m.round = 3)
                """)
            let report = try await Self.run(Self.csv, by: map, as: fixture.host, in: fixture, isDryRun: true)
            #expect(report.alreadyThere == 1)
            #expect(report.refused.map(\.code) == ["anonymous-form", "anonymous-form"])
            try await pool.execute("UPDATE form_state SET anonymous = false, minimum_group = 1")
        }
    }
}

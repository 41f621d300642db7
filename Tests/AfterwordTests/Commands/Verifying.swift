import Cryptography
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct Verifying {
    /// A meeting whose form has twenty submissions with answers of all kinds.
    private func filledMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting()
        for number in 0..<20 {
            _ = try await fixture.submit(
                #"{"pace": \#(number % 5 + 1), "topics": ["demo", {"other": "tea"}], "better": "x"}"#, to: meeting,
                key: "a-long-enough-key-\(number)")
        }
        return meeting
    }

    /// Runs the command on the fixture's database, with its secret file.
    private func run(_ fixture: TestStore, _ arguments: String...) async throws -> Program.Outcome {
        let folder = try TemporaryFolder()
        let secret = try folder.write("1 \(Base64URL.encode(fixture.secret))\n", to: "secret")
        chmod(secret, 0o600)
        return try await Program.run(
            ["verify", "--database-url", fixture.database.url, "--secret-file", secret] + arguments)
    }

    @Test func plantedDifferenceIsFoundAndRepaired() async throws {
        try await TestStore.run { fixture in
            let meeting = try await filledMeeting(fixture)
            #expect(try await run(fixture).status == 0)

            let form = meeting.form.id
            for damage: Statement in [
                "UPDATE tally SET count = count + 7 WHERE form_id = \(form) AND question = 'pace' AND bucket = '3'",
                "DELETE FROM tally WHERE form_id = \(form) AND question = 'topics' AND bucket = 'other'",
                "INSERT INTO tally (form_id, question, bucket, question_set, count) VALUES (\(form), 'pace', '9', 1, 1)",
                "UPDATE timeline SET count = count + 1 WHERE form_id = \(form)",
                "UPDATE form_state SET submissions = 3 WHERE form_id = \(form)",
            ] { try await fixture.store.pool.execute(damage) }

            let outcome = try await run(fixture)
            #expect(outcome.status == 3)
            #expect(outcome.output.contains("tally pace 3 has 11, counted 4"), "\(outcome.output)")
            #expect(outcome.output.contains("tally topics other has 0, counted 20"))
            #expect(outcome.output.contains("tally pace 9 has 1, counted 0"))
            #expect(outcome.output.contains("submissions has 3, counted 20"))
            #expect(outcome.output.contains("timeline "))

            let json = try await run(fixture, "--json", "--meeting", meeting.id.uuidString)
            #expect(json.status == 3)
            let report = try JSONValue.parse(Array(json.output.utf8.dropLast()))
            #expect(report["forms"]?.int == 1)
            #expect(report["differences"]?.array?.count == report["differenceCount"]?.int)

            let repair = try await run(fixture, "--repair", "--json")
            #expect(repair.status == 3)
            let after = try JSONValue.parse(Array(repair.output.utf8.dropLast()))
            #expect(after["repaired"]?.int == report["differenceCount"]?.int)
            let verified = try await run(fixture)
            #expect(verified.status == 0, "\(verified.output)")
            #expect(verified.output.hasPrefix("Compared 1 forms, 20 submissions and "))
            let results = try await fixture.store.results.read(form)
            #expect(results.submissions == 20)
        }
    }

    @Test func otherMeetingsAreSkippedAndAnUnknownMeetingIsReported() async throws {
        try await TestStore.run { fixture in
            let intact = try await filledMeeting(fixture)
            let damaged = try await filledMeeting(fixture)
            try await fixture.store.pool.execute("UPDATE tally SET count = 0 WHERE form_id = \(damaged.form.id)")
            #expect(try await run(fixture, "--meeting", intact.id.uuidString).status == 0)
            #expect(try await run(fixture, "--meeting", damaged.id.uuidString).status == 3)
            #expect(try await run(fixture, "--repair").status == 3)
            let unknown = try await run(fixture, "--meeting", "00000000-0000-4000-8000-000000000000")
            #expect(unknown.status == 1)
            #expect(unknown.errors == "There is no meeting 00000000-0000-4000-8000-000000000000.\n")
        }
    }

    @Test func unpublishedVersionIsReportedAndNotRepaired() async throws {
        try await TestStore.run { fixture in
            let meeting = try await filledMeeting(fixture)
            try await fixture.store.pool.execute(
                "UPDATE submission SET version = 99 WHERE form_id = \(meeting.form.id) AND answers->>'pace' = '5'")
            let outcome = try await run(fixture, "--repair")
            #expect(outcome.output.contains("version 99 has 4, counted 0"), "\(outcome.output)")
            #expect(outcome.output.hasSuffix(", 0 repaired.\n"))
            #expect(try await run(fixture).status == 3)
            try await fixture.store.pool.execute("UPDATE submission SET version = 1 WHERE form_id = \(meeting.form.id)")
        }
    }

    @Test func verificationDuringSubmissionsReportsNoDifferences() async throws {
        try await TestStore.run { fixture in
            let meeting = try await filledMeeting(fixture)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for number in 0..<40 {
                            _ = try await fixture.submit(
                                #"{"pace": 2}"#, to: meeting, key: "writer-\(writer)-number-\(number)")
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        let report = try await fixture.store.verification.run(repair: true) { _, _ in }
                        #expect(report.differences == [])
                    }
                }
                try await group.waitForAll()
            }
            let report = try await fixture.store.verification.run { _, _ in }
            #expect(report.submissions == 340)
            #expect(report.differenceCount == 0)
        }
    }
}

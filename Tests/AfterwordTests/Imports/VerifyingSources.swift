import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct VerifyingSources {
    private static let map = """
        {"series": {"by": "s", "title": "Series {s}"}, "meeting": {"by": "m", "title": "Week {m}"},
         "questions": [
            {"column": "c", "key": "pick", "kind": "choice", "title": "T"},
            {"column": "g", "key": "given", "kind": "choice", "title": "T", "other": true,
             "options": [{"id": "a", "label": "Alpha"}, {"id": "b", "label": "Beta"}]},
            {"columns": {"x": "x", "y": "y"}, "otherColumn": "z", "key": "many", "kind": "choice", "title": "T"},
            {"column": "r", "key": "rate", "kind": "rating", "title": "T"},
            {"column": "t", "key": "say", "kind": "text", "title": "T"}]}
        """
    private static let header = "s,m,c,g,x,y,z,r,t\n"
    private static let firstFile =
        header + """
            1,1,만족,a,1,0,,4,fine
            1,1,Aa,Beta,1,1,words,5,
            1,1,aa,Gamma,,,,9,refused
            2,1,aa,,0,0,,,

            """
    private static let secondFile = header + "1,2,보통,b,0,1,,3,\n1,2,aa,a,0,1,,3.0,x\n"

    private func run(_ workspace: Workspace, _ csv: String, _ more: String...) async throws -> Program.Outcome {
        try await workspace.run(
            [
                "verify", "--source", try workspace.folder.write(csv, to: "v.csv"), "--map",
                try workspace.folder.write(Self.map, to: "v.json"), "--host-email", Workspace.email,
            ] + more)
    }

    private func withImportedFiles(_ body: (Workspace, Pool) async throws -> Void) async throws {
        try await Workspace.using { workspace in
            let map = try workspace.folder.write(Self.map, to: "a.json")
            for csv in [Self.firstFile, Self.secondFile] {
                _ = try await workspace.importFile(try workspace.folder.write(csv, to: "a.csv"), map: map)
            }
            let pool = Pool(PostgresConfiguration(url: workspace.database.url), size: 1)
            try await body(workspace, pool)
            await pool.close()
        }
    }

    @Test func importedDataMatchesTheFile() async throws {
        try await withImportedFiles { workspace, _ in
            let intact = try await run(workspace, Self.firstFile)
            #expect(intact.status == 0, "\(intact.output) \(intact.errors)")
            #expect(
                intact.output == "Compared 3 rows, 2 series, 2 meetings and 10 questions with the stored data: "
                    + "no differences. 1 rows break a rule and were left out.\n")
            #expect(try await run(workspace, Self.secondFile).status == 0)
            let json = try JSONValue.parse(
                Array(try await run(workspace, Self.firstFile, "--json").output.utf8.dropLast()))
            #expect(json["meetings"]?.int == 2 && json["refused"]?.int == 1 && json["differences"]?.array == [])
        }
    }

    @Test func changedLabelsAreReported() async throws {
        try await withImportedFiles { workspace, pool in
            // The label of an option in the first round.
            try await pool.execute(
                """
                UPDATE question SET definition = replace(definition::text, '"Aa"', '"AA"')::jsonb
                WHERE definition::text LIKE '%만족%'
                """)
            let outcome = try await run(workspace, Self.firstFile)
            #expect(outcome.status == 3)
            #expect(
                outcome.output.contains("series “Series 1”, meeting “Week 1”: pick “Aa” has 0, the file 1\n"),
                "\(outcome.output)")
            #expect(outcome.output.contains("pick “AA” has 1, the file 0\n"))
            #expect(outcome.output.contains("differences"))
        }
    }

    /// The second round uses the id of an option of the first round for another value.
    @Test func roundsPooledUnderWrongOptionsAreReported() async throws {
        try await withImportedFiles { workspace, pool in
            func id(of label: String) async throws -> String {
                let rows = try await pool.query(
                    """
                    SELECT o->>'id' FROM question q, jsonb_array_elements(q.definition->'options') o
                    WHERE o->>'label' = \(label)
                    """)
                return try #require(rows.first).decode(String.self)
            }
            let (wrong, right) = (try await id(of: "만족"), try await id(of: "보통"))
            try await pool.execute(
                "UPDATE question SET definition = replace(definition::text, \(right)::text, \(wrong)::text)::jsonb")
            try await pool.execute("UPDATE tally SET bucket = \(wrong) WHERE bucket = \(right)")
            let outcome = try await run(workspace, Self.secondFile)
            #expect(outcome.status == 3, "\(outcome.output) \(outcome.errors)")
            #expect(
                outcome.output.contains("series “Series 1”, all rounds: pick “보통” has 2, its rounds 1\n"),
                "\(outcome.output)")
            #expect(outcome.output.contains("series “Series 1”, all rounds: pick “만족” has 0, its rounds 1\n"))
            #expect(!outcome.output.contains("Week 2"))
        }
    }

    @Test func missingMeetingsAreReported() async throws {
        try await withImportedFiles { workspace, _ in
            let outcome = try await run(workspace, Self.secondFile + "1,7,aa,a,0,1,,3,\n")
            #expect(outcome.status == 3)
            #expect(outcome.output.hasPrefix("series “Series 1”, meeting “Week 7”: is missing, the file has 1 rows\n"))
        }
    }

    @Test(arguments: [
        (["--source", "/dev/null"], "--source needs --map and --host-email."),
        (["--map", "m"], "--map is only used with --source."),
        (
            ["--source", "/dev/null", "--map", "m", "--host-email", "a@b", "--repair"],
            "--source compares only: leave --meeting and --repair out."
        ),
        (["--source", "nowhere.csv", "--map", "m", "--host-email", "a@b"], "nowhere.csv cannot be read"),
    ])
    func misuseEndsWithStatus2(arguments: [String], sentence: String) async throws {
        let outcome = try await Program.run(["verify"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.sentence.hasPrefix(sentence), "\(outcome.errors)")
    }
}

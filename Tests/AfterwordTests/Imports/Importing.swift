import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite struct Importing {
    private static let map = """
        {"series": {"title": "S"}, "meeting": {"title": "M"},
         "questions": [{"column": "r", "key": "rate", "kind": "rating", "title": "T"},
                       {"column": "t", "key": "say", "kind": "text", "title": "T", "maxLength": 100}]}
        """

    private func run(
        _ workspace: Workspace, _ csv: String, map: String = Importing.map, _ more: String...
    ) async throws -> Program.Outcome {
        try await workspace.run(
            [
                "import", try workspace.folder.write(csv, to: "a.csv"), "--map",
                try workspace.folder.write(map, to: "a.json"),
                "--host-email", Workspace.email,
            ] + more)
    }

    @Test func realRatingsAreImportedOnceAndVerified() async throws {
        try await Workspace.using { workspace in
            let (csv, map) = (Workspace.fixture("lecture_ratings.csv"), Workspace.fixture("lecture_ratings.map.json"))
            let dry = try await workspace.importFile(csv, map: map, "--dry-run")
            #expect(
                dry.output == "Would import 396 of 396 rows into 49 meetings (49 new) of 14 series (14 new); "
                    + "0 already existed, 0 refused.\n")
            let first = try await workspace.importFile(csv, map: map)
            #expect(first.status == 0)
            #expect(first.errors == "")
            #expect(
                first.output.hasPrefix("Imported 396 of 396 rows into 49 meetings (49 new) of 14 series (14 new); 0 "))
            let second = try await workspace.importFile(csv, map: map, "--json")
            let report = try JSONValue.parse(Array(second.output.utf8.dropLast()))
            let numbers = ["rows", "created", "alreadyThere", "refused", "newSeries", "newMeetings"].map {
                report[$0]?.int
            }
            #expect(numbers == [396, 0, 396, 0, 0, 0])
            let verified = try await workspace.run(["verify"])
            #expect(verified.status == 0)
            #expect(verified.output.hasPrefix("Compared 49 forms, 396 submissions"))
        }
    }

    @Test func refusedRowsAreReportedWithStatus1() async throws {
        try await Workspace.using { workspace in
            let csv = "r,t\n3,fine\n9,x\n2,\"a\"b\"\n4,\"over\ntwo lines\"\n,\u{0}\n"
            let report = workspace.folder / "refused.csv"
            let outcome = try await run(workspace, csv, "--report", report)
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("Imported 2 of 5 rows"))
            #expect(outcome.output.hasSuffix(" 3 refused.\n"))
            #expect(outcome.errors == "The refused rows are listed in \(report).\n")
            #expect(
                workspace.folder.read("refused.csv") == """
                    "line","column","code","reason"\r
                    3,"r","out-of-range","A rating from 1 to 5 is expected."\r
                    4,"t","broken-quote","Text follows a closing quote."\r
                    7,"t","nul-character","A text cannot contain the character NUL."\r

                    """)
            let unreported = try await run(workspace, csv)
            #expect(unreported.status == 1)
            #expect(unreported.errors.hasPrefix("line 3, column r: A rating from 1 to 5 is expected.\n"))
        }
    }

    @Test(arguments: [
        "\u{FEFF}r,t\r\n1,a\r\n2,b\r\n", "r,t\n1,a\n2,b", "\"r\",\"t\"\r\n1,a\r\n\r\n2,b\r\n", "t,x,r\na,,1\nb,,2\n",
    ])
    func byteOrderMarksLineEndingsAndColumnOrderDoNotMatter(csv: String) async throws {
        try await Workspace.using { workspace in
            let outcome = try await run(workspace, csv)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("Imported 2 of 2 rows"))
            // The same rows in another notation.
            #expect(try await run(workspace, "r,t\n1,a\n2,b\n").output.contains("2 already existed"))
        }
    }

    @Test func anotherDelimiterAndTheStandardInputAreAccepted() async throws {
        try await Workspace.using { workspace in
            let map = try workspace.folder.write(Self.map, to: "map.json")
            let outcome = try await workspace.run(
                ["import", "-", "--map", map, "--host-email", Workspace.email, "--delimiter", ";"],
                input: "r;t\n1;a,b\n")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("Imported 1 of 1 rows into 1 meetings"))
        }
    }

    @Test func unusableFilesAndMapsAreReported() async throws {
        try await Workspace.using { workspace in
            let empty = try await run(workspace, "")
            #expect(empty.status == 1)
            #expect(empty.errors == "\(workspace.folder / "a.csv"): Line 1: The file is empty; it needs a header.\n")
            let broken = try await run(workspace, "r,\"t\n")
            #expect(broken.status == 1)
            #expect(broken.errors.hasSuffix("The quote opened on line 1 is never closed.\n"))
            let missing = try await run(workspace, "x,y\n1,2\n")
            #expect(missing.status == 2)
            #expect(
                missing.errors == """
                    \(workspace.folder / "a.json") /questions/0/column: The file has no column “r”.
                    \(workspace.folder / "a.json") /questions/1/column: The file has no column “t”. Its columns are “x”, “y”.

                    """)
            let zone = Self.map.replacing(#"{"title": "M"}"#, with: #"{"title": "M", "timeZone": "Middle/Earth"}"#)
            let unknown = try await run(workspace, "r,t\n", map: zone)
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("/meeting/timeZone: A time zone is an IANA name"))
        }
    }

    @Test func spacesAroundTheNameOfAnOptionAreIgnored() async throws {
        let map = """
            { "questions": [ { "column": "r", "key": "r", "kind": "choice", "title": "R", "other": true,
                "options": [{"id": "demo", "label": "The demo"}] } ] }
            """
        try await Workspace.using { workspace in
            let outcome = try await run(workspace, "r\ndemo \n The demo\nsnacks \n", map: map)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let rows = try await workspace.run(["export", "answers", "--all", "--format", "ndjson"]).output
            #expect(rows.split(separator: "\n").count { $0.contains(#""option_id":"demo""#) } == 2, "\(rows)")
            #expect(rows.contains(#""value":"snacks ""#), "people's own words are kept as they are: \(rows)")
        }
    }

    @Test(arguments: [(";", "';'"), ("\t", "$'\\t'")])
    func matchingDelimiterIsSuggested(_ delimiter: String, _ proposed: String) async throws {
        try await Workspace.using { workspace in
            let outcome = try await run(workspace, ["r", "t"].joined(separator: delimiter) + "\n")
            #expect(outcome.status == 2)
            #expect(
                outcome.errors.hasSuffix("only column is “r\(delimiter)t”: try --delimiter \(proposed).\n"),
                "\(outcome.errors)")
        }
    }

    @Test func valuesThatCannotBeOptionsAreRefusedWithTheirLine() async throws {
        let map = """
            {"series": {"title": "S"}, "meeting": {"title": "M"},
             "questions": [{"column": "c", "key": "pick", "kind": "choice", "title": "T"}]}
            """
        try await Workspace.using { workspace in
            let csv = "c\nYes\n\(String(repeating: "x", count: 1_000_000))\nno\u{0}\n\" \"\nYes\n"
            let outcome = try await run(workspace, csv, map: map)
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("Imported 2 of 5 rows"), "\(outcome.output)")
            #expect(
                outcome.errors == """
                    line 3, column c: At most 300 characters are allowed.
                    line 4, column c: A text cannot contain the character NUL.
                    line 5, column c: This cannot be blank.

                    """)
        }
    }

    @Test func unclosedQuoteIsReportedWithItsLines() async throws {
        try await Workspace.using { workspace in
            let rest = (5...30).map { "2,line \($0)\n" }.joined()
            let outcome = try await run(workspace, "r,t\n1,a\n2,b\n3,\"c\n" + rest)
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("Imported 2 of 3 rows"))
            #expect(
                outcome.errors == "line 4, column t: The quote opened on line 4 is never closed (lines 4 to 30).\n")
            let closed = try await run(workspace, "r,t\n1,a\n3,\"c\n" + rest + "4,\"d\"\n")
            #expect(
                closed.errors == "line 3, column t: Text follows a closing quote (lines 3 to 30).\n", "\(closed.errors)"
            )
        }
    }

    @Test func rowsImportedFromAnotherFileAreReported() async throws {
        try await Workspace.using { workspace in
            let first = "r,t\n" + (0..<10).map { "\($0 % 5 + 1),\n" }.joined()
            let second = first + "5,\n5,\n5,\n5,\n1,new\n"
            func summary(_ csv: String, _ more: String...) async throws -> String {
                try await workspace.run(
                    [
                        "import", try workspace.folder.write(csv, to: "a.csv"), "--map",
                        try workspace.folder.write(Self.map, to: "a.json"), "--host-email", Workspace.email,
                    ] + more
                ).output
            }
            #expect(try await summary(first).contains("; 0 already existed, 0 refused."))
            #expect(try await summary(first).contains("; 10 already existed, 0 refused."))
            let other = "; 10 already existed (10 of them from an earlier import of another file), 0 refused."
            #expect(try await summary(second, "--dry-run").contains(other))
            #expect(try await summary(second).contains(other))
            #expect(try await summary(second).contains("; 15 already existed, 0 refused."))
            let json = try JSONValue.parse(Array(try await summary(first + "4,last\n", "--json").utf8.dropLast()))
            #expect(json["alreadyThere"]?.int == 10 && json["fromAnotherFile"]?.int == 10)
        }
    }

    @Test func allFaultsOfTheMapAreReportedBeforeTheDatabaseIsUsed() async throws {
        let folder = try TemporaryFolder()
        let csv = try folder.write("r\n", to: "a.csv")
        let map = try folder.write(
            #"{"serie": {}, "series": {"title": "S"}, "meeting": {"title": "{"}, "questions": [{"column": "r"}]}"#,
            to: "a.json")
        let outcome = try await Program.run([
            "import", csv, "--map", map, "--host-email", "a@example.org", "--database-url", "postgres:///nowhere",
        ])
        #expect(outcome.status == 2)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count >= 4)
        #expect(lines.contains { $0.hasPrefix("\(map) /serie: ") })
        #expect(lines.contains { $0.hasPrefix("\(map) /meeting/title: ") })
        #expect(lines.contains { $0.hasPrefix("\(map) /questions/0/") })
    }

    @Test func unknownHostAndChangedQuestionsAreReported() async throws {
        try await Workspace.using { workspace in
            #expect(try await run(workspace, "r,t\n1,a\n").status == 0)
            let map = try workspace.folder.write(Self.map, to: "map.json")
            let nobody = try await workspace.run([
                "import", workspace.folder / "a.csv", "--map", map, "--host-email", "nobody@example.org",
            ])
            #expect(nobody.status == 1)
            #expect(nobody.errors.hasPrefix("There is no account nobody@example.org: "))
            let other = try await run(workspace, "r,t\n1,a\n", map: Self.map.replacing(#""rating""#, with: #""text""#))
            #expect(other.status == 1)
            #expect(
                other.errors.hasPrefix(
                    "The meeting “M” of the series “S” already exists, but its questions differ from those of the map"))
            #expect(other.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func mapNamesAnExistingSeriesThatTheHostMayEdit() async throws {
        try await Workspace.using { workspace in
            #expect(try await run(workspace, "r,t\n1,a\n").status == 0)
            let list = try await workspace.run(["series", "list", "--json"]).output
            let id = try #require(list.firstMatch(of: #/[0-9a-f]{8}-[0-9a-f-]{27}/#).map { String($0.0) })
            let map = Self.map.replacing(
                #""series": {"title": "S"}, "meeting": {"title": "M"}"#,
                with: #""series": {"id": "\#(id)"}, "meeting": {"title": "Second"}"#)
            for already in ["0", "2"] {
                let outcome = try await run(workspace, "r,t\n1,a\n2,b\n", map: map)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.output.contains("of 1 series (0 new); \(already) already existed"))
            }
            let verified = try await workspace.run([
                "verify", "--source", workspace.folder / "a.csv", "--map", workspace.folder / "a.json",
                "--host-email", Workspace.email,
            ])
            #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
            let scale = map.replacing(#""kind": "rating""#, with: #""kind": "rating", "max": 7"#)
            let mismatch = try await run(workspace, "r,t\n1,a\n", map: scale.replacing("Second", with: "Third"))
            #expect(mismatch.status == 1)
            #expect(
                mismatch.errors.hasPrefix(
                    "The series “S” has questions of another kind or scale with the same keys (rate)"))
            _ = try await workspace.run(
                [
                    "account", "create", "--email", "otto@example.org", "--name", "Otto", "--role", "host",
                    "--password-stdin",
                ],
                input: Workspace.password + "\n")
            let unknown = map.replacing(id, with: "01900000-0000-7000-8000-000000000000")
            for (map, email) in [(map, "otto@example.org"), (unknown, Workspace.email)] {
                let refused = try await workspace.run([
                    "import", workspace.folder / "a.csv", "--map", try workspace.folder.write(map, to: "b.json"),
                    "--host-email", email,
                ])
                #expect(refused.status == 2)
                #expect(refused.errors.contains("b.json /series/id: \(email) can't add to a series with this id"))
            }
        }
    }

    @Test(arguments: [
        (["nowhere.csv", "--map", "m", "--host-email", "a@b"], "nowhere.csv cannot be read"),
        (["/", "--map", "m", "--host-email", "a@b"], "/ cannot be read"),
        (["/dev/null", "--map", "nowhere.json", "--host-email", "a@b"], "The map nowhere.json cannot be read"),
        (
            ["/dev/null", "--map", "m", "--host-email", "nobody"],
            "--host-email has the invalid value \"nobody\"; expected an e-mail address."
        ),
        (
            ["/dev/null", "--map", "m", "--host-email", "a@b", "--delimiter", "ab"],
            "--delimiter is \"ab\": The delimiter"
        ),
        (["/dev/null", "--map", "m"], "Missing expected argument '--host-email <host-email>'"),
    ])
    func misuseEndsWithStatus2(arguments: [String], sentence: String) async throws {
        let outcome = try await Program.run(["import"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.sentence.hasPrefix(sentence), "\(outcome.errors)")
    }
}

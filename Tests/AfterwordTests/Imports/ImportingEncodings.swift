import Foundation
import TestSupport
import Testing

@Suite struct ImportingEncodings {
    private static let map = """
        {"series": {"title": "S"}, "meeting": {"title": "M"},
         "questions": [{"column": "text", "key": "say", "kind": "text", "title": "T"}]}
        """
    private static let german = ["Schöne Grüße aus München", "Das war für alle zu schnell", "Übung macht den Meister"]
    private static let korean = ["오늘 회의는 정말 좋았습니다", "설명이 조금 빨랐어요", "다음에는 더 많은 예시를 보고 싶습니다"]
    private static let chinese = ["今天的会议非常好", "讲得有点快，希望慢一些", "下次希望看到更多的例子和讨论"]
    private static let japanese = ["とても良い会議でした", "すこし早口だと思います", "もっと例を見せてください"]

    private func write(_ rows: [String], as encoding: String, in workspace: Workspace) async throws -> String {
        let text = "text\n" + (0..<40).map { "\(rows[$0 % rows.count])\n" }.joined()
        let plain = try workspace.folder.write(text, to: "plain.csv")
        let converted = try await Program.run(
            ["-f", "UTF-8", "-t", encoding, "-o", workspace.folder / "coded.csv", plain], program: "/usr/bin/iconv")
        #expect(converted.status == 0, "\(converted.errors)")
        return workspace.folder / "coded.csv"
    }

    private func importFile(_ workspace: Workspace, _ file: String, _ more: String...) async throws -> Program.Outcome {
        try await workspace.run(
            [
                "import", file, "--map", try workspace.folder.write(Self.map, to: "a.json"), "--host-email",
                Workspace.email,
            ]
                + more)
    }

    @Test(arguments: [
        (korean, "EUC-KR", "euc-kr"), (chinese, "GB18030", "gb18030"), (japanese, "SHIFT_JIS", "shift_jis"),
        (german, "WINDOWS-1252", "windows-1252"), (german, "UTF-16", "utf-16"), (korean, "UTF-16LE", "utf-16le"),
        (german, "UTF-16BE", "utf-16be"),
    ])
    func otherEncodingsAreDetectedAndReadOnRequest(
        _ rows: [String], _ encoding: String, _ name: String
    ) async throws {
        try await Workspace.using { workspace in
            let file = try await write(rows, as: encoding, in: workspace)
            let refused = try await importFile(workspace, file)
            #expect(refused.status == 1)
            #expect(
                refused.errors == "\(file) is not UTF-8; it looks like \(name): add --encoding \(name).\n",
                "\(refused.errors)")
            #expect(refused.output == "")
            let read = try await importFile(workspace, file, "--encoding", name.uppercased())
            #expect(read.status == 0, "\(read.errors)")
            #expect(read.output.hasPrefix("Imported 40 of 40 rows into 1 meetings (1 new)"), "\(read.output)")
            let plain = try await importFile(workspace, workspace.folder / "plain.csv")
            #expect(plain.output.contains("40 already existed"), "\(plain.output)")
        }
    }

    @Test func wrongEncodingIsRefused() async throws {
        try await Workspace.using { workspace in
            let file = try await write(Self.german, as: "ISO-8859-1", in: workspace)
            let outcome = try await importFile(workspace, file, "--encoding", "euc-kr")
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("\(file) is not euc-kr; it looks like "), "\(outcome.errors)")
        }
    }

    @Test func singleInvalidRowDoesNotRefuseTheFile() async throws {
        try await Workspace.using { workspace in
            let text = "text\n" + (0..<99).map { "row \($0)\n" }.joined()
            let file = workspace.folder / "broken.csv"
            try (Data(text.utf8) + Data([0xFF, 0x0A])).write(to: URL(fileURLWithPath: file))
            let outcome = try await importFile(workspace, file)
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("Imported 99 of 100 rows"))
            #expect(outcome.errors == "line 101, column text: The field is not UTF-8.\n")
        }
    }

    @Test func unknownEncodingIsRefusedWithTheKnownNames() async throws {
        let outcome = try await Program.run([
            "import", "/dev/null", "--map", "m", "--host-email", "a@b", "--encoding", "utf-9",
        ])
        #expect(outcome.status == 2)
        #expect(
            outcome.sentence.hasPrefix("--encoding has the invalid value \"utf-9\"; expected one of utf-8, "),
            "\(outcome.errors)")
        #expect(outcome.sentence.contains("gb18030") && outcome.sentence.contains("shift_jis"))
    }
}

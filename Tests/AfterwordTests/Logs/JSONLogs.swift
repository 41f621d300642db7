import Foundation
import Logging
import StrictJSON
import TestSupport
import Testing

/// The log of a running `serve`, in both formats.
@Suite(.timeLimit(.minutes(10))) struct JSONLogs {
    /// A picture for which libpng prints a warning: `IDAT: Extra compressed data`.
    private static let oddPicture = """
        iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAI0lEQVR4nGNgxAEYhpYEAEvIAMFtb3JlbW9yZW1vcmVtb3JlbW9yZb/rZ+sA\
        AAAASUVORK5CYII=
        """

    /// The lines as JSON objects. Throws if a line is not an object.
    static func objects(_ log: String) throws -> [JSONValue] {
        try #require(log.last == "\n")
        let lines = log.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        return try lines.map { line in
            let value = try JSONValue.parse(line)
            guard case .object(let members) = value else { throw TestStore.Missing("an object in \(line)") }
            #expect(members.prefix(5).map(\.name) == ["time", "level", "label", "module", "message"], "\(line)")
            #expect(value["time"]?.string.flatMap(RFC3339.parse) != nil, "\(line)")
            #expect(value["level"]?.string.flatMap { Logger.Level(rawValue: $0) } != nil, "\(line)")
            return value
        }
    }

    @Test func everyLineOfARunningServiceIsAnObject() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["--data", folder / "data", "--log-format", "json", "--log-level", "trace"]
        let service = try await RunningService(arguments)
        let requestIDs = try await service.using { service async throws in
            let admin = try await service.admin(in: folder / "data")
            let (_, meeting) = try await service.openForm(by: admin)
            let picture = Array(try #require(Data(base64Encoded: Self.oddPicture)))
            let path = "/v1/meetings/\(meeting)"
            var responses = [
                try await admin.send("PUT", path + "/image", body: picture, headers: ["Content-Type": "image/png"])
            ]
            // A plain read, and one that only the HTTP engine answers.
            for headers in [[:], ["TE": "trailers"]] {
                responses.append(try await admin.get(path + "/results", headers: headers))
            }
            return try responses.map { try #require(try $0.expect(200)["X-Request-Id"]) }
        }
        #expect(service.standardOutput == service.startLine + "\n")
        let lines = try Self.objects(service.standardError)
        let messages = lines.compactMap { $0["message"]?.string }
        #expect(messages.count == lines.count)
        for start in ["The first admin is admin@localhost; the password is in ", "Open http://127.0.0.1:", "Phones "] {
            #expect(messages.contains { $0.hasPrefix(start) }, "\(start)")
        }
        for id in requestIDs {
            let line = lines.first { $0["request"]?.string == id }
            #expect(line?["message"]?.string == "Request answered" && line?["status"]?.string == "200", "\(id)")
        }
        #expect(!lines.contains { $0["hb.request.id"] != nil })
    }

    @Test func failureOfTheServiceIsTheLastObject() async throws {
        let database = try await TestCluster.database()
        let folder = try TemporaryFolder()
        let arguments = ["--database-url", database.url, "--data", folder / "data"]
        try await RunningService(arguments).using { first async throws in
            let second = try await Program.run(
                ["serve", "--port", "\(first.port)", "--log-format", "json"] + arguments)
            #expect(second.status == 1)
            let last = try #require(try Self.objects(second.errors).last)
            #expect(last["level"]?.string == "critical")
            #expect(last["message"]?.string?.hasPrefix("Port \(first.port) on 127.0.0.1 is in use: ") == true)
        }
        try await database.drop()
    }

    @Test func otherCommandsPrintSentencesInsteadOfJSON() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run(
            ["migrate", "--database-url", "postgresql://u@/name?host=\(folder.path)", "--data", folder / "data"],
            environment: ["AFTERWORD_LOG_FORMAT": "json"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("The database cannot be reached ("), "\(outcome.errors)")
    }

    @Test func textIsTheDefaultFormat() async throws {
        let folder = try TemporaryFolder()
        let service = try await RunningService(["--data", folder / "data", "--log-level", "debug"])
        try await service.using { service async throws in
            try await service.client.get("/readyz").expect(200)
            _ = try await service.admin(in: folder / "data")
        }
        let sentences = ["The first admin is admin@localhost", "Open http://127.0.0.1", "Phones cannot open"]
        let lines = service.standardError.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for line in lines where !sentences.contains(where: line.hasPrefix) {
            let shape = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} [a-z]+ [a-z.A-Z]+: (\S.* )?\[[A-Za-z]+\] .+/
            #expect(line.wholeMatch(of: shape) != nil, "\(line)")
        }
        #expect(sentences.allSatisfy { sentence in lines.contains { $0.hasPrefix(sentence) } })
        #expect(lines.contains { $0.contains(" debug afterword: ") && $0.hasSuffix(" [HTTPAPI] Request answered") })
    }

    @Test func mailsAreWrittenToFilesWithoutSendmail() async throws {
        let folder = try TemporaryFolder()
        let service = try await RunningService([
            "--data", folder / "data", "--log-format", "json", "--sign-up", "on", "--sendmail", "none",
        ])
        try await service.using { service async throws in
            let account = #"{"email": "nora@example.org", "name": "Nora New"}"#
            try await service.client.post("/v1/accounts", json: account).expect(202)
            try await eventually("the mail is written") { service.standardError.contains("\"file\":") }
        }
        let file = try #require(try Self.objects(service.standardError).compactMap { $0["file"]?.string }.first)
        let mail = try String(contentsOfFile: file, encoding: .utf8)
        #expect(file.hasPrefix(folder / "data/mails/") && mail.contains("/verify?token="))
        #expect(!service.standardError.contains("token=") && !service.standardError.contains("nora@example.org"))
    }
}

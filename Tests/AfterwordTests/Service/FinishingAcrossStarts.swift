import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// The service is killed while a form is being finalised.
@Suite(.timeLimit(.minutes(15))) struct FinishingAcrossStarts {
    @Test func nextStartFinalisesTheFormAndDoctorReportsDelays() async throws {
        let folder = try TemporaryFolder()
        let database = try await TestCluster.database()
        let arguments = ["--data", folder / "data", "--database-url", database.url]
        let first = try await RunningService(arguments)
        let client = try await first.admin(in: folder / "data")
        let created = try await client.post("/v1/meetings", json: #"{"title": "Retro"}"#).expect(201)
        let id = try created.string("id")
        let path = "/v1/meetings/\(id)"
        let form = #"{"anonymous": true, "questions": [{"key": "pace", "kind": "rating", "title": "Pace?"}]}"#
        try await client.put("\(path)/form", json: form, headers: ["If-Match": "*"]).expect(200)
        let code = try await client.post("\(path)/form/publish").expect(200).string("code")
        for pace in 1...3 {
            let body = "{\"answers\": {\"pace\": \(pace)}}"
            try await first.client.post("/v1/forms/\(code)/submissions", json: body).expect(201)
        }
        let reader = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await reader.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM submission")
        #expect(try await client.post("\(path)/form/finish").expect(200).json?["finalising"] == .bool(true))
        #expect(await first.stop(SIGKILL) == 128 + SIGKILL)

        #expect(try await findings(arguments).isEmpty)
        let writer = try await Connection.connect(PostgresConfiguration(url: database.url))
        let earlier = Date(timeIntervalSinceNow: -7_200)
        try await writer.execute(
            "UPDATE form_state SET finalising_since = \(earlier) WHERE finalising_since IS NOT NULL")
        let delayed = try await findings(arguments)
        #expect(delayed.count == 1 && delayed[0].contains(id), "\(delayed)")
        await writer.close()
        try await reader.script("COMMIT")
        await reader.close()

        try await RunningService(arguments).using { second async throws in
            let client = HTTPTestClient(port: second.port, authorization: client.authorization)
            let deadline = ContinuousClock.now + .seconds(60)
            while try await client.get("\(path)/form").string("state") != "final" {
                try #require(.now < deadline)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await client.get("\(path)/results").json?["submissions"]?.int == 3)
            let secret = ["--secret-file", folder / "data/secret"]
            #expect(try await Program.run(["verify", "--database-url", database.url] + secret).status == 0)
        }
        #expect(try await findings(arguments).isEmpty)
        try await database.drop()
    }

    /// The doctor's findings about forms that are being finalised.
    private func findings(_ arguments: [String]) async throws -> [String] {
        let outcome = try await Program.run(["doctor", "--json"] + arguments)
        let report = try JSONValue.parse(Array(outcome.output.utf8.dropLast()))
        return (report["findings"]?.array ?? []).filter { $0["topic"] == .string("finalising") }
            .compactMap { $0["message"]?.string }
    }
}

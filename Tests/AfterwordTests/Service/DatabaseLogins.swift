import EmbeddedPostgres
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// The users with which a service connects to its private database, and that database's write-ahead log.
@Suite(.timeLimit(.minutes(5))) struct DatabaseLogins {
    @Test func serviceDoesNotConnectAsSuperuser() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        try await RunningService(["--data", data]).using { service async throws in
            let (code, meeting) = try await service.openForm(by: service.admin(in: data))
            let client = try await service.admin(in: data)
            try await service.client.post(
                "/v1/forms/\(code)/submissions", json: #"{"answers": {"pace": 3}}"#
            ).expect(201)
            _ = try await client.get("/v1/meetings/\(meeting)/export/submissions.csv")
            let url = try #require(await EmbeddedPostgres.attach(folder: data))
            let users = try await Connection.with(PostgresConfiguration(url: url, applicationName: "tests")) {
                connection in
                try await connection.query(
                    """
                    SELECT DISTINCT usename::text FROM pg_stat_activity
                    WHERE application_name = 'afterword' AND backend_type = 'client backend'
                    """
                ).map { try $0.decode(String.self) }
            }
            #expect(users == ["afterword_app"])
            try await Self.expectNoMoreRights(EmbeddedPostgres.url(url, as: "afterword_app"), than: "afterword_app")
            try await Self.expectNoMoreRights(EmbeddedPostgres.url(url, as: "afterword_owner"), than: "afterword_owner")
        }
    }

    private static func expectNoMoreRights(_ url: String, than role: String) async throws {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            let (user, isSuperuser) = try await connection.query(
                "SELECT session_user::text, rolsuper FROM pg_roles WHERE rolname = session_user"
            )[0].decode(String.self, Bool.self)
            #expect(user == role && !isSuperuser)
            try await connection.script("RESET ROLE")
            let others = ["afterword", "afterword_owner", "afterword_app"].filter { $0 != role }
            for other in others {
                let error = await #expect(throws: PostgresError.self, "\(role) as \(other)") {
                    try await connection.script("SET ROLE \(other)")
                }
                #expect(error?.sqlState == "42501")
            }
            let error = await #expect(throws: PostgresError.self) {
                try await connection.script("COPY (SELECT 1) TO PROGRAM 'true'")
            }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test func writeAheadLogDoesNotContainAnswersOfAFinalForm() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        try await RunningService(["--data", data]).using { service async throws in
            let client = try await service.admin(in: data)
            let meeting = try await client.post("/v1/meetings", json: #"{"title": "Retro"}"#).expect(201)
            let id = try meeting.string("id")
            let definition = #"{"anonymous": true, "questions": [{"key": "better", "kind": "text", "title": "B"}]}"#
            try await client.put("/v1/meetings/\(id)/form", json: definition, headers: ["If-Match": "*"]).expect(200)
            let code = try await client.post("/v1/meetings/\(id)/form/publish").expect(200).string("code")
            for number in 1...6 {
                try await service.client.post(
                    "/v1/forms/\(code)/submissions", json: #"{"answers": {"better": "raspberry \#(number)"}}"#
                ).expect(201)
            }
            #expect(Self.logContains("raspberry 3", data))
            try await client.post("/v1/meetings/\(id)/form/close").expect(200)
            _ = try await client.post("/v1/meetings/\(id)/form/finish")
            try await eventually("the form is final") {
                try await client.get("/v1/meetings/\(id)/form").json?["state"]?.string == "final"
            }
            #expect(!Self.logContains("raspberry 3", data))
        }
    }

    private static func logContains(_ text: String, _ data: String) -> Bool {
        let folder = data + "/postgres/pg_wal"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)")?.firstRange(of: Data(text.utf8)) != nil
        }
    }
}

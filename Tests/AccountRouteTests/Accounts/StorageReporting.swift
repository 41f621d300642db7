import HTTPAPI
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct StorageReporting {
    @Test func adminsSeeTheSizeOfTheDatabase() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let storage = try #require(try await service.admin.get("/v1/admin/storage").expect(200).json)
            #expect(
                storage.members?.map(\.name) == [
                    "program", "postgres", "databaseBytes", "tables", "outbox", "deliveries", "submissions", "meetings",
                ])
            #expect(storage["program"]?.string == ProgramVersion.current)
            let first = try #require(storage["tables"]?[0])
            #expect(first.members?.map(\.name) == ["name", "bytes", "rows"])
            #expect(storage["outbox"]?.text == #"{"waiting":0,"oldest":null}"#)
            #expect(storage["deliveries"]?.text == #"{"waiting":0,"oldest":null}"#)
            #expect(storage["submissions"]?.text == #"{"count":1,"exact":true}"#)
            #expect(storage["meetings"]?.text == "1")
        }
    }

    @Test func reportOfALockedTableIsRefusedWithRetryAfter() async throws {
        try await TestService.run { service in
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; LOCK TABLE tally IN ACCESS EXCLUSIVE MODE")
            let response = try await service.admin.get("/v1/admin/storage")
            #expect(response.status == 503 && response["Retry-After"] != nil && !response.text.contains("tally"))
            try await holder.script("ROLLBACK")
            await holder.close()
            try await service.admin.get("/v1/admin/storage").expect(200)
        }
    }
}

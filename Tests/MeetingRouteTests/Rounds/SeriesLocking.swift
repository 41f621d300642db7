import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Concurrent actions on one series.
@Suite(.timeLimit(.minutes(15))) struct SeriesLocking {
    private static let times =
        #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#

    @Test(arguments: [
        "rename", "next round", "edit", "trash", "restore", "member", "join code", "co-host leaves", "new attendee",
        "attendee's name", "attendee removed",
    ])
    func coHostRemovedWhileTheirActionWaitsLosesAccess(action: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            let (series, other) = ("/v1/series/\(meeting.seriesID)", service.other)
            let id = try #require(UUID(uuidString: meeting.seriesID))
            try await service.host.post("\(series)/hosts", json: #"{"email": "other@example.org", "role": "editor"}"#)
                .expect(201)
            let ann = try await meeting.add("Ann", "ann@example.org").expect(201).string("id")
            if action == "restore" { try await service.host.delete(meeting.path).expect(204) }
            let response = try await Self.whileHeld(
                service,
                by: [
                    "SELECT 1 FROM series WHERE id = \(id) FOR NO KEY UPDATE",
                    "DELETE FROM series_host WHERE series_id = \(id)",
                ]
            ) {
                switch action {
                case "rename": try await service.patch(series, #"{"title": "Mine"}"#, match: "*", by: other)
                case "next round": try await other.post("\(series)/meetings")
                case "edit": try await service.patch(meeting.path, #"{"title": "Mine"}"#, match: "*", by: other)
                case "trash": try await other.delete(meeting.path)
                case "restore": try await other.post("\(meeting.path)/restore")
                case "member":
                    try await other.post("\(series)/members", json: #"{"name": "M", "email": "m@example.org"}"#)
                case "new attendee": try await other.post(meeting.attendeesPath, json: #"{"name": "B"}"#)
                case "attendee's name":
                    try await other.send(
                        "PATCH", "\(meeting.attendeesPath)/\(ann)", body: Array(#"{"name": "B"}"#.utf8))
                case "attendee removed": try await other.delete("\(meeting.attendeesPath)/\(ann)")
                case "join code": try await other.post("\(series)/join-codes", json: "{}")
                default:
                    try await other.send(
                        "DELETE", "\(series)/hosts", body: Array(#"{"email": "other@example.org"}"#.utf8))
                }
            }
            #expect(response.status == 404, "\(response.text)")
            let rows = try await service.fixture.store.pool.query(
                """
                SELECT count(*) FROM audit a JOIN account o ON o.id = a.account_id WHERE o.email = 'other@example.org'
                """)
            #expect(try rows.first?.decode(Int.self) == 0)
            let listed = try await service.fixture.store.pool.query("SELECT name FROM attendee").map {
                try $0.decode(String.self)
            }
            #expect(listed == ["Ann"])
        }
    }

    @Test func changesOfOneAccountLeaveConnectionsForOthers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; SELECT 1 FROM series FOR UPDATE")
            try await withThrowingTaskGroup(of: Int.self) { group in
                // More requests than there are connections.
                for _ in 0..<16 {
                    group.addTask {
                        try await service.host.post("/v1/series/\(meeting.seriesID)/meetings", json: "{}").status
                    }
                }
                try await service.fixture.database.waitUntilBlocked(4)
                for _ in 0..<8 {
                    try await service.anyone.get(meeting.formPath).expect(200)
                    try await service.admin.post("/v1/meetings", json: #"{"title": "Another"}"#).expect(201)
                }
                try await holder.script("ROLLBACK")
                await holder.close()
                for try await status in group { #expect([201, 409].contains(status)) }
            }
        }
    }

    @Test(arguments: ["meetings", "members"])
    func changesOfAllAccountsLeaveConnectionsForReaders(list: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let added = try await service.host.post(
                "/v1/series/\(meeting.seriesID)/hosts", json: #"{"email": "other@example.org", "role": "editor"}"#)
            try added.expect(201)
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; SELECT 1 FROM series FOR UPDATE")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in [service.host, service.other] {
                    for number in 0..<8 {
                        let body = list == "members" ? #"{"name": "M", "email": "m\#(number)@example.org"}"# : "{}"
                        group.addTask {
                            try await client.post("/v1/series/\(meeting.seriesID)/\(list)", json: body).status
                        }
                    }
                }
                try await service.fixture.database.waitUntilBlocked(6)
                for _ in 0..<8 {
                    try await service.anyone.get(meeting.formPath).expect(200)
                    try await service.host.get("\(meeting.path)/results").expect(200)
                    try await service.admin.get("/v1/meetings").expect(200)
                }
                try await holder.script("ROLLBACK")
                await holder.close()
                for try await status in group { #expect([201, 409].contains(status)) }
            }
        }
    }

    @Test func peopleWhoJoinWaitForTheSeriesWithoutAConnection() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let code = try await service.host.post("/v1/series/\(meeting.seriesID)/join-codes", json: "{}").expect(201)
                .string("code")
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; SELECT 1 FROM series FOR UPDATE")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<16 {
                    let body = #"{"name": "N", "email": "n\#(number)@example.org"}"#
                    group.addTask { try await service.anyone.post("/v1/join/\(code)", json: body).status }
                }
                try await service.fixture.database.waitUntilBlocked(1)
                for _ in 0..<8 { try await service.host.get("\(meeting.path)/results").expect(200) }
                #expect(service.fixture.store.pool.statistics.waiting == 0)
                try await holder.script("ROLLBACK")
                await holder.close()
                var statuses: [Int] = []
                for try await status in group { statuses.append(status) }
                #expect(statuses.contains(201) && statuses.allSatisfy { [201, 503].contains($0) }, "\(statuses)")
            }
        }
    }

    /// The slow requests outnumber the changes that one account, or all accounts together, may make at once.
    @Test func slowRequestBodiesDelayNoOtherChanges() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "/v1/series/\(meeting.seriesID)"
            let authorization = try #require(service.host.authorization)
            let slow = try await SilentConnections(
                8, port: service.host.port,
                sending: "POST \(path)/meetings HTTP/1.1\r\nHost: x\r\nAuthorization: \(authorization)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{")
            let start = ContinuousClock.now
            for _ in 0..<3 {
                try await service.host.post(path + "/meetings", json: "{}").expect(201)
                try await service.admin.post("/v1/meetings", json: #"{"title": "Another"}"#).expect(201)
            }
            #expect(.now - start < .seconds(15), "slow bodies time out after 30 s")
            await slow.close()
        }
    }

    @Test func concurrentDeletionAndRestoreLeaveNoActiveMeetingInATrashedSeries() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: Self.times)
            let series = "/v1/series/\(meeting.seriesID)"
            for _ in 0..<25 {
                try await service.host.delete(meeting.path).expect(204)
                async let deletion = service.host.delete(series)
                async let restoration = service.host.post("\(meeting.path)/restore")
                let statuses = [try await deletion.status, try await restoration.status]
                #expect(statuses == [204, 200])
                let rows = try await service.fixture.store.pool.query(
                    """
                    SELECT count(*) FILTER (WHERE (s.deleted_at IS NULL) <> (m.deleted_at IS NULL)),
                        count(*) FILTER (WHERE fs.trashed <> (m.deleted_at IS NOT NULL))
                    FROM series s JOIN meeting m ON m.series_id = s.id JOIN form f ON f.meeting_id = m.id
                    JOIN form_state fs ON fs.form_id = f.id
                    """)
                let counts = try #require(rows.first).decode(Int.self, Int.self)
                #expect(counts == (0, 0))
                if try await service.host.get(series).status == 404 {
                    try await service.host.post("\(series)/restore").expect(200)
                }
            }
        }
    }

    @Test(arguments: ["leave", "erase"])
    func deletingAnAccountLocksFormStatesLastAndInOrder(action: String) async throws {
        try await TestService.run { service in
            let pool = service.fixture.store.pool
            let attended = try await service.meeting(by: service.other)
            let (first, second) = (try await service.meeting(), try await service.meeting())
            let ids = try [attended, first, second].map { try #require(UUID(uuidString: $0.id)) }
            try await pool.execute(
                """
                INSERT INTO attendee (id, meeting_id, name, email)
                VALUES (gen_random_uuid(), \(ids[0]), 'Hanna', 'host@example.org')
                """)
            // The series and the forms are in opposite orders.
            let series = try [first, second].map { try #require(UUID(uuidString: $0.seriesID)) }
            try await pool.execute("UPDATE meeting SET round = 2, series_id = \(series[1]) WHERE id = \(ids[1])")
            try await pool.execute("UPDATE meeting SET round = 3, series_id = \(series[0]) WHERE id = \(ids[2])")
            let forms = try await pool.query("SELECT id FROM form WHERE meeting_id = ANY (\(ids)) ORDER BY id").map {
                try $0.decode(UUID.self)
            }
            let held = forms[action == "leave" ? 1 : 0]
            let response = try await Self.whileHeld(
                service, by: ["SELECT 1 FROM form_state WHERE form_id = \(held) FOR UPDATE"]
            ) {
                action == "leave"
                    ? try await service.host.delete("/v1/me")
                    : try await service.admin.post("/v1/admin/erasures", json: #"{"email": "host@example.org"}"#)
            } meanwhile: { watching in
                for form in forms where form != held {
                    try await watching.query("SELECT 1 FROM form_state WHERE form_id = \(form) FOR UPDATE NOWAIT")
                }
                for id in series {
                    await #expect(throws: PostgresError.self, "the series is already locked") {
                        try await watching.query("SELECT 1 FROM series WHERE id = \(id) FOR UPDATE NOWAIT")
                    }
                }
            }
            #expect((200...204).contains(response.status), "\(response.text)")
            let trashed = try await pool.query("SELECT count(*) FROM form_state WHERE trashed")
            #expect(try trashed.first?.decode(Int.self) == 2)
        }
    }

    /// Sends a request that has to wait for the locks of `statements`, runs `meanwhile`, and then commits the
    /// statements.
    private static func whileHeld(
        _ service: TestService, by statements: [Statement],
        _ request: @escaping @Sendable () async throws -> HTTPTestClient.Response,
        meanwhile: (Connection) async throws -> Void = { _ in }
    ) async throws -> HTTPTestClient.Response {
        let configuration = PostgresConfiguration(url: service.fixture.database.url)
        let holding = try await Connection.connect(configuration)
        let watching = try await Connection.connect(configuration)
        try await holding.script("BEGIN")
        for statement in statements { try await holding.query(statement) }
        let task = Task(operation: request)
        try await service.fixture.database.waitUntilBlocked(1)
        try await meanwhile(watching)
        try await holding.script("COMMIT")
        let response = try await task.value
        await holding.close()
        await watching.close()
        return response
    }
}

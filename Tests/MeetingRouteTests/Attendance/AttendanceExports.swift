import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AttendanceExports {
    private func lines(_ client: HTTPTestClient, _ path: String) async throws -> [JSONValue] {
        try await client.get(path).expect(200).text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    @Test func exportContainsTheCurrentList() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await service.move(meeting, from: -60, to: 60)
            for (name, email, status) in [
                ("zoe", "zoe@example.org", "late"), ("Anna", "anna@example.org", "present"), ("Bob", nil, "expected"),
                ("=1+1", "x@example.org", "expected"), ("김하나", "kim@example.org", "present"),
            ] { try await meeting.add(name, email, status: status).expect(201) }
            let removed = try await meeting.add("Gone", "gone@example.org").expect(201).string("id")
            try await service.host.delete("\(meeting.attendeesPath)/\(removed)").expect(204)
            for hasEnded in [false, true] {
                if hasEnded { try await service.move(meeting, from: -120, to: -60) }
                let table = try await lines(service.host, "\(meeting.path)/export/attendance.ndjson")
                let list = try await meeting.attendees()
                #expect(table.count == 5)
                for (row, person) in zip(table, list) {
                    #expect(row["name"] == person["name"] && row["email"] == person["email"])
                    #expect(row["status"] == person["status"])
                    #expect(row["meeting"]?.string == "A meeting" && row["round"] == JSONValue(1))
                    #expect((row["checked_in_at"] ?? .null) == (person["checkedInAt"] ?? .null))
                }
                let absent = table.filter { $0["status"]?.string == "absent" }.count
                #expect(absent == (hasEnded ? 2 : 0))
            }
            let csv = try await service.host.get("\(meeting.path)/export/attendance.csv").expect(200)
            let header = #""series","round","meeting","name","email","status","checked_in_at""# + "\r\n"
            #expect(csv.text.hasPrefix(header))
            #expect(csv.text.contains(#","'=1+1","x@example.org","absent","# + "\r\n"))
            #expect(csv["Content-Disposition"]?.hasPrefix("attachment; filename=\"attendance.csv\"; ") == true)
        }
    }

    /// The series has more rounds than the export reads at a time.
    @Test func exportOfASeriesContainsEveryRound() async throws {
        try await TestService.run { service in
            let created = try await service.host.post(
                "/v1/meetings",
                json: """
                    {"title": "Club", "startsAt": "2026-01-05T06:00:00Z", "endsAt": "2026-01-05T06:15:00Z", "timeZone": "UTC",
                     "repeat": {"every": "P1D", "count": 210}}
                    """
            ).expect(201)
            let series = try created.string("seriesId")
            try await service.sql(
                """
                INSERT INTO attendee (id, meeting_id, name, email)
                SELECT gen_random_uuid(), m.id, 'Person ' || n, ('p' || n || '@example.org')::citext
                FROM meeting m, generate_series(1, 2) n
                """)
            let table = try await lines(service.host, "/v1/series/\(series)/export/attendance.ndjson")
            #expect(table.count == 420)
            #expect(table.compactMap { $0["round"]?.int } == (1...210).flatMap { [$0, $0] })
            let week = try await lines(
                service.host, "/v1/series/\(series)/export/attendance.ndjson?from=2026-01-05&to=2026-01-12")
            #expect(week.count == 14)
            let all = try await lines(service.admin, "/v1/admin/export/attendance.ndjson")
            #expect(all == table)
        }
    }

    @Test func exportRequiresAccessToTheList() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.add("Ann", "ann@example.org").expect(201)
            let paths = [
                "\(meeting.path)/export/attendance.csv", "/v1/series/\(meeting.seriesID)/export/attendance.ndjson",
            ]
            func statuses() async throws -> [Int] {
                var statuses: [Int] = []
                for path in paths { statuses.append(try await service.other.get(path).status) }
                return statuses
            }
            #expect(try await statuses() == [404, 404])
            for (role, expected) in [("viewer", 403), ("editor", 200)] {
                let changed = try await service.host.post(
                    "/v1/series/\(meeting.seriesID)/hosts",
                    json: "{\"email\": \"other@example.org\", \"role\": \"\(role)\"}")
                #expect([200, 201].contains(changed.status))
                #expect(try await statuses() == [expected, expected], "\(role)")
                #expect(try await service.other.get("\(meeting.path)/export/meetings.csv").status == 200)
            }
        }
    }
}

import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RosterBounds {
    @Test(arguments: ["x\n", ",\n", "\"\n", "name,email\n"])
    func largeInvalidBodiesGetAShortResponse(row: String) async throws {
        try await RosterManagement.run { club in
            for header in ["", "name,email\n"] {
                let refused = try await club.addCSV(
                    header + String(repeating: row, count: (2 << 20) / row.utf8.count - 8))
                #expect([400, 422].contains(refused.status) && refused.body.count < 1000, "\(refused.status)")
            }
            let many = (2 << 20) / 4
            for (verb, body) in [
                ("POST", "{\"members\": [\(String(repeating: "{},", count: many))5]}"),
                ("DELETE", "{\"emails\": [\(String(repeating: "\"\",", count: many))5]}"),
                ("DELETE", "{\"emails\": [\(String(repeating: "\"\",", count: 400))5]}"),
            ] {
                let refused = try await club.service.host.send(verb, club.path, body: Array(body.utf8))
                #expect([400, 422].contains(refused.status) && refused.body.count < 20_000, "\(refused.status)")
            }
        }
    }

    @Test func atMostAHundredFaultsAreListed() async throws {
        try await RosterManagement.run { club in
            let people = Array(repeating: #"{"name": " ", "email": "x"}"#, count: 50).joined(separator: ",")
            let hundred = try await club.add("{\"members\": [\(people)]}")
            #expect(hundred.status == 422 && hundred.faults.count == 100)
            #expect(try hundred.string("detail").hasPrefix("100 faults"))
            let more = try await club.add("{\"members\": [\(people), {\"name\": \" \", \"email\": \"a@b.c\"}]}")
            #expect(more.status == 422 && more.faults.count == 100)
            #expect(try more.string("detail") == "More than 100 faults were found; `errors` lists 100 of them.")
            // A wrong type after the first hundred faults still makes the status 400, and is listed.
            let malformed = try await club.add("{\"members\": [\(people), {\"name\": \" \", \"email\": 5}]}")
            #expect(malformed.status == 400 && malformed.faults.count == 100)
            #expect(malformed.faults.last == "/members/50/email wrong-type")
            let table = "name,email\n" + String(repeating: "x\n", count: 500)
            let ragged = try await club.addCSV(table)
            #expect(ragged.status == 400 && ragged.faults.count == 100)
            #expect(try await club.addCSV(table + "x\n").faults == [" too-many"])
        }
    }

    @Test func listsOfTheLongestAddressesAndNamesArePaged() async throws {
        try await RosterManagement.run { club in
            let service = club.service
            let emails = ["a", "b"].map { String(repeating: $0, count: 246) + "@x.y.org" }
            let name = String(repeating: "👩‍👩‍👧", count: 200)
            for email in emails {
                #expect(email.utf8.count == 254)
                try await club.add("{\"name\": \"\(name)\", \"email\": \"\(email)\"}").expect(201)
                try await service.sql(
                    "INSERT INTO account (id, email, name, role) VALUES (gen_random_uuid(), \(email), 'Long', 'host')")
                try await service.host.post(
                    "/v1/series/\(club.meeting.seriesID)/hosts", json: "{\"email\": \"\(email)\", \"role\": \"viewer\"}"
                ).expect(201)
            }
            let lists = [
                (service.host, club.path), (service.host, "/v1/series/\(club.meeting.seriesID)/hosts"),
                (service.host, club.meeting.attendeesPath), (service.admin, "/v1/admin/accounts"),
            ]
            for (caller, path) in lists {
                var (listed, next): (Set<String>, String?) = ([], "")
                while let cursor = next {
                    let page = try await caller.get("\(path)?limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)"))
                        .expect(200)
                    listed.formUnion((page.json?["items"]?.array ?? []).compactMap { $0["email"]?.string })
                    next = page.json?["next"]?.string
                }
                #expect(listed.isSuperset(of: emails), "\(path)")
            }
        }
    }

    @Test func rosterIsLimitedToTwoThousandMembers() async throws {
        try await RosterManagement.run { club in
            let service = club.service
            try await Self.fill(club, with: 1999)
            let two = #"{"members": [{"name": "A", "email": "a@b.c"}, {"name": "B", "email": "b@b.c"}]}"#
            let over = try await club.add(two)
            #expect(over.status == 422 && over.faults == ["/members roster-full"])
            try await club.add(#"{"name": "A", "email": "a@b.c"}"#).expect(201)
            #expect(try await club.addCSV("name,email\nB,b@b.c\n").faults == ["/members roster-full"])
            // An existing member is not counted again.
            #expect(try await club.add(#"{"name": "A", "email": "A@b.c"}"#).expect(201).json?["unchanged"]?.text == "1")
            let joinCode = try await service.host.post("/v1/series/\(club.meeting.seriesID)/join-codes").expect(201)
            let join = "/v1/join/\(try joinCode.string("code"))"
            let refused = try await service.anyone.post(join, json: #"{"name": "B", "email": "b@b.c"}"#)
            #expect(refused.status == 409 && refused.problem == "join-code-full")
            try await service.anyone.post(join, json: #"{"name": "A", "email": "a@b.c"}"#).expect(200)
            let rows = try await service.fixture.store.pool.query(
                "SELECT (SELECT count(*) FROM member), (SELECT count(*) FROM person), (SELECT sum(used)::int FROM join_code)"
            )
            #expect(try rows[0].decode(Int.self, Int.self, Int.self) == (2000, 1, 0))
        }
    }

    @Test func oneCallAddsAtMostTwoHundredThousandAttendees() async throws {
        try await RosterManagement.run { club in
            try await Self.fill(club, with: 1000)
            let rounds = { (count: Int) in
                "{\(RosterManagement.futureTimes), \"allowOverlap\": true, \"repeat\": {\"every\": \"P1D\", \"count\": \(count)}}"
            }
            let path = "/v1/series/\(club.meeting.seriesID)/meetings"
            let refused = try await club.service.host.post(path, json: rounds(201))
            #expect(refused.status == 422 && refused.faults == ["/repeat too-many"])
            try await club.service.sql("DELETE FROM member WHERE email > 'p2'")
            try await club.service.host.post(path, json: rounds(366)).expect(201)
            let end = Date(timeIntervalSince1970: 4_133_980_800)  // 2101
            try await club.service.sql("UPDATE meeting SET ends_at = \(end) WHERE round > 1")
            // There are 367 future rounds and copies of 59 of them: 500 people would become 213,000 attendees.
            let people = (0..<500).map { "{\"name\": \"N\", \"email\": \"n\($0)@x.y\"}" }.joined(separator: ",")
            try await club.service.sql(
                """
                INSERT INTO meeting (id, series_id, host_id, round, title, starts_at, ends_at, time_zone,
                    late_after_minutes, allow_overlap, check_in_code)
                SELECT gen_random_uuid(), series_id, host_id, round + 1000, title, starts_at, ends_at, time_zone,
                    late_after_minutes, true, lpad(round::text, 13, '0')
                FROM meeting WHERE round BETWEEN 2 AND 60
                """)
            let many = try await club.add("{\"members\": [\(people)]}")
            #expect(many.status == 422 && many.faults == ["/members too-many"])
        }
    }

    private static func fill(_ club: RosterManagement.Club, with count: Int) async throws {
        let seriesID = try #require(UUID(uuidString: club.meeting.seriesID))
        try await club.service.sql(
            """
            INSERT INTO member (id, series_id, name, email)
            SELECT gen_random_uuid(), \(seriesID), 'P', 'p' || n || '@example.org' FROM generate_series(1, \(count)::int) n
            """)
    }
}

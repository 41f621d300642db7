import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RosterManagement {
    /// A series with one meeting, and the requests that the tests send for its roster.
    struct Club: Sendable {
        let service: TestService
        let meeting: TestMeeting
        var path: String { "/v1/series/\(meeting.seriesID)/members" }

        func add(_ json: String, key: String? = nil) async throws -> HTTPTestClient.Response {
            try await service.host.post(path, json: json, headers: key.map { ["Idempotency-Key": $0] } ?? [:])
        }

        func addCSV(_ text: String) async throws -> HTTPTestClient.Response {
            try await service.host.send(
                "POST", path, body: Array(text.utf8), headers: ["Content-Type": "text/csv; charset=utf-8"])
        }

        /// `name <email>` of each member of the roster.
        func members() async throws -> [String] {
            let list = try await service.host.get("\(path)?limit=200").expect(200)
            return (list.json?["items"]?.array ?? []).map(Self.text)
        }

        /// `name <email> status` of each person on the attendee list of a round, which is `meeting` by default.
        func attendees(_ meetingID: String? = nil) async throws -> [String] {
            guard let id = UUID(uuidString: meetingID ?? meeting.id) else { throw TestStore.Missing("an id") }
            let rows = try await service.fixture.store.pool.query(
                "SELECT name || ' <' || email || '> ' || status FROM attendee WHERE meeting_id = \(id) ORDER BY email")
            return try rows.map { row -> String in try row.decode(String.self) }
        }

        static func text(_ member: JSONValue) -> String {
            "\(member["name"]?.string ?? "") <\(member["email"]?.string ?? "")>"
        }
    }

    /// The times of a meeting in the distant future, as members of a JSON object.
    static let futureTimes =
        #""startsAt": "2099-01-01T09:00:00Z", "endsAt": "2099-01-01T10:00:00Z", "timeZone": "UTC""#

    static func run(_ body: (Club) async throws -> Void) async throws {
        try await TestService.run { service in
            try await body(Club(service: service, meeting: try await service.meeting(members: futureTimes)))
        }
    }

    @Test func membersAreAddedOnceAndExpectedInFutureRounds() async throws {
        try await Self.run { club in
            let one = try await club.add(#"{"name": " Mina Kim ", "email": "Mina@Example.org"}"#).expect(201)
            #expect(one.json?["added"]?.text == "1" && one.json?["unchanged"]?.text == "0")
            let more = try await club.add(
                """
                {"members": [{"name": "Other", "email": "mina@example.org"}, {"name": "Bo", "email": "bo@example.org"},
                 {"name": "Bob", "email": " BO@example.org "}]}
                """
            ).expect(201)
            #expect(more.json?["added"]?.text == "1" && more.json?["unchanged"]?.text == "1")
            #expect(
                more.json?["items"]?.array?.map(Club.text) == ["Mina Kim <Mina@Example.org>", "Bo <bo@example.org>"])
            #expect(try await club.members() == ["Bo <bo@example.org>", "Mina Kim <Mina@Example.org>"])
            #expect(
                try await club.attendees()
                    == ["Bo <bo@example.org> expected", "Mina Kim <Mina@Example.org> expected"])
            let people = try await club.service.fixture.store.pool.query("SELECT count(*) FROM person")
            #expect(try people[0].decode(Int.self) == 2)
        }
    }

    @Test func addressIsNotTreatedAsAPattern() async throws {
        try await Self.run { club in
            for email in ["aa@b.c", "a@b.c", "a@bXc", "%@b.c", "_a@b.c", "{@b.c", "a+b@b.c"] {
                try await club.add("{\"name\": \"N\", \"email\": \"\(email)\"}").expect(201)
            }
            #expect(try await club.members().count == 7)
            let renamed = try await club.service.patch(
                club.path, #"{"members": [{"name": "Ann", "email": "A@b.c"}]}"#
            ).expect(200)
            #expect(renamed.json?["items"]?.array?.map(Club.text) == ["Ann <a@b.c>"])
            for email in ["%@b.c", "{@b.c"] {
                let removed = try await club.service.host.send(
                    "DELETE", club.path, body: Array("{\"emails\": [\"\(email)\"]}".utf8)
                ).expect(200)
                #expect(removed.json?["removed"]?.text == "1")
            }
            #expect(
                try await club.members()
                    == ["N <_a@b.c>", "N <a+b@b.c>", "Ann <a@b.c>", "N <a@bXc>", "N <aa@b.c>"])
            let search = try await club.service.host.get("\(club.path)?q=%28").expect(200)
            #expect(search.json?["items"]?.array?.count == 0)
        }
    }

    @Test func csvMayHaveQuotedFieldsAndOtherColumns() async throws {
        try await Self.run { club in
            let csv = "\u{feff}Email,Team, NAME\r\nmina@example.org,A,\"Kim, \"\"Mina\"\"\"\r\nbo@example.org,B,Bo\r\n"
            let created = try await club.addCSV(csv).expect(201)
            #expect(created.json?["added"]?.text == "2")
            #expect(try await club.members() == ["Bo <bo@example.org>", #"Kim, "Mina" <mina@example.org>"#])
        }
    }

    @Test func csvFaultsNameTheirLine() async throws {
        try await Self.run { club in
            let csv = "name,email\nMina,<mina@example.org>\n,nobody\n\"A\nB\",ab@example.org\n"
            let refused = try await club.addCSV(csv)
            #expect(refused.status == 422)
            #expect(
                refused.faults
                    == [
                        "/members/0/email invalid-email", "/members/1/name required", "/members/1/email invalid-email",
                        "/members/2/name control-character",
                    ])
            #expect(refused.json?["errors"]?[3]?["detail"]?.string?.hasPrefix("Line 4: ") == true)
            #expect(try await club.members().isEmpty)
            for (text, status, fault) in [
                ("name;email\na;b\n", 422, " missing-column"), ("name,email\n", 422, " required"),
                ("name,email\nonly one\n", 400, " ragged-row"), ("name,email\n\"a,b\n", 400, " broken-quote"),
                ("name,name\na,b\n", 400, " duplicate-column"),
            ] {
                let response = try await club.addCSV(text)
                #expect(response.status == status && response.faults == [fault], "\(text): \(response.text)")
            }
            let xml = try await club.service.host.send(
                "POST", club.path, body: [60], headers: ["Content-Type": "text/xml"])
            #expect(xml.status == 415)
        }
    }

    @Test func requestWithMoreThanFiveHundredMembersIsRefused() async throws {
        try await Self.run { club in
            let people = (1...501).map { "{\"name\": \"P\($0)\", \"email\": \"p\($0)@example.org\"}" }
            let over = try await club.add("{\"members\": [\(people.joined(separator: ","))]}")
            #expect(over.status == 422 && over.faults == ["/members too-many"])
            let table = "name,email\n" + (1...501).map { "P,p\($0)@example.org\n" }.joined()
            #expect(try await club.addCSV(table).faults == [" too-many"])
            let full = try await club.add("{\"members\": [\(people.dropLast().joined(separator: ","))]}").expect(201)
            #expect(full.json?["added"]?.text == "500")
            #expect(try await club.attendees().count == 500)
            let addresses = (1...501).map { "\"p\($0)@example.org\"" }
            let remove = try await club.service.host.send(
                "DELETE", club.path, body: Array("{\"emails\": [\(addresses.joined(separator: ","))]}".utf8))
            #expect(remove.faults == ["/emails too-many"])
            // A page starts after an address, so additions and removals don't shift it.
            let first = try await club.service.host.get("\(club.path)?limit=2").expect(200)
            let next = try first.string("next")
            let second = try await club.service.host.get("\(club.path)?limit=2&cursor=\(next)").expect(200)
            #expect(
                second.json?["items"]?.array?.map { $0["email"]?.string } == [
                    "p102@example.org", "p103@example.org",
                ])
        }
    }

    @Test func unknownMembersAreNotFoundWhateverTheBody() async throws {
        try await Self.run { club in
            for id in ["00000000-0000-7000-8000-000000000000", "x"] {
                for body in ["nonsense", "{}", #"{"colour": 1}"#, #"{"name": "N"}"#] {
                    #expect(try await club.service.patch("\(club.path)/\(id)", body).status == 404)
                    let removed = try await club.service.host.send(
                        "DELETE", "\(club.path)/\(id)", body: Array(body.utf8))
                    #expect(removed.status == 404)
                }
            }
        }
    }

    @Test func membersAddedAgainGetANewCode() async throws {
        try await Self.run { club in
            let service = club.service
            func code(_ email: String) async throws -> String? {
                try await club.meeting.attendees().first { $0["email"]?.string == email }?["code"]?.string
            }
            // A stranger has joined with Mina's address. Without mail, the response would have the personal code for it.
            let joinCode = try await service.host.post("/v1/series/\(club.meeting.seriesID)/join-codes").expect(201)
            let joined = try await service.anyone.post(
                "/v1/join/\(try joinCode.string("code"))", json: #"{"name": "M", "email": "mina@example.org"}"#
            ).expect(201)
            #expect(joined.json?["mailed"]?.bool == true)
            let strangersCode = try #require(try await code("mina@example.org"))
            try await club.add(#"{"name": "Bo", "email": "bo@example.org"}"#).expect(201)
            let bosCode = try #require(try await code("bo@example.org"))
            for code in [strangersCode, bosCode] { try await service.anyone.get("/v1/people/\(code)").expect(200) }
            let list = try await service.host.get("\(club.path)?q=mina").expect(200)
            let id = try #require(list.json?["items"]?[0]?["id"]?.string)
            try await service.host.delete("\(club.path)/\(id)").expect(204)
            #expect(try await service.anyone.get("/v1/people/\(strangersCode)").status == 404)
            try await service.anyone.get("/v1/people/\(bosCode)").expect(200)
            // When the host adds her again, she gets a new code, which the stranger does not know.
            try await club.add(#"{"name": "Mina", "email": "mina@example.org"}"#).expect(201)
            let newCode = try #require(try await code("mina@example.org"))
            #expect(newCode != strangersCode)
            let removed = try await service.host.send(
                "DELETE", club.path, body: Array(#"{"emails": ["MINA@example.org", "no@b.c"]}"#.utf8)
            ).expect(200)
            #expect(removed.json?["removed"]?.text == "1")
            #expect(try await service.anyone.get("/v1/people/\(newCode)").status == 404)
            #expect(try await code("bo@example.org") == bosCode)
        }
    }

    @Test func allFaultsOfAListAreReportedTogether() async throws {
        try await Self.run { club in
            let refused = try await club.add(
                """
                {"members": [{"name": "A", "email": "a@b.c"}, {"email": "x"}, 5,
                 {"name": "a\\r\\nBcc: x@y.z", "email": "e@f.g", "role": "x"}]}
                """)
            #expect(refused.status == 400)
            #expect(
                refused.faults.sorted()
                    == [
                        "/members/1/email invalid-email", "/members/1/name required", "/members/2 wrong-type",
                        "/members/3/name control-character", "/members/3/role unknown-field",
                    ])
            #expect(try await club.add(#"{"members": []}"#).faults == ["/members required"])
            #expect(try await club.add("{}").faults == ["/name required", "/email required"])
            let unknown = try await club.service.patch(
                club.path, #"{"members": [{"name": "A", "email": "a@b.c"}, {"name": "B", "email": "b@b.c"}]}"#)
            #expect(
                unknown.status == 422
                    && unknown.faults == ["/members/0/email unknown-member", "/members/1/email unknown-member"])
            #expect(try await club.members().isEmpty)
        }
    }

    @Test func repeatedKeyAddsPeopleOnce() async throws {
        try await Self.run { club in
            let body = #"{"name": "A", "email": "a@b.c"}"#
            let first = try await club.add(body, key: "k").expect(201)
            let again = try await club.add(body, key: "k").expect(201)
            #expect(again.body == first.body && again["Idempotency-Replayed"] == "true")
            let other = try await club.add(#"{"name": "B", "email": "b@b.c"}"#, key: "k")
            #expect(other.status == 409 && other.problem == "idempotency-conflict")
        }
    }

    @Test func pastAttendanceRemainsWhenAMemberIsRemovedOrChanged() async throws {
        try await Self.run { club in
            let service = club.service
            let people = ["a", "b", "c"].map { "{\"name\": \"\($0)\", \"email\": \"\($0)@x.y\"}" }
            let created = try await club.add("{\"members\": [\(people.joined(separator: ","))]}").expect(201)
            let ids = try (0..<3).map { try #require(created.json?["items"]?[$0]?["id"]?.string) }
            try await service.sql(
                "UPDATE attendee SET status = 'present', checked_in_at = now() WHERE email = 'a@x.y'")
            // A past round with the same people.
            let past = try await service.meeting()
            let (pastID, seriesID) = (
                try #require(UUID(uuidString: past.id)), try #require(UUID(uuidString: club.meeting.seriesID))
            )
            try await service.sql(
                """
                UPDATE meeting SET series_id = \(seriesID), round = 2, starts_at = now() - interval '2 hours',
                    ends_at = now() - interval '1 hour' WHERE id = \(pastID)
                """)
            try await service.sql(
                """
                INSERT INTO attendee (id, meeting_id, name, email)
                SELECT gen_random_uuid(), \(pastID), name, email FROM member
                """)
            for id in ids.prefix(2) { try await service.host.delete("\(club.path)/\(id)").expect(204) }
            #expect(try await service.host.delete("\(club.path)/\(ids[0])").status == 404)
            #expect(try await club.attendees() == ["a <a@x.y> present", "c <c@x.y> expected"])
            let changed = try await service.patch("\(club.path)/\(ids[2])", #"{"name": "Cy", "email": "cy@x.y"}"#)
                .expect(200)
            #expect(changed.json.map(Club.text) == "Cy <cy@x.y>")
            #expect(try await club.attendees() == ["a <a@x.y> present", "Cy <cy@x.y> expected"])
            #expect(
                try await club.attendees(past.id)
                    == ["a <a@x.y> expected", "b <b@x.y> expected", "c <c@x.y> expected"])
            let codes = try await service.fixture.store.pool.query("SELECT count(*) FROM person")
            #expect(try codes[0].decode(Int.self) == 4)
        }
    }

    @Test func addressOnTheRosterCannotBeReused() async throws {
        try await Self.run { club in
            let service = club.service
            let created = try await club.add(
                #"{"members": [{"name": "A", "email": "a@b.c"}, {"name": "B", "email": "b@b.c"}]}"#
            ).expect(201)
            let id = try #require(created.json?["items"]?[0]?["id"]?.string)
            let taken = try await service.patch("\(club.path)/\(id)", #"{"email": "B@b.c"}"#)
            #expect(taken.status == 409 && taken.problem == "attendee-exists")
            let cased = try await service.patch("\(club.path)/\(id)", #"{"email": "A@b.c"}"#).expect(200)
            #expect(cased.json.map(Club.text) == "A <A@b.c>")
            // A person outside the roster is on the attendee list with the new address.
            let meetingID = try #require(UUID(uuidString: club.meeting.id))
            try await service.sql(
                """
                INSERT INTO attendee (id, meeting_id, name, email, status)
                VALUES (gen_random_uuid(), \(meetingID), 'New', 'new@b.c', 'present')
                """)
            try await service.patch("\(club.path)/\(id)", #"{"email": "new@b.c"}"#).expect(200)
            #expect(try await club.attendees() == ["B <b@b.c> expected", "New <new@b.c> present"])
            let other = try await service.meeting(by: service.other)
            let foreign = try await service.patch(
                "/v1/series/\(other.seriesID)/members/\(id)", #"{"name": "X"}"#, by: service.other)
            #expect(foreign.status == 404)
        }
    }

    @Test func concurrentAdditionsAreAllStored() async throws {
        try await Self.run { club in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<8 {
                    group.addTask {
                        for number in 0..<5 {
                            // Callers 0 and 1 add the same five people, callers 2 and 3 the next five, and so on.
                            let person = (caller / 2) * 5 + number
                            try await club.add(
                                "{\"name\": \"P\", \"email\": \"\(caller % 2 == 0 ? "p" : "P")\(person)@x.y\"}"
                            ).expect(201)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await club.members().count == 20)
            #expect(try await club.attendees().count == 20)
        }
    }
}

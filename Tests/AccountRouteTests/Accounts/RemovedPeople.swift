import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// If a form has personal links, a person who is removed from the attendee list is hidden everywhere, and is recognized
/// when they are added again.
@Suite(.timeLimit(.minutes(15))) struct RemovedPeople {
    private static let attendeeIdentity = #""identity": "attendee""#

    /// A meeting that Ann attended and whose form she answered through her personal link.
    private static func answeredMeeting(
        _ service: TestService, settings: String = attendeeIdentity
    ) async throws -> (meeting: TestMeeting, id: String, token: String) {
        let meeting = try await service.openMeeting(settings: settings)
        let id = try await meeting.add("Ann", "ann@example.org", status: "present").expect(201).string("id")
        let link = try await service.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200)
        let token = try link.string("token")
        try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
        return (meeting, id, token)
    }

    private static func rowCount(_ service: TestService) async throws -> Int {
        try await service.count("SELECT count(*) FROM attendee")
    }

    @Test func removedPeopleAreHiddenEverywhere() async throws {
        try await TestService.run { service in
            let (meeting, id, _) = try await Self.answeredMeeting(service)
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            #expect(try await Self.rowCount(service) == 1)
            #expect(try await meeting.attendees().isEmpty)
            #expect(try await service.host.get(meeting.path).json?["attended"] == JSONValue(0))
            let series = try await service.host.get("/v1/series/\(meeting.seriesID)").expect(200)
            #expect(series.json?["latest"]?["attended"] == JSONValue(0), "\(series.text)")
            #expect(try await meeting.patch(id, #"{"name": "Anna"}"#).status == 404)
            #expect(try await service.host.delete("\(meeting.attendeesPath)/\(id)").status == 404)
            #expect(try await service.host.post("\(meeting.attendeesPath)/\(id)/link").status == 404)
            let person = try await service.host.get(
                "/v1/series/\(meeting.seriesID)/attendees?email=ann@example.org"
            ).expect(200)
            #expect(person.json?["name"] == .null && person.json?["rounds"] == JSONValue(0), "\(person.text)")
            let table = try await service.host.get("\(meeting.path)/export/submissions.csv").expect(200)
            #expect(!table.text.contains("ann@example.org") && table.text.contains("4"))
            let mailed = try await service.host.post("\(meeting.path)/form/invitations").expect(202)
            #expect(mailed.json?["mailed"] == JSONValue(0) && mailed.json?["skipped"] == JSONValue(0))
            let period = "from=2000-01-01&to=2000-12-31"
            try await service.sql(
                """
                UPDATE meeting SET starts_at = '2000-03-01T10:00:00Z', ends_at = '2000-03-01T11:00:00Z',
                    time_zone = 'UTC'
                """)
            let calendar = try await service.host.get("/v1/calendar?\(period)").expect(200)
            #expect(calendar.json?["items"]?[0]?["attended"] == JSONValue(0), "\(calendar.text)")
        }
    }

    @Test(arguments: ["", #", "anonymous": true"#])
    func sameAddressIsTheSamePersonAndCannotAnswerAgain(extraSettings: String) async throws {
        try await TestService.run { service in
            let (meeting, id, token) = try await Self.answeredMeeting(
                service, settings: Self.attendeeIdentity + extraSettings)
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            let back = try await meeting.add("Ann again", "ANN@example.org").expect(201)
            #expect(try back.string("id") == id && back.string("name") == "Ann again")
            #expect(try back.string("status") == "expected" && back.json?["checkedInAt"] == .null)
            #expect(try await meeting.add("Ann", "ann@example.org").problem == "attendee-exists")
            #expect(try await meeting.submit(#"{"pace": 5}"#, respondent: token).problem == "already-submitted")
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            let path = try await meeting.checkInPath()
            try await service.anyone.checkIn(path, "Somebody", "ann@example.org").expect(201)
            #expect(try await service.anyone.checkIn(path, "Somebody", "ann@example.org").status == 200)
            let listed = try await meeting.attendees()
            #expect(listed.count == 1 && listed[0]["id"]?.string == id && listed[0]["name"]?.string == "Ann again")
            #expect(try await meeting.submit(#"{"pace": 5}"#, respondent: token).problem == "already-submitted")
        }
    }

    @Test func erasureIncludesTheAnswersOfRemovedPeople() async throws {
        try await TestService.run { service in
            let (meeting, id, _) = try await Self.answeredMeeting(service)
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            let erased = try await service.admin.post("/v1/admin/erasures", json: #"{"email": "ann@example.org"}"#)
                .expect(200)
            #expect(erased.json?["erased"]?["submissions"] == JSONValue(1), "\(erased.text)")
            #expect(try await service.tables(containing: "ann@example.org") == [])
            #expect(try await meeting.results().expect(200).json?["submissions"] == JSONValue(0))
        }
    }

    @Test func removalWithoutPersonalLinksDeletesTheRow() async throws {
        try await TestService.run { service in
            let draft = try await service.meeting()
            try await draft.define("{\(Self.attendeeIdentity), \"questions\": \(TestStore.questions)}").expect(200)
            for meeting in [draft, try await service.openMeeting()] {
                let id = try await meeting.add("Ann", "ann@example.org").expect(201).string("id")
                try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
                #expect(try await Self.rowCount(service) == 0)
            }
            let personal = try await service.openMeeting(settings: Self.attendeeIdentity)
            let withoutAddress = try await personal.add("Without an address").expect(201).string("id")
            try await service.host.delete("\(personal.attendeesPath)/\(withoutAddress)").expect(204)
            #expect(try await Self.rowCount(service) == 0, "a person without an address cannot be recognized later")
        }
    }

    /// Ann is a member, is expected and has answered. Then she is removed from the roster and added again.
    @Test func membersReturnAsTheSamePerson() async throws {
        try await TestService.run { service in
            let (meeting, id, token) = try await Self.answeredMeeting(service)
            try await service.move(meeting, from: 60, to: 120)
            try await meeting.patch(id, #"{"status": "expected"}"#).expect(200)
            let members = "/v1/series/\(meeting.seriesID)/members"
            let ann = #"{"members": [{"name": "Ann", "email": "ann@example.org"}]}"#
            for _ in 0..<2 {
                try await service.host.post(members, json: ann).expect(201)
                #expect(try await meeting.attendees().map { $0["id"]?.string } == [id])
                let listed = try await service.host.get(members).expect(200)
                let member = try #require(listed.json?["items"]?[0]?["id"]?.string)
                try await service.host.delete("\(members)/\(member)").expect(204)
                #expect(try await meeting.attendees().isEmpty)
                #expect(try await meeting.submit(#"{"pace": 5}"#, respondent: token).status == 401)
            }
            #expect(try await Self.rowCount(service) == 1)
            // A member whose address is changed to Ann's takes over Ann's row in the attendee list.
            let bea = #"{"members": [{"name": "Bea", "email": "bea@example.org"}]}"#
            try await service.host.post(members, json: bea).expect(201)
            let member = try #require(
                try await service.host.get(members).expect(200).json?["items"]?[0]?["id"]?.string)
            try await service.host.send(
                "PATCH", "\(members)/\(member)", body: Array(#"{"email": "ann@example.org"}"#.utf8)
            ).expect(200)
            let listed = try await meeting.attendees()
            #expect(listed.count == 1 && listed[0]["id"]?.string == id && listed[0]["name"]?.string == "Bea")
        }
    }

    @Test func addressOfARemovedPersonCannotBeReused() async throws {
        try await TestService.run { service in
            let (meeting, id, _) = try await Self.answeredMeeting(service)
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            let other = try await meeting.add("Bea", "bea@example.org").expect(201).string("id")
            let taken = try await meeting.patch(other, #"{"email": "ann@example.org"}"#)
            #expect(taken.status == 409 && taken.problem == "attendee-exists")
        }
    }

    /// Only a published form keeps the row of a removed person, so the removal must not miss the publication.
    @Test func removalWaitsForAConcurrentPublication() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.define("{\(Self.attendeeIdentity), \"questions\": \(TestStore.questions)}").expect(200)
            let id = try await meeting.add("Ann", "ann@example.org").expect(201).string("id")
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; UPDATE form SET version = 1")
            async let removed = service.host.delete("\(meeting.attendeesPath)/\(id)")
            try await service.fixture.database.waitUntilBlocked(1)
            try await holder.script("COMMIT")
            await holder.close()
            #expect(try await removed.status == 204)
            #expect(try await Self.rowCount(service) == 1)
        }
    }
}

import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(15))) struct CheckingIn {
    @Test func arrivalsAfterTheLimitAreLate() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            for (start, limit, status) in [(-9.9, 10, "present"), (-10.1, 10, "late"), (-0.1, 0, "late")] {
                try await service.move(meeting, from: start, to: 60, lateAfter: limit)
                let response = try await service.anyone.checkIn(path, "Ann", "ann\(start)@example.org").expect(201)
                #expect(try response.string("status") == status)
            }
            try await service.move(meeting, from: 59, to: 120)
            #expect(
                try await service.anyone.checkIn(path, "Early", "early@example.org").expect(201).string("status")
                    == "present")
        }
    }

    @Test func checkInOpensAnHourBeforeTheStartAndClosesAtTheEnd() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            #expect(try await service.anyone.get(path).expect(200).string("state") == "open")
            try await service.move(meeting, from: 61, to: 120)
            #expect(try await service.anyone.get(path).string("state") == "early")
            #expect(try await service.anyone.checkIn(path, "A", "a@example.org").problem == "check-in-not-open")
            try await service.move(meeting, from: -30, to: 30)
            let first = try await service.anyone.checkIn(path, "A", "a@example.org").expect(201)
            // A client that lost the response gets it again.
            let again = try await service.anyone.checkIn(path, "A", "a@example.org").expect(200)
            #expect(try again.string("checkedInAt") == first.string("checkedInAt"))
            try await service.move(meeting, from: -30, to: 0)
            #expect(try await service.anyone.get(path).string("state") == "over")
            // The code does not show who attended.
            let (known, unknown) = (
                try await service.anyone.checkIn(path, "A", "a@example.org"),
                try await service.anyone.checkIn(path, "B", "b@example.org")
            )
            #expect(unknown.problem == "check-in-over" && known.problem == unknown.problem)
            #expect(try await meeting.attendees().count == 1)
        }
    }

    @Test func concurrentCheckInsOfAnAddressGetTheSameResponse() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await service.move(meeting, from: -1, to: 60, lateAfter: 5)
            let path = try await meeting.checkInPath()
            let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for number in 0..<100 {
                    let email = number.isMultiple(of: 2) ? " Ärna@Example.org\t" : "äRNA@example.ORG"
                    group.addTask { try await service.anyone.checkIn(path, "Name \(number)", email) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.count { $0.status == 201 } == 1 && responses.count { $0.status == 200 } == 99)
            #expect(Set(responses.map(\.body)).count == 1)
            #expect(try await meeting.attendees().count == 1)
        }
    }

    /// `.`, `*` and `{` have a meaning in regular expressions, `_` and `%` in LIKE patterns.
    @Test func addressIsNotTreatedAsAPattern() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            let emails = ["aa@b.c", "a@b.c", "a@b.cc", "a@bxc", "{@b.c", ".*@b.c", "%@b.c", "_@b.c", "a'@b.c"]
            for email in emails { try await service.anyone.checkIn(path, "A", email).expect(201) }
            for email in emails { try await service.anyone.checkIn(path, "A", email.uppercased()).expect(200) }
            let listed = try await meeting.attendees().compactMap { $0["email"]?.string }
            #expect(listed.sorted() == emails.sorted())
        }
    }

    @Test func expectedPersonBecomesPresentUnderTheListedName() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            let id = try await meeting.add("Bea Listed", "bea@example.org").expect(201).string("id")
            let response = try await service.anyone.checkIn(path, "bea", "BEA@example.org").expect(201)
            #expect(try response.string("status") == "present")
            // Typing another person's address does not reveal the name on the list.
            #expect(!response.text.contains("Listed"))
            let listed = try await meeting.attendees()
            #expect(listed.map { $0["id"]?.string } == [id] && listed[0]["name"]?.string == "Bea Listed")
            #expect(listed[0]["status"]?.string == "present")
        }
    }

    @Test func responseRateCountsPeopleWhoCame() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            try await meeting.add("Expected", "expected@example.org").expect(201)
            try await meeting.add("Marked", status: "late").expect(201)
            let before = try await meeting.results().expect(200)
            for number in 0..<3 {
                try await service.anyone.checkIn(meeting.checkInPath(), "A", "a\(number)@example.org").expect(201)
            }
            try await meeting.submit(#"{"pace": 4}"#, respondent: String(repeating: "k", count: 32)).expect(201)
            let results = try await meeting.results().expect(200)
            #expect(results["ETag"] != before["ETag"])
            #expect(results.json?["attended"] == JSONValue(4) && results.json?["responseRate"] == JSONValue(0.25))
            #expect(try results.string("responseBase") == "attended")
        }
    }

    @Test func checkInRevealsNoAttendee() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.add("Bea Listed", "bea@example.org").expect(201)
            let response = try await service.anyone.get(meeting.checkInPath()).expect(200)
            let names = Set((response.json?.members ?? []).map(\.name))
            #expect(
                names == ["title", "series", "startsAt", "endsAt", "timeZone", "place", "state", "form"])
            #expect(response.json?["form"]?["code"]?.string == meeting.code)
        }
    }

    @Test func pathsWithSecretsAreNotLogged() async throws {
        try await TestStore.run { fixture in
            let routes = AfterwordAPI.routes(store: fixture.store)
            let unlogged = Set(routes.filter { !$0.isLoggable && $0.access == .anyone }.map(\.name))
            #expect(
                unlogged == [
                    "GET /v1/check-ins/{code}", "POST /v1/check-ins/{code}", "POST /v1/join/{code}",
                    "GET /v1/people/{code}", "GET /v1/shares/{token}", "GET /v1/shares/{token}/results",
                    "GET /v1/shares/{token}/results/{key}/answers", "GET /v1/shares/{token}/live",
                ])
        }
    }

    @Test func checkInReturnsTimesInUTC() async throws {
        try await TestService.run { service in
            for zone in ["Europe/Berlin", "Asia/Seoul", "America/Sao_Paulo"] {
                let meeting = try await service.meeting()
                try await service.move(meeting, from: -720, to: 720, lateAfter: 719, zone: zone)
                let path = try await meeting.checkInPath()
                let response = try await service.anyone.checkIn(path, "A", "a@example.org").expect(201)
                #expect(try response.string("status") == "late")
                for name in ["checkedInAt", "startsAt", "endsAt"] {
                    let text = try response.string(name)
                    #expect(text.hasSuffix("Z") && RFC3339.parse(text) != nil, "\(name) \(text)")
                }
                // The meetings of a host must not overlap.
                try await service.host.delete(meeting.path).expect(204)
            }
        }
    }

    @Test func unknownCodeIsNotFoundWhateverTheBody() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            try await service.host.delete(meeting.path).expect(204)
            for path in [path, "/v1/check-ins/\(meeting.code)", "/v1/check-ins/x", "/v1/check-ins/zzzzzzzzzzzzz"] {
                #expect(try await service.anyone.get(path).status == 404)
                #expect(try await service.anyone.checkIn(path, "A", "a@example.org").status == 404)
                #expect(try await service.anyone.post(path, json: "nonsense").status == 404)
            }
        }
    }

    @Test func allFaultsAreReportedTogetherAndNothingIsStored() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            let long = String(repeating: "x", count: 201)
            for (body, faults) in [
                ("{}", ["/name required", "/email required"]),
                (#"{"name": " ", "email": "nobody"}"#, ["/name required", "/email invalid-email"]),
                (#"{"name": "A", "email": "v\u0130ctim@example.org"}"#, ["/email invalid-email"]),
                (#"{"name": "A", "email": "vic\u200btim@example.org"}"#, ["/email invalid-email"]),
                (
                    #"{"name": "A\r\nBcc: x@y.z", "email": "a@b@c"}"#,
                    ["/name control-character", "/email invalid-email"]
                ),
                (#"{"name": "\#(long)", "email": "a b@c.d"}"#, ["/name too-long", "/email invalid-email"]),
                (#"{"name": "A", "email": "a@\#(long)\#(long).de"}"#, ["/email invalid-email"]),
                // No mail could be sent to these addresses.
                (#"{"name": "A", "email": "<a@b.de>"}"#, ["/email invalid-email"]),
                (#"{"name": "A", "email": "a,b@c.de"}"#, ["/email invalid-email"]),
            ] {
                let response = try await service.anyone.post(path, json: body)
                #expect(response.status == 422 && response.faults == faults, "\(response.text)")
            }
            for body in [#"{"name": 1, "email": "a@b.c"}"#, #"{"name": "A", "email": "a@b.c", "status": "present"}"#] {
                #expect(try await service.anyone.post(path, json: body).status == 400)
            }
            #expect(try await meeting.attendees().isEmpty)
        }
    }
}

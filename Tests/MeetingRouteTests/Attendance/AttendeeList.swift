import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AttendeeList {
    @Test func hostAddsRenamesMarksAndRemovesAttendees() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let created = try await meeting.add("Ann", "ann@example.org").expect(201)
            let id = try created.string("id")
            #expect(try created.string("status") == "expected" && created.json?["checkedInAt"] == .null)
            #expect(try created.string("code").utf8.count == 13)
            let late = try await meeting.patch(id, #"{"name": "Anna", "status": "late"}"#).expect(200)
            #expect(try late.string("name") == "Anna" && late.string("status") == "late")
            let checkedInAt = try late.string("checkedInAt")
            let present = try await meeting.patch(id, #"{"status": "present"}"#).expect(200)
            #expect(try present.string("checkedInAt") == checkedInAt)
            let reset = try await meeting.patch(id, #"{"status": "expected", "email": null}"#).expect(200)
            #expect(
                reset.json?["checkedInAt"] == .null && reset.json?["email"] == .null && reset.json?["code"] == .null)
            #expect(try reset.string("name") == "Anna")
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            #expect(try await meeting.attendees().isEmpty)
        }
    }

    @Test func removingAnAttendeeTwiceIsNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let id = try await meeting.add("Ann").expect(201).string("id")
            let path = "\(meeting.attendeesPath)/\(id)"
            try await service.host.delete(path).expect(204)
            #expect(try await service.host.delete(path).status == 404)
            #expect(try await meeting.patch(id, #"{"name": "B"}"#).status == 404)
            #expect(try await meeting.patch(id, "nonsense").status == 404)
            // An id is not found on another meeting's list either.
            let other = try await service.meeting()
            let foreign = try await other.add("Bea").expect(201).string("id")
            #expect(try await meeting.patch(foreign, #"{"name": "B"}"#).status == 404)
            #expect(try await service.host.delete("\(meeting.attendeesPath)/\(foreign)").status == 404)
        }
    }

    @Test func listContainsEachAddressOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.add("Ann", "ann@example.org").expect(201)
            #expect(try await meeting.add("Other", " ANN@example.org ").problem == "attendee-exists")
            let id = try await meeting.add("Bea", "bea@example.org").expect(201).string("id")
            #expect(try await meeting.patch(id, #"{"email": "Ann@Example.org"}"#).problem == "attendee-exists")
            // People without an address are never duplicates.
            for _ in 0..<2 { try await meeting.add("Somebody").expect(201) }
            #expect(try await meeting.attendees().count == 4)
        }
    }

    @Test func repeatedKeyAddsOnePerson() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let key = ["Idempotency-Key": "k"]
            let first = try await service.host.post(meeting.attendeesPath, json: #"{"name": "Ann"}"#, headers: key)
            let again = try await service.host.post(meeting.attendeesPath, json: #"{"name": "Ann"}"#, headers: key)
            #expect(try first.expect(201).body == again.expect(201).body)
            #expect(again["Idempotency-Replayed"] == "true")
            let other = try await service.host.post(meeting.attendeesPath, json: #"{"name": "Bea"}"#, headers: key)
            #expect(other.problem == "idempotency-conflict")
            #expect(try await meeting.attendees().count == 1)
        }
    }

    @Test func expectedPeopleWhoDidNotComeAreAbsentAfterTheEnd() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await service.move(meeting, from: -10, to: 10, lateAfter: 30)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            try await meeting.add("Bea", "bea@example.org").expect(201)
            try await service.anyone.checkIn(meeting.checkInPath(), "Bea", "bea@example.org").expect(201)
            func names(_ status: String) async throws -> [String] {
                try await meeting.attendees(status: status).compactMap { $0["name"]?.string }
            }
            #expect(try await names("expected") == ["Ann"])
            #expect(try await names("present") == ["Bea"])
            #expect(try await names("absent") == [])
            try await service.move(meeting, from: -10, to: 0)
            #expect(try await names("expected") == [])
            #expect(try await names("absent") == ["Ann"])
            #expect(try await names("present") == ["Bea"])
            #expect(try await service.host.get("\(meeting.attendeesPath)?status=away").status == 422)
        }
    }

    @Test func pagesAreSortedByNameAndComplete() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let names = ["ann", "Bea", "a:b", "ann", "Çem", "홍길동", String(repeating: "ä", count: 200)]
            for name in names { try await meeting.add(name).expect(201) }
            let listed = try await meeting.attendees(limit: 2).compactMap { $0["name"]?.string }
            #expect(listed.sorted() == names.sorted())
            #expect(listed.prefix(4) == ["a:b", "ann", "ann", "Bea"])
            #expect(try await service.host.get("\(meeting.attendeesPath)?cursor=bTo6").status == 422)
        }
    }

    @Test func allFaultsAreReportedTogether() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let refused = try await meeting.add("A\u{0}B", "nobody", status: "absent")
            #expect(refused.faults == ["/name nul-character", "/email invalid-email", "/status unknown-value"])
            let id = try await meeting.add("Ann").expect(201).string("id")
            let malformed = try await meeting.patch(
                id, #"{"name": "\u0007", "email": "", "status": "here", "code": "x"}"#)
            #expect(malformed.status == 400 && malformed.faults.count == 4)
        }
    }

    /// An edit writes a single row, so people who check in at the same time are not lost.
    @Test func editsDuringArrivalsLoseNobody() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            var listed: [(id: String, name: String)] = []
            for number in 0..<60 {
                let created = try await meeting.add("Listed \(number)", "listed\(number)@example.org").expect(201)
                listed.append((id: try created.string("id"), name: "Listed \(number)"))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await service.anyone.checkIn(path, "New \(number)", "new\(number)@example.org").expect(201)
                    }
                }
                for (index, person) in listed.enumerated() {
                    group.addTask {
                        switch index % 3 {
                        case 0:
                            try await service.host.delete("\(meeting.attendeesPath)/\(person.id)").expect(204)
                        case 1:
                            try await meeting.patch(person.id, #"{"name": "Renamed \#(index)"}"#).expect(200)
                        default: break
                        }
                    }
                    if index % 3 != 0 {
                        group.addTask {
                            try await service.anyone.checkIn(path, "X", "listed\(index)@example.org").expect(201)
                        }
                    }
                }
                try await group.waitForAll()
            }
            var expected = (0..<200).map { "New \($0) present" }
            for index in 0..<60 where index % 3 != 0 {
                expected.append("\(index % 3 == 1 ? "Renamed" : "Listed") \(index) present")
            }
            let actual = try await meeting.attendees().map {
                "\($0["name"]?.string ?? "") \($0["status"]?.string ?? "")"
            }
            #expect(actual.sorted() == expected.sorted())
            #expect(try await service.host.get(meeting.path).json?["attended"] == JSONValue(240))
        }
    }
}

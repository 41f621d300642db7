import AfterwordClient
import Foundation
import HTTPAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AttendanceCalls {
    private func runningMeeting(_ host: Afterword.Host, lateAfter minutes: Int = 120) async throws -> Meeting {
        try await host.createMeeting(
            MeetingRequest(
                title: "Retro", startsAt: Sample.time(inMinutes: -30), endsAt: Sample.time(inMinutes: 60),
                place: "Room 4", lateAfterMinutes: minutes, questions: [.rating("pace", "How was the pace?")]))
    }

    @Test func peopleCheckInWithTheCode() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await runningMeeting(host)
            let found = try await service.afterword.meetingForCheckIn(meeting.checkInCode)
            #expect(found.state == "open" && found.place == "Room 4" && found.form.code == meeting.form.code)
            let checkedIn = try await service.afterword.checkIn(
                meeting.checkInCode, name: "Ada", email: "ada@example.org")
            #expect(checkedIn.status == "present" && checkedIn.meeting == found)
            try await host.edit(host.meeting(meeting.id), MeetingEdit(lateAfterMinutes: 0))
            let again = try await service.afterword.checkIn(
                meeting.checkInCode, name: "Somebody", email: "ADA@example.org")
            #expect(again == checkedIn)
            let late = try await service.afterword.checkIn(meeting.checkInCode, name: "Bea", email: "bea@example.org")
            #expect(late.status == "late")
            #expect(try await host.meeting(meeting.id).attended == 2)
            let invalid = try await refusal {
                _ = try await service.afterword.checkIn(meeting.checkInCode, name: "", email: "x")
            }
            #expect(invalid?.errors.map(\.pointer) == ["/name", "/email"])
            #expect(
                try await refusal { _ = try await service.afterword.meetingForCheckIn("nowhere") }?.code == .notFound)
            let early = try await host.createMeeting(
                MeetingRequest(
                    title: "Later", startsAt: Sample.time(inMinutes: 300), endsAt: Sample.time(inMinutes: 400)))
            let code = try await refusal {
                _ = try await service.afterword.checkIn(early.checkInCode, name: "Ada", email: "ada@example.org")
            }?.code
            #expect(code == .checkInNotOpen)
        }
    }

    @Test func walkInsAreCountedAndRemoved() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await runningMeeting(host)
            for number in 0..<3 {
                _ = try await service.afterword.checkIn(
                    meeting.checkInCode, name: "Nobody", email: "nobody\(number)@example.com")
            }
            let count = try await host.walkIns(of: meeting.id)
            #expect(count.count == 3 && count.limit == 10_000)
            let first = try #require(count.first)
            #expect(try await host.walkIns(of: meeting.id, to: first).count == 0)
            let end = try #require(count.last).addingTimeInterval(60)
            #expect(try await host.removeWalkIns(of: meeting.id, from: first.addingTimeInterval(-1), to: end) == 3)
            #expect(try await host.walkIns(of: meeting.id).first == nil)
        }
    }

    @Test func attendeeListIsEdited() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await runningMeeting(host)
            let ada = try await host.addAttendee(
                AttendeeRequest(name: "Ada", email: "ada@example.org"), to: meeting.id)
            #expect(ada.status == "expected" && ada.code != nil)
            let bea = try await host.addAttendee(AttendeeRequest(name: "Bea", status: "present"), to: meeting.id)
            #expect(bea.email == nil && bea.code == nil)
            let duplicate = try await refusal {
                try await host.addAttendee(AttendeeRequest(name: "A.", email: "ada@example.org"), to: meeting.id)
            }
            #expect(duplicate?.code == .attendeeExists)
            let changed = try await host.editAttendee(ada.id, AttendeeEdit(status: "late"), of: meeting.id)
            #expect(changed.status == "late" && changed.email == "ada@example.org" && changed.name == "Ada")
            let withoutEmail = try await host.editAttendee(ada.id, AttendeeEdit(email: .remove), of: meeting.id)
            #expect(withoutEmail.email == nil)
            #expect(try await host.attendees(of: meeting.id, status: .late).first(5).map(\.id) == [ada.id])
            #expect(try await host.attendees(of: meeting.id).pageSize(1).first(5).count == 2)
            try await host.removeAttendee(bea.id, from: meeting.id)
            #expect(try await host.attendees(of: meeting.id).first(5).map(\.id) == [ada.id])
        }
    }

    @Test func personalLinkAcceptsOneSubmission() async throws {
        try await TestService.run(options: ServiceOptions(publicURL: "https://feedback.example.org")) { service in
            let host = try service.hostClient
            let meeting = try await runningMeeting(host)
            var form = try await host.form(of: meeting.id)
            form.definition.identity = "attendee"
            _ = try await host.save(form)
            try await host.publish(meeting.id)
            let ada = try await host.addAttendee(
                AttendeeRequest(name: "Ada", email: "ada@example.org"), to: meeting.id)
            try await host.addAttendee(AttendeeRequest(name: "Bea", email: "bea@example.org"), to: meeting.id)
            try await host.addAttendee(AttendeeRequest(name: "Cem"), to: meeting.id)

            let key = IdempotencyKey()
            let mailed = try await host.sendFormInvitations(of: meeting.id, key: key)
            #expect(mailed == FormInvitations(mailed: 2, skipped: 1))
            #expect(try await host.sendFormInvitations(of: meeting.id, key: key) == mailed)
            let link = try await host.personalLink(for: ada.id, of: meeting.id)
            #expect(link.url.hasPrefix("https://feedback.example.org/") && link.url.contains(link.token))
            #expect(try await host.personalLink(for: ada.id, of: meeting.id) == link)
            _ = try await service.afterword.submit(["pace": 4], to: meeting.form.code, personalToken: link.token)
            let again = try await refusal {
                _ = try await service.afterword.submit(["pace": 5], to: meeting.form.code, personalToken: link.token)
            }
            #expect(again?.code == .alreadySubmitted)
            let reminded = try await host.sendFormInvitations(of: meeting.id, remind: true)
            #expect(reminded == FormInvitations(mailed: 1, skipped: 2))
        }
    }

    @Test func hostAndPersonReadTheSameAttendance() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await runningMeeting(host)
            _ = try await service.afterword.checkIn(meeting.checkInCode, name: "Ada", email: "ada+1@example.org")
            let byAddress = try await host.person(email: "ada+1@example.org", in: meeting.seriesId)
            #expect(byAddress.email == "ada+1@example.org" && byAddress.attended == 1 && byAddress.currentStreak == 1)
            #expect(byAddress.history.map(\.meetingId) == [meeting.id] && byAddress.history.first?.status == "present")
            let byCode = try await service.afterword.person(try #require(byAddress.code))
            #expect(byCode.email == nil && byCode.code == nil && byCode.history.first?.meetingId == nil)
            #expect(
                byCode.daysAttended == byAddress.daysAttended && byCode.daysAttended.count == 1 && byCode.present == 1)
            let stranger = try await refusal { _ = try await host.person(email: "x@example.org", in: meeting.seriesId) }
            #expect(stranger?.code == .notFound)
            #expect(try await refusal { _ = try await service.afterword.person("nobody") }?.code == .notFound)
        }
    }
}

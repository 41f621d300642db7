import AfterwordClient
import Foundation
import TestSupport
import Testing

/// A landlord and the tenants of a house: the tenants join with a code, appointments are in a monthly calendar, and
/// after each visit the tenants give feedback.
@Suite(.timeLimit(.minutes(15))) struct MEARI {
    private static let tenants = ["Ann", "Ben", "Cho"].map {
        MemberRequest(name: $0, email: "\($0.lowercased())@example.org")
    }

    private static let questions: [QuestionBody] = [
        .rating("work", "How was the work?"),
        .choice(
            "solved", "Is it solved?", options: [.init(id: "yes", label: "Yes"), .init(id: "no", label: "Not yet")]),
    ]

    /// One appointment: which tenants were at home, and their answers, both in the order of the tenants.
    private struct Visit: Sendable {
        let reason: String
        let start: String
        let atHome: [Bool]
        let answers: [(work: Int, solved: String)?]
    }

    private static let visits = [
        Visit(
            reason: "Heating", start: "2025-03-03T09:00:00Z", atHome: [true, true, true],
            answers: [(5, "yes"), (4, "yes"), (2, "no")]),
        Visit(
            reason: "Windows", start: "2025-03-12T09:00:00Z", atHome: [true, false, true],
            answers: [(3, "no"), nil, (4, "yes")]),
        Visit(
            reason: "Meter", start: "2025-03-12T14:00:00Z", atHome: [true, true, true], answers: [nil, (5, "yes"), nil]),
        // Half past midnight in Berlin, still the 27th in UTC.
        Visit(
            reason: "Burst pipe", start: "2025-03-27T23:30:00Z", atHome: [false, true, false],
            answers: [nil, (1, "no"), nil]),
    ]

    @Test func landlordAsksTheTenantsAfterEachVisit() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let house = try await host.createMeeting(
                MeetingRequest(title: "Elm Street 4", timeZone: "Europe/Berlin", questions: Self.questions))
            try await host.editForm(house.id) { $0.identity = "attendee" }
            let ownCodes = try await Self.joinTenants(to: house.seriesId, by: host)
            var created: [Meeting] = []
            for visit in Self.visits { created.append(try await Self.createVisit(visit, house.seriesId, by: host)) }
            try await Self.checkOverlapIsRefused(with: created[1], by: host)
            try await Self.checkMonth(of: created, by: host)
            try await Self.createFutureVisit(house.seriesId, created[0], by: host)
            let cho = try await service.afterword.person(try #require(ownCodes.last))
            #expect(cho.totals == [5, 3, 0, 2, 0, 3] && cho.answered == 2)
            #expect(cho.daysAttended == ["2025-03-03", "2025-03-12"])
        }
    }

    /// Lets the three tenants join with a code for three people, and returns their personal codes.
    private static func joinTenants(to series: ResourceID, by host: Afterword.Host) async throws -> [String] {
        let joinCode = try await host.createJoinCode(for: series, JoinCodeRequest(capacity: 3))
        var codes: [String] = []
        for tenant in tenants {
            let joined = try await host.service.join(joinCode.code, name: tenant.name, email: tenant.email)
            #expect(joined.series == "Elm Street 4" && joined.code == nil && joined.mailed == true)
            // The link is in the mail, and the host has the code.
            let person = try await host.person(email: tenant.email, in: series)
            codes.append(try #require(person.code))
        }
        let fourth = try await refusal {
            _ = try await host.service.join(joinCode.code, name: "Dov", email: "dov@example.org")
        }
        #expect(fourth?.code == .joinCodeFull)
        #expect(try await host.service.join(joinCode.code, name: "Ann", email: tenants[0].email).code == nil)
        #expect(try await host.joinCodes(of: series).all().map(\.used) == [3])
        #expect(try await host.members(of: series).all().map(\.name) == tenants.map(\.name))
        return codes
    }

    /// Creates an appointment that has ended, with the tenants' answers.
    private static func createVisit(_ visit: Visit, _ series: ResourceID, by host: Afterword.Host) async throws
        -> Meeting
    {
        let start = try #require(RFC3339.parse(visit.start))
        #expect(try await host.availability(from: start, to: start + 1.hours).available)
        let meeting = try await host.createRound(
            of: series, RoundRequest(title: visit.reason, startsAt: start, endsAt: start + 1.hours))
        // The settings of the first visit's form are copied to the later visits.
        if meeting.round == 2 { try await host.editForm(meeting.id) { $0.opens = .offset(from: "end", minutes: 0) } }
        #expect(try await host.publish(meeting.id).state == "open", "the visit is over")
        let list = try await host.attendees(of: meeting.id).all()
        for (index, tenant) in tenants.enumerated() {
            let entry = try #require(list.first { $0.email == tenant.email })
            if visit.atHome[index] {
                try await host.editAttendee(entry.id, AttendeeEdit(status: "present"), of: meeting.id)
            }
            guard let answers = visit.answers[index] else { continue }
            let link = try await host.personalLink(for: entry.id, of: meeting.id)
            try await host.service.submit(
                ["work": .rating(answers.work), "solved": .option(answers.solved)], to: meeting.form.code,
                personalToken: link.token)
        }
        return meeting
    }

    private static func checkOverlapIsRefused(with visit: Meeting, by host: Afterword.Host) async throws {
        let start = try #require(visit.startsAt) + 30.minutes
        let slot = try await host.availability(from: start, to: start + 1.hours)
        #expect(!slot.available && slot.conflicts.map(\.id) == [visit.id])
        let clash = try await refusal {
            _ = try await host.createRound(
                of: visit.seriesId, RoundRequest(startsAt: start, endsAt: start + 1.hours))
        }
        #expect(clash?.code == .meetingOverlap)
        #expect(clash?.extensions["conflicts"]?.array?.map { $0["title"]?.string } == ["Windows"])
    }

    /// Checks the month in the landlord's calendar, and each visit's numbers.
    private static func checkMonth(of created: [Meeting], by host: Afterword.Host) async throws {
        let march = try await host.calendar(from: "2025-03-01", to: "2025-04-01", timeZone: "Europe/Berlin")
        #expect(
            march == [
                CalendarDay(date: "2025-03-03", meetings: 1, formsOpen: 1, attended: 3, submissions: 3),
                CalendarDay(date: "2025-03-12", meetings: 2, formsOpen: 2, attended: 5, submissions: 3),
                CalendarDay(date: "2025-03-28", meetings: 1, formsOpen: 1, attended: 1, submissions: 1),
            ])
        var results: [Results] = []
        for meeting in created { results.append(try await host.results(of: meeting.id).value) }
        #expect(
            results.map { $0[question: "work"]?.counts } == [
                [0, 1, 0, 1, 1], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0],
            ])
        #expect(results.map { $0[question: "work"]?.summary?.mean } == [11.0 / 3, 3.5, 5, 1])
        #expect(results.map { $0[question: "solved"]?.counts } == [[2, 1], [1, 1], [1, 0], [0, 1]])
        #expect(results.allSatisfy { $0.responseBase == "attended" })
        #expect(results.map(\.responseRate) == [1, 1, 1.0 / 3, 1])
        let all = try await host.results(ofSeries: created[0].seriesId).value
        #expect(all[question: "work"]?.counts == [1, 1, 1, 2, 2] && all.responseBase == "attended")
        #expect(try await host.attendees(of: created[1].id, status: .absent).all().map(\.name) == ["Ben"])
    }

    /// A future visit accepts no feedback before its end, and none through the link of another visit.
    private static func createFutureVisit(_ series: ResourceID, _ past: Meeting, by host: Afterword.Host) async throws {
        let start = Date.thisSecond + 1.days
        let visit = try await host.createRound(
            of: series, RoundRequest(title: "Roof", startsAt: start, endsAt: start + 1.hours))
        #expect(try await host.publish(visit.id).state == "scheduled")
        let ann = try #require(try await host.attendees(of: visit.id).all().first { $0.name == "Ann" })
        let link = try await host.personalLink(for: ann.id, of: visit.id)
        let early = try await refusal {
            try await host.service.submit(["work": 5], to: visit.form.code, personalToken: link.token)
        }
        #expect(early?.code == .formNotOpen)

        try await host.advance(visit.id, to: 90)
        let ben = try #require(try await host.attendees(of: past.id).all().first { $0.name == "Ben" })
        let foreign = try await host.personalLink(for: ben.id, of: past.id)
        let wrong = try await refusal {
            try await host.service.submit(["work": 1], to: visit.form.code, personalToken: foreign.token)
        }
        #expect(wrong?.code == .respondentRequired)
        try await host.service.submit(["work": 5], to: visit.form.code, personalToken: link.token)
        let results = try await host.results(of: visit.id).value
        #expect(results.submissions == 1 && results[question: "work"]?.counts == [0, 0, 0, 0, 1])
        #expect(try await host.attendees(of: visit.id, status: .absent).all().count == 3)
    }
}

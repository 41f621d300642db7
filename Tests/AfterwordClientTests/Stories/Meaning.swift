import AfterwordClient
import Foundation
import TestSupport
import Testing

/// A morning club: a daily round, a line from everybody who is up, and a personal calendar of the days.
@Suite(.timeLimit(.minutes(15))) struct Meaning {
    /// A member of the club, with the mornings (of 30) on which they were up, and those on which they wrote a line.
    private struct Riser: Sendable {
        let name: String
        let mornings: [Int]
        let lines: [Int]

        var email: String { "\(name.lowercased())@example.org" }
    }

    /// The members' own data: their personal codes, and the days on which they wrote.
    private struct Diary {
        var codes: [String: String] = [:]
        var written: [String: Set<String>] = [:]
    }

    private static let ann = Riser(name: "Ann", mornings: Array(1...30), lines: Array(1...30))
    private static let bea = Riser(
        name: "Bea", mornings: (1...30).filter { $0 != 11 && $0 != 21 }, lines: (1...30).filter { $0 % 2 == 0 })
    private static let cem = Riser(name: "Cem", mornings: Array(1...5), lines: [1, 2, 4])
    private static let club = [ann, bea, cem]

    @Test func calendarShowsMorningsAndLines() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let mornings = try await Self.createClub(by: host)
            #expect(mornings.count == 30 && mornings.map(\.round) == Array(2...31))
            var diary = Diary()
            for (index, morning) in mornings.enumerated() {
                try await Self.attend(morning, index + 1, diary: &diary, by: host)
            }
            let days = mornings.compactMap { $0.startsAt?.day(east: 9) }
            try await Self.checkPeople(at: days, diary, service)
            try await Self.checkCalendar(of: mornings, days, by: host)
        }
    }

    /// Creates the club with its questions and 30 mornings, the last of which is now.
    private static func createClub(by host: Afterword.Host) async throws -> [Meeting] {
        let club = try await host.createMeeting(
            MeetingRequest(
                title: "Morning club", timeZone: "Asia/Seoul", lateAfterMinutes: 20,
                questions: [.text("line", "What is today for?", maxLength: 200, required: true)]))
        try await host.editForm(club.id) { $0.identity = "attendee" }
        try await host.addMembers(
            Self.club.map { MemberRequest(name: $0.name, email: $0.email) }, to: club.seriesId)
        let first = Date.thisSecond - 10.minutes - 29.days
        let created = try await host.createRound(
            of: club.seriesId,
            RoundRequest(
                startsAt: first, endsAt: first + 30.minutes, repeat: Repetition(every: "P1D", count: 30)))
        #expect(created.round == 2 && created.startsAt == first)
        return try await host.rounds(of: club.seriesId).all().filter { $0.startsAt != nil }.reversed()
    }

    /// Records who was up on a morning, and sends their lines.
    private static func attend(
        _ morning: Meeting, _ number: Int, diary: inout Diary, by host: Afterword.Host
    ) async throws {
        try await host.publish(morning.id)
        let list = try await host.attendees(of: morning.id).all()
        for riser in club {
            let entry = try #require(list.first { $0.name == riser.name })
            diary.codes[riser.name] = entry.code
            if riser.mornings.contains(number) {
                if number == 30 {
                    let checkIn = try await host.service.checkIn(
                        morning.checkInCode, name: riser.name, email: riser.email)
                    #expect(checkIn.status == "present")
                } else {
                    // The host records the attendance of past mornings.
                    try await host.editAttendee(entry.id, AttendeeEdit(status: "present"), of: morning.id)
                }
            }
            guard riser.lines.contains(number) else { continue }
            let link = try await host.personalLink(for: entry.id, of: morning.id)
            let receipt = try await write(riser, number, to: morning.form.code, link.token, host.service)
            diary.written[riser.name, default: []].insert(receipt.submittedAt.day(east: 9))
        }
    }

    private static func write(
        _ riser: Riser, _ number: Int, to code: String, _ token: String, _ afterword: Afterword
    ) async throws -> SubmissionReceipt {
        guard riser.name == "Ann", number == 1 else {
            return try await afterword.submit(
                ["line": .text("\(riser.name), \(number)")], to: code, personalToken: token)
        }
        // A user-perceived character is counted as one.
        let full = String(repeating: "아", count: 199) + "👩‍👩‍👧"
        let longer = try await refusal {
            try await afterword.submit(["line": .text(full + "!")], to: code, personalToken: token)
        }
        #expect(longer?.code == .validationFailed)
        #expect(longer?.errors.map(\.pointer) == ["/answers/line"] && longer?.errors.map(\.code) == ["too-long"])
        let receipt = try await afterword.submit(["line": .text(full)], to: code, personalToken: token)
        #expect(try await afterword.submission(receipt, of: code).answers["line"]?.string == full)
        let again = try await refusal {
            try await afterword.submit(["line": "Once more"], to: code, personalToken: token)
        }
        #expect(again?.code == .alreadySubmitted)
        return receipt
    }

    /// Checks what each member sees with their personal code: days, streaks and the number of mornings.
    private static func checkPeople(at days: [String], _ diary: Diary, _ service: TestService) async throws {
        var people: [String: Person] = [:]
        for riser in club {
            let person = try await service.afterword.person(try #require(diary.codes[riser.name]))
            #expect(person.name == riser.name && person.email == nil && person.code == nil)
            #expect(person.attended == riser.mornings.count && person.late == 0)
            #expect(person.answered == riser.lines.count)
            #expect(person.daysAttended == riser.mornings.map { days[$0 - 1] })
            // The mornings that have a line, and the days on which the lines were written.
            let lines = person.history.filter { $0.answered == true }
            #expect(lines.map(\.date) == riser.lines.map { days[$0 - 1] }.reversed())
            #expect(Set(person.daysAnswered) == diary.written[riser.name])
            people[riser.name] = person
        }
        let streaks = club.map { [people[$0.name]?.currentStreak, people[$0.name]?.longestStreak] }
        #expect(streaks == [[30, 30], [9, 10], [0, 5]])
        // The thirtieth morning has not ended, so Cem has not missed it yet.
        #expect(club.map { people[$0.name]?.rounds } == [30, 30, 29])
        #expect(club.map { people[$0.name]?.absent } == [0, 2, 24])
    }

    private static func checkCalendar(of mornings: [Meeting], _ days: [String], by host: Afterword.Host) async throws {
        let (first, last) = (try #require(mornings.first?.startsAt), try #require(mornings.last?.endsAt))
        #expect(Set(days).count == 30)
        let expected = days.enumerated().map { index, day in
            CalendarDay(
                date: day, meetings: 1, formsOpen: 1,
                attended: club.count { $0.mornings.contains(index + 1) },
                submissions: club.count { $0.lines.contains(index + 1) })
        }
        #expect(try await host.calendar(from: first, to: last, timeZone: "Asia/Seoul") == expected)
        #expect(expected.map(\.attended).reduce(0, +) == 63 && expected.map(\.submissions).reduce(0, +) == 48)
        // The lines of each morning, and of all mornings together.
        let lines = try await host.trend(of: mornings[0].seriesId, question: "line")
        let written = (1...30).map { number in club.count { $0.lines.contains(number) } }
        let rates = zip(written, expected).map { lines, day in Double(lines) / Double(day.attended) }
        #expect(lines.rounds == Array(2...31))
        #expect(lines.n == written)
        #expect(lines.responseRate == rates)
        let pooled = try await host.results(ofSeries: mornings[0].seriesId, from: first, to: last).value
        #expect(pooled.submissions == 48 && pooled.attended == 63)
        #expect(pooled.responseRate == 48.0 / 63)
        #expect(pooled[question: "line"]?.answered == 48)
        let texts = try await host.texts(of: mornings[1].id, question: "line").all().map(\.text)
        #expect(Set(texts) == ["Ann, 2", "Bea, 2", "Cem, 2"])
    }
}

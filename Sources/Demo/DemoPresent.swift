import Cryptography
import Domain
import Foundation
import Store
import StrictJSON

/// Writes the running meeting, yesterday's meeting and upcoming ones.
struct DemoPresent: Sendable {
    /// The numbers of meetings and series that `write` creates.
    static let meetings = 4
    static let series = 1

    let store: Store
    let principal: Principal
    let now: Date

    /// Writes the meetings and returns the number of submissions.
    func write(after past: [String: [UUID]], _ numbers: inout SeededNumbers) async throws -> Int {
        var submissions = try await createPulseMeeting(&numbers)
        if let last = past[DemoSeries.retro.title]?.last {
            submissions += try await createCurrentRound(after: last, &numbers)
            try await createUpcomingRound(after: last, in: 7 * 86_400)
        }
        if let last = past[DemoSeries.townHall.title]?.last {
            try await createUpcomingRound(after: last, in: 10 * 86_400)
            try await createShare(last)
        }
        return submissions
    }

    /// Creates the round that started twenty minutes ago. Its form is open and has some answers.
    private func createCurrentRound(after last: UUID, _ numbers: inout SeededNumbers) async throws -> Int {
        let roundedNow = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 300).rounded(.down) * 300)
        let start = roundedNow.addingTimeInterval(-20 * 60)
        let meeting = try await createRound(after: last, starting: start, minutes: 60)
        let people: [(name: String, status: AttendanceStatus)] = [
            ("Mia Brandt", .present), ("Jonas Keller", .present), ("Aylin Demir", .present), ("Tom Becker", .late),
            ("Nils Vogt", .expected), ("Sara Lindqvist", .expected), ("Emre Kaya", .expected),
            ("Hannah Wolf", .expected), ("Paul Schneider", .expected),
        ]
        for (name, status) in people {
            _ = try await store.attendees.add(
                name: try PersonName(name, at: "/name"), email: nil, status: status, to: meeting, by: principal,
                once: nil
            ) { _ in [] }
        }
        _ = try await store.forms.publish(meetingID: meeting.id, by: principal.account.id)
        return try await submit(5, DemoSeries.retro, 0.8, to: meeting, &numbers)
    }

    /// Creates a meeting with an anonymous form that closed yesterday. Its answers were released in groups.
    private func createPulseMeeting(_ numbers: inout SeededNumbers) async throws -> Int {
        let end = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600 - 22 * 3_600)
        let series = DemoSeries.pulse
        let draft = MeetingDraft(
            title: series.title, startsAt: end.addingTimeInterval(-Double(series.minutes) * 60), endsAt: end,
            timeZone: series.timeZone, place: series.place, headcount: series.headcount, allowOverlap: true,
            questions: series.questions.map(\.question))
        let created = try await store.meetings.create(draft, by: principal, once: nil) { $0.id.bytes }
        let meeting = try await meeting(created)
        var definition = try await store.forms.require(meetingID: meeting.id).definition
        definition.intro = "Two minutes, anonymous: be frank."
        definition.identity = .device
        (definition.anonymous, definition.minimumGroup, definition.showResults) = (true, 3, .afterClose)
        let accountID = principal.account.id
        _ = try await store.forms.save(definition, meetingID: meeting.id, by: accountID) { _ in }
        _ = try await store.forms.publish(meetingID: meeting.id, by: accountID)
        let submissions = try await submit(19, series, 0.6, to: meeting, &numbers)
        _ = try await store.forms.close(meetingID: meeting.id, by: accountID)
        return submissions
    }

    private func submit(
        _ count: Int, _ series: DemoSeries, _ quality: Double, to meeting: Meeting, _ numbers: inout SeededNumbers
    ) async throws -> Int {
        for _ in 0..<count {
            let answers = series.randomAnswers(quality, &numbers)
            let request = SubmissionRequest(
                version: nil, answers: answers, body: answers.bytes, idempotencyKey: nil,
                respondent: Base64URL.encode(RandomBytes.make(32)))
            _ = try await store.submissions.submit(request, code: meeting.form.code)
        }
        return count
    }

    /// Creates an upcoming round, a whole number of weeks after the last one.
    private func createUpcomingRound(after last: UUID, in seconds: TimeInterval) async throws {
        let before = try await store.meetings.require(last, by: principal)
        guard let start = before.startsAt, let end = before.endsAt else { return }
        let length = end.timeIntervalSince(start)
        var upcomingStart = start
        while upcomingStart < now.addingTimeInterval(seconds - 6 * 86_400) { upcomingStart += 7 * 86_400 }
        _ = try await createRound(after: last, starting: upcomingStart, minutes: Int(length / 60))
    }

    private func createRound(after last: UUID, starting start: Date, minutes: Int) async throws -> Meeting {
        let before = try await store.meetings.require(last, by: principal)
        let created = try await store.rounds.createNext(
            of: before.seriesID, by: principal, once: nil,
            read: { latest, form in
                let body: JSONValue = .object([
                    .init("title", .string(Self.title(after: latest.title))),
                    .init("startsAt", .string(RFC3339.format(start))),
                    .init("endsAt", .string(RFC3339.format(start.addingTimeInterval(Double(minutes) * 60)))),
                    .init("allowOverlap", .bool(true)),
                ])
                return try NextRound.read(body, after: latest, asking: form)
            }, render: { $0.id.bytes })
        return try await meeting(created)
    }

    /// Returns the title of the next round: `Team retro, week 46` is followed by week 47.
    private static func title(after title: String) -> String {
        guard let number = title.split(separator: " ").last.flatMap({ Int($0) }) else { return title }
        return title.dropLast(String(number).count) + String(number + 1)
    }

    /// Creates a share of the results, and releases the answers to a text question.
    private func createShare(_ id: UUID) async throws {
        let meeting = try await store.meetings.require(id, by: principal)
        try await store.texts.setReleased(true, question: "ask", of: meeting, by: principal.account.id)
        _ = try await store.shares.create(
            ShareDraft(name: "Works council"), for: meeting, by: principal, once: nil
        ) { _ in [] }
    }

    private func meeting(_ created: IdempotentResponse) async throws -> Meeting {
        guard let id = UUID(bytes: created.body) else { throw Problem(.notFound) }
        return try await store.meetings.require(id, by: principal)
    }
}

extension UUID {
    fileprivate var bytes: [UInt8] { Array(uuidString.utf8) }

    fileprivate init?(bytes: [UInt8]) { self.init(uuidString: String(decoding: bytes, as: UTF8.self)) }
}

import Domain
import Foundation
import Store
import StrictJSON

/// Writes past rounds and their answers.
struct DemoPast: Sendable {
    let store: Store
    let importer: Importer
    let host: Account
    let principal: Principal
    let now: Date

    struct Rounds {
        var meetings: [UUID] = []
        var submissions = 0
    }

    func write(
        _ series: DemoSeries, _ numbers: inout SeededNumbers, progress: (Int) -> Void
    ) async throws -> Rounds {
        let seriesID = UUIDv7.make(now: now)
        let starts = try series.starts(before: now)
        let meetings = starts.enumerated().map { index, start in
            ImportedMeeting(
                id: UUIDv7.make(now: now), seriesID: seriesID, series: series.title, round: index + 1,
                title: series.roundTitle.replacing("{n}", with: "\(index + 1)"), startsAt: start,
                endsAt: start.addingTimeInterval(Double(series.minutes) * 60), timeZone: series.timeZone)
        }
        let questions = series.questions.map(\.question)
        let targets = try await importer.create(
            meetings, asking: ImportedQuestions(questions), identity: .device, for: host)
        let form = PreparedForm(questions: questions)
        var rounds = Rounds()
        for (meeting, target) in zip(meetings, targets) {
            try Task.checkCancellation()
            let quality = series.quality(of: meeting.round, &numbers)
            let rows = try answers(series, quality, meeting, try target.get(), form, &numbers)
            _ = try await importer.write(rows, of: form)
            let id = meeting.id
            _ = try await store.meetings.edit(id, by: principal) { before in
                var draft = before.draft
                (draft.headcount, draft.place, draft.lateAfterMinutes) = (series.headcount, series.place, 10)
                return draft
            }
            rounds.meetings.append(id)
            rounds.submissions += rows.count
            progress(rounds.meetings.count)
        }
        try await addMembers(of: series, in: seriesID, rounds.meetings, &numbers)
        return rounds
    }

    /// Returns a row for each participant who answered. The answers begin two minutes before the end of the round, and
    /// continue for 18 minutes.
    private func answers(
        _ series: DemoSeries, _ quality: Double, _ meeting: ImportedMeeting, _ target: ImportTarget,
        _ form: PreparedForm, _ numbers: inout SeededNumbers
    ) throws -> [ImportedRow] {
        guard let end = meeting.endsAt else { return [] }
        return try (0..<series.headcount).compactMap { person -> ImportedRow? in
            guard numbers.happens(series.share * (0.85 + 0.3 * quality)) else { return nil }
            let answers = try form.answers(from: series.randomAnswers(quality, &numbers))
            let moment = end.addingTimeInterval(-120 + 60 * 18 * pow(Double.random(in: 0..<1, using: &numbers), 3))
            return ImportedRow(
                target: target, key: "demo \(person)", answers: answers,
                submittedAt: Date(timeIntervalSince1970: min(moment, now).timeIntervalSince1970.rounded(.down)))
        }
    }

    /// Adds the members of the series and their attendance in each round.
    private func addMembers(
        of series: DemoSeries, in seriesID: UUID, _ meetings: [UUID], _ numbers: inout SeededNumbers
    ) async throws {
        guard !series.members.isEmpty else { return }
        let members = try series.members.map { member in
            MemberDraft(name: try PersonName(member.name, at: "/name"), email: try EmailAddress.required(member.email))
        }
        _ = try await store.roster.add(members, to: seriesID, by: principal, once: nil) { _, _ in [] }
        for id in meetings {
            let meeting = try await store.meetings.require(id, by: principal)
            for (index, member) in members.enumerated() {
                // Members further down the list come less often.
                let isThere = numbers.happens(0.97 - 0.05 * Double(index))
                let status: AttendanceStatus = isThere ? numbers.happens(0.1) ? .late : .present : .expected
                _ = try await store.attendees.add(
                    name: member.name, email: member.email, status: status, to: meeting, by: principal, once: nil
                ) { _ in [] }
            }
        }
    }
}

extension DemoSeries {
    /// The answers of one participant.
    func randomAnswers(_ quality: Double, _ numbers: inout SeededNumbers) -> JSONValue {
        let mood = min(1, max(0, quality + 0.18 * numbers.bell()))
        let members = questions.compactMap { question in
            question.answer(mood, &numbers).map { JSONValue.Member(question.question.key, $0) }
        }
        let form = PreparedForm(questions: questions.map(\.question))
        let asked = form.asked(.read(stored: .object(members), in: form))
        return .object(members.filter { asked.contains($0.name) })
    }
}

extension EmailAddress {
    static func required(_ text: String) throws -> EmailAddress {
        guard let address = EmailAddress(text) else { throw Problem(.badRequest, "\(text) is not an email address.") }
        return address
    }
}

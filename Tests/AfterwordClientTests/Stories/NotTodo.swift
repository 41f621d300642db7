import AfterwordClient
import Foundation
import TestSupport
import Testing

/// Habits that somebody wants to give up: a check each evening for each habit, a calendar of the days without any of
/// them, and the most frequent replacement.
@Suite(.timeLimit(.minutes(15))) struct NotTodo {
    /// A habit with its replacement on each evening. Nil means an evening without a check.
    private struct Habit: Sendable {
        let name: String
        let replacement: @Sendable (Int) -> String?
    }

    private static let choices = ["walk", "read", "tea"]

    private static let habits = [
        Habit(name: "No phone in bed") { $0 % 5 == 0 ? nil : $0 % 3 == 0 ? "tea" : "read" },
        Habit(name: "No late snack") { $0 % 7 == 0 ? nil : $0 % 2 == 0 ? "tea" : "walk" },
        Habit(name: "No shopping at night") { $0 > 20 ? nil : $0 <= 8 ? "tea" : "walk" },
    ]

    private static let month = 1...30
    /// 21:00 in Berlin, in summer time.
    private static let start = "2025-04-01T19:00:00Z"

    @Test func habitsAreCheckedEveryEvening() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            var series: [ResourceID] = []
            for habit in Self.habits { series.append(try await Self.create(habit, by: host)) }
            try await Self.checkOverlaps(by: host)
            for (habit, id) in zip(Self.habits, series) { try await Self.answerChecks(of: habit, in: id, by: host) }
            try await Self.checkApril(by: host)
            try await Self.countChoices(of: series, service)
        }
    }

    /// A request for 31 evenings, of which the last is in May.
    private static func request(_ title: String) throws -> MeetingRequest {
        let start = try #require(RFC3339.parse(start))
        return MeetingRequest(
            title: title, startsAt: start, endsAt: start + 1.hours, timeZone: "Europe/Berlin",
            allowOverlap: true,
            questions: [
                .choice(
                    "instead", "What did you do instead?", options: choices.map { .init(id: $0, label: $0) },
                    required: true)
            ], repeat: Repetition(every: "P1D", count: 31))
    }

    private static func create(_ habit: Habit, by host: Afterword.Host) async throws -> ResourceID {
        let first = try await host.createMeeting(try request(habit.name))
        #expect(first.allowOverlap && first.round == 1)
        return first.seriesId
    }

    /// Checks may overlap any meeting. Other meetings may not overlap each other.
    private static func checkOverlaps(by host: Afterword.Host) async throws {
        let start = try #require(RFC3339.parse(start)) + 30.days
        let cinema = try await host.createMeeting(
            MeetingRequest(title: "Cinema", startsAt: start, endsAt: start + 2.hours))
        let clash = try await refusal {
            _ = try await host.createMeeting(
                MeetingRequest(title: "Dinner", startsAt: start + 1.hours, endsAt: start + 3.hours))
        }
        #expect(clash?.code == .meetingOverlap)
        #expect(clash?.extensions["conflicts"]?.array?.map { $0["id"]?.string } == [cinema.id.description])
    }

    /// Answers the check of each evening that has one. The evening in May always has a check, which must not appear in
    /// April's numbers.
    private static func answerChecks(of habit: Habit, in series: ResourceID, by host: Afterword.Host) async throws {
        let evenings = try await host.rounds(of: series).all()
        #expect(evenings.count == 31)
        for evening in evenings {
            let choice = month.contains(evening.round) ? habit.replacement(evening.round) : "read"
            guard let choice else { continue }
            try await host.publish(evening.id)
            try await host.service.submit(["instead": .option(choice)], to: evening.form.code)
            try await host.close(evening.id)
        }
    }

    private static func checks(on day: Int) -> Int { habits.count { $0.replacement(day) != nil } }

    /// Compares the number of checks on each day of April. With three checks, all habits were avoided on that day.
    private static func checkApril(by host: Afterword.Host) async throws {
        let april = try await host.calendar(from: "2025-04-01", to: "2025-05-01", timeZone: "Europe/Berlin")
        #expect(
            april
                == month.map { day in
                    CalendarDay(
                        date: "2025-04-" + (day < 10 ? "0\(day)" : "\(day)"), meetings: 3, formsOpen: 0, attended: 0,
                        submissions: checks(on: day))
                })
        let achieved = april.filter { $0.submissions == habits.count }.map { $0.date.suffix(2) }
        #expect(achieved == ["01", "02", "03", "04", "06", "08", "09", "11", "12", "13", "16", "17", "18", "19"])
    }

    /// Checks the month's most frequent choice in the exported tables and in the pooled results.
    private static func countChoices(of series: [ResourceID], _ service: TestService) async throws {
        let host = try service.hostClient
        let from = try #require(RFC3339.parse("2025-03-31T22:00:00Z"))
        let to = try #require(RFC3339.parse("2025-04-30T22:00:00Z"))
        var total: [String: Int] = [:]
        for (habit, id) in zip(habits, series) {
            let rows = try await host.export(.summary, ofSeries: id, as: .ndjson, from: from, to: to).rows()
            var counts: [String: Int] = [:]
            for row in rows { counts[row["option_id"]?.string ?? "", default: 0] += row["count"]?.int ?? 0 }
            #expect(counts == chosen(by: [habit]))
            // The pooled results include the evening in May.
            let pooled = try await host.results(ofSeries: id).value[question: "instead"]
            #expect(pooled?.countsByID == counts.merging(["read": 1], uniquingKeysWith: +))
            let april = try await host.results(ofSeries: id, from: from, to: to).value
            #expect(april[question: "instead"]?.countsByID == counts)
            #expect(april.submissions == month.count { habit.replacement($0) != nil })
            total.merge(counts, uniquingKeysWith: +)
        }
        #expect(total == chosen(by: habits) && total == ["tea": 29, "walk": 25, "read": 16])
        #expect(total.max { $0.value < $1.value }?.key == "tea")

        let all = try await service.adminClient.exportAll(.answers, as: .ndjson, from: from, to: to).rows()
        #expect(Dictionary(grouping: all) { $0["option_id"]?.string ?? "" }.mapValues(\.count) == total)
    }

    private static func chosen(by habits: [Habit]) -> [String: Int] {
        Dictionary(
            choices.map { choice in
                (choice, habits.reduce(0) { sum, habit in sum + month.count { habit.replacement($0) == choice } })
            }
        ) { first, _ in first }
    }
}

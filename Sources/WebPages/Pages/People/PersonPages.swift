import Contract
import HTTPTypes

/// A member's own days in a series, by the code that only they and their hosts have.
struct PersonPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/p/{code}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let code = page.parameter("code").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let answer = try await page.ask(.get, "/v1/people/\(code)")
        guard answer.status == .ok else { throw PageError(answer) }
        return page.page("person", Self.values(try answer.decoded(), page))
    }

    static func values(_ person: Person, _ page: PageRequest) -> [String: Any] {
        // Where every form is anonymous, or asks nobody who they are, there is nothing to tell.
        let tellsAnswers = person.history.contains { $0.answered != nil }
        var values: [String: Any] = [
            "series": person.series, "title": person.name ?? person.series, "tellsAnswers": tellsAnswers,
            "attended": page.texts("person.of", ["count": "\(person.attended)", "rounds": "\(person.rounds)"]),
            "currentStreak": person.currentStreak, "longestStreak": person.longestStreak,
            "answeredCount": person.answered, "hasHistory": !person.history.isEmpty,
            "history": person.history.map { round($0, page) },
        ]
        if person.late > 0 { values["late"] = person.late }
        if person.absent > 0 { values["absent"] = person.absent }
        return values
    }

    private static func round(_ round: Person.Round, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        var values: [String: Any] = [
            "round": round.round, "title": round.title, "isAway": !["present", "late"].contains(round.status),
            "date": round.date.flatMap { LocalTime.dayText($0, in: page.language) } ?? texts("series.undated"),
            // Whoever was not seen at a round without a date has not missed it.
            "status": round.status == "expected"
                ? "–" : texts(round.status.map { "person.\($0)" } ?? "person.unlisted"),
            "answered": round.answered.map { texts($0 ? "person.answered-yes" : "person.answered-no") } ?? "–",
        ]
        values["meeting"] = round.meetingId.map { "/meetings/\($0)" }
        return values
    }
}

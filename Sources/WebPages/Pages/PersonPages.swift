import Contract
import HTTPTypes

/// A member's own days in a series, by the code that only they and their hosts have.
struct PersonPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/p/{code}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let code = page.parameter("code").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let answer = try await page.ask(.get, "/v1/people/\(code)")
        guard answer.status == .ok else { throw PageTrouble(answer) }
        return page.page("person", Self.values(try answer.decoded(), page))
    }

    static func values(_ person: Person, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        var values: [String: Any] = [
            "series": person.series, "attended": person.attended, "rounds": person.rounds,
            "present": person.present, "late": person.late, "absent": person.absent, "answered": person.answered,
            "currentStreak": person.currentStreak, "longestStreak": person.longestStreak,
            "title": person.name ?? person.series,
            "history": person.history.map { round -> [String: Any] in
                [
                    "round": round.round, "title": round.title, "date": round.date ?? "",
                    "status": round.status.map { texts("check-in.\($0)") } ?? "",
                    "answered": round.answered.map { texts($0 ? "person.answered-yes" : "person.answered-no") } ?? "",
                ]
            },
        ]
        values["name"] = person.name
        return values
    }
}

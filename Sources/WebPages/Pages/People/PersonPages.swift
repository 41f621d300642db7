import Contract

/// Shows a person their own attendance in a series. The personal code in the address gives access.
struct PersonPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/p/{code}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let code = page.parameter("code").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return page.page(PersonPage(try await page.get("/v1/people/\(code)"), page))
    }
}

/// The attendance of one person in a series, for the person and for hosts.
struct PersonPage: PageModel {
    struct Round: TemplateValues {
        var round: Int
        var title: String
        /// Nil unless a host views the page.
        var meetingPath: String?
        var date: String
        /// Whether the person was neither present nor late.
        var isAway: Bool
        var status: String
        /// Whether the person answered: yes, no, or a dash if the round does not record it.
        var answered: String
    }

    static let template = "person"
    var title: String
    var series: String
    /// Nil unless a host views the page.
    var seriesPath: String?
    /// Nil unless a host views the page.
    var rosterPath: String?
    var email: String?
    var attended: String
    var late: Int?
    var absent: Int?
    var currentStreak: Int
    var longestStreak: Int
    /// Whether any round records who answered.
    var showsAnswers: Bool
    var answeredCount: Int
    var hasHistory: Bool
    var history: [Round]
    /// The person's own link to this page. Nil unless a host views the page.
    var personLink: String?
    /// The words before the link.
    var shareText: String

    init(_ person: Person, _ page: PageRequest) {
        (title, series) = (person.name ?? person.series, person.series)
        shareText = page.texts("people.own", ["name": person.name ?? person.email ?? person.series])
        attended = page.texts("person.of", ["count": "\(person.attended)", "rounds": "\(person.rounds)"])
        late = person.late > 0 ? person.late : nil
        absent = person.absent > 0 ? person.absent : nil
        (currentStreak, longestStreak) = (person.currentStreak, person.longestStreak)
        showsAnswers = person.history.contains { $0.answered != nil }
        answeredCount = person.answered
        hasHistory = !person.history.isEmpty
        history = person.history.map { Self.round($0, page) }
    }

    private static func round(_ round: Person.Round, _ page: PageRequest) -> Round {
        let texts = page.texts
        return Round(
            round: round.round, title: round.title, meetingPath: round.meetingId.map { "/meetings/\($0)" },
            date: round.date.flatMap { LocalTime.dayText($0, in: page.language) } ?? texts("series.undated"),
            isAway: !["present", "late"].contains(round.status),
            // In a dated round, people who did not come count as absent. Only an undated round keeps `expected`.
            status: round.status == "expected"
                ? "–" : texts(round.status.map { "person.\($0)" } ?? "person.unlisted"),
            answered: round.answered.map { texts($0 ? "person.answered-yes" : "person.answered-no") } ?? "–")
    }
}

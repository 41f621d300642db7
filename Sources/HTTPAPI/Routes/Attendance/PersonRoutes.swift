import Domain
import HTTPServer
import HTTPTypes
import Store
import StrictJSON

/// One person's attendance in all rounds of a series, for accounts with access to the series, and for the person.
struct PersonRoutes: Sendable {
    /// The number of latest rounds that are listed; totals and streaks count all rounds.
    static let history = 200

    let store: Store
    let guessing: CodeEnumerationLimit

    var routes: [Route] {
        [
            Route(
                .get, "/v1/series/{id}/attendees", access: .account(.readMeetings), query: ["email"], handler: find),
            Route(.get, "/v1/people/{code}", access: .anyone, logged: false, handler: own),
        ]
    }

    private func find(_ request: APIRequest) async throws -> APIResponse {
        let seriesID = try request.uuid("id")
        try await store.meetings.requireSeries(seriesID, by: request.requireCaller())
        let email = try request.query { reader in
            // No address contains a space, but clients often leave a `+` unencoded.
            let text = reader.string("email").map { String($0.trimmingSpaces).replacing(" ", with: "+") }
            let email = text.flatMap { EmailAddress($0) }
            if email == nil { reader.refuse("email", "invalid-email", "It takes an e-mail address.") }
            return email
        }
        guard let email else { throw Problem(.notFound) }
        let report = try await store.people.find(email: email, in: seriesID)
        let known: [JSONValue.Member] = [.init("email", .string(report.email)), .init("code", JSONValue(report.code))]
        let body = JSONValue.object(known + report.members { [.init("meetingId", .string($0.meetingID.lowercased))] })
        return .json(body).tagged(ETag(digestOf: body))
    }

    private func own(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        let report = try await guessing.watch(code, from: request.clientAddress) {
            try await store.people.find(code: code)
        }
        let body = JSONValue.object(report.members { _ in [] })
        return .json(body).tagged(ETag(digestOf: body))
    }
}

extension PersonReport {
    /// The members for both kinds of readers, without the address. Each round begins with the members from `more`.
    func members(_ more: (Round) -> [JSONValue.Member]) -> [JSONValue.Member] {
        let record = record
        return [
            .init("name", JSONValue(name)),
            .init("series", .string(series)),
            .init("rounds", JSONValue(counted.count)),
            .init("present", JSONValue(record.present)),
            .init("late", JSONValue(record.late)),
            .init("absent", JSONValue(record.absent)),
            .init("attended", JSONValue(record.attended)),
            .init("answered", JSONValue(answered)),
            .init("daysAttended", .array(daysAttended.map { .string($0) })),
            .init("daysAnswered", .array(daysAnswered.map { .string($0) })),
            .init("currentStreak", JSONValue(record.currentStreak)),
            .init("longestStreak", JSONValue(record.longestStreak)),
            .init(
                "history",
                .array(rounds.suffix(PersonRoutes.history).reversed().map { .object(more($0) + $0.members) })),
        ]
    }
}

extension PersonReport.Round {
    var members: [JSONValue.Member] {
        [
            .init("round", JSONValue(number)), .init("title", .string(title)), .init("date", JSONValue(date)),
            .init("status", JSONValue(status?.rawValue)), .init("answered", answered.map { .bool($0) } ?? .null),
        ]
    }
}

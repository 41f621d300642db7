import Contract
import Domain
import HTTPServer
import HTTPTypes
import Store

/// One person's attendance in all rounds of a series, for accounts that may see the attendee list, and for the person.
struct PersonRoutes: Sendable {
    let store: Store
    let codeLimit: CodeEnumerationLimit

    var routes: [Route] {
        [
            Route(
                .get, "/v1/series/{id}/attendees", access: .account(.readMeetings), query: ["email"], handler: find),
            Route(.get, "/v1/people/{code}", access: .anyone, logged: false, handler: readOwn),
        ]
    }

    private func find(_ request: APIRequest) async throws -> APIResponse {
        // The response contains the name, the personal code and who answered. A viewer must not get them by guessing an
        // address.
        let (seriesID, _) = try await store.requireSeries(for: request, atLeast: .editor)
        let email = try request.query { reader in
            // No address contains a space, but clients often leave a `+` unencoded.
            let text = reader.string("email").map { String($0.trimmingSpaces).replacing(" ", with: "+") }
            let email = text.flatMap { EmailAddress($0) }
            if email == nil { reader.refuse("email", "invalid-email", "An e-mail address is expected here.") }
            return email
        }
        guard let email else { throw Problem(.notFound) }
        let report = try await store.people.find(email: email, in: seriesID)
        return try .tagged(Person(ofSeries: report)).unstored
    }

    private func readOwn(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        let report = try await codeLimit.limitMisses(code, of: request) {
            try await store.people.find(code: code)
        }
        return try .tagged(Person(report)).unstored
    }
}

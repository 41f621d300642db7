import Domain
import HTTPTypes
import Store
import StrictJSON

/// Check-in at the door: meeting details and arrival.
struct CheckInRoutes: Sendable {
    let store: Store
    let guessing: CodeEnumerationLimit

    var routes: [Route] {
        let path = "/v1/check-ins/{code}"
        return [
            Route(.get, path, access: .anyone, logged: false, handler: get),
            Route(.post, path, access: .anyone, accepts: .json(limit: 16 * 1024), logged: false, handler: enter),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let body = JSONValue.object(try await place(request).members)
        return .json(body).tagged(ETag(digestOf: body))
    }

    private func enter(_ request: APIRequest) async throws -> APIResponse {
        // Checked before the body is read. `enter` checks again, with the time after the body's arrival.
        _ = try await place(request)
        let reader = ObjectReader(try await request.document().json())
        let name = reader.requiredPersonName()
        let email = reader.requiredEmailAddress()
        let faults = reader.finish()
        guard let name, let email, faults.isEmpty else { throw Problem(faults) }
        let checkIn = try await store.checkIns.enter(name, email, code: request.parameter("code"))
        return .json(checkIn.body, status: checkIn.isRepeated ? .ok : .created)
    }

    private func place(_ request: APIRequest) async throws -> CheckInPlace {
        let code = try request.parameter("code")
        return try await guessing.watch(code, from: request.clientAddress) {
            try await store.checkIns.find(code: code)
        }
    }
}

extension CheckInPlace {
    var members: [JSONValue.Member] {
        [
            .init("title", .string(title)),
            .init("series", .string(series)),
            .init("startsAt", JSONValue(window.startsAt)),
            .init("endsAt", JSONValue(window.endsAt)),
            .init("timeZone", .string(timeZone)),
            .init("place", JSONValue(place)),
            .init("state", .string(state.rawValue)),
            .init("form", .object([.init("code", .string(formCode)), .init("state", .string(formState.rawValue))])),
        ]
    }
}

extension CheckIn {
    /// Omits the stored name, because a client that only knows the address must not learn it.
    var body: JSONValue {
        .object(
            [.init("status", .string(status.rawValue)), .init("checkedInAt", JSONValue(checkedInAt))] + place.members)
    }
}

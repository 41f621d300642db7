import Contract
import Domain
import HTTPTypes
import Store
import StrictJSON

/// Check-in at the door: meeting details and arrival.
struct CheckInRoutes: Sendable {
    let store: Store
    let codeLimit: CodeEnumerationLimit

    var routes: [Route] {
        let path = "/v1/check-ins/{code}"
        return [
            Route(.get, path, access: .anyone, logged: false, handler: get),
            Route(.post, path, access: .anyone, accepts: .json(), logged: false, handler: enter),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        try .tagged(Contract.CheckInMeeting(await meeting(request)))
    }

    private func enter(_ request: APIRequest) async throws -> APIResponse {
        // Checked before the body is read. The store checks again once the body has arrived.
        _ = try await meeting(request)
        let reader = ObjectReader(try await request.document().json())
        let name = reader.requiredPersonName()
        let email = reader.requiredMailAddress()
        let faults = reader.finish()
        guard let name, let email, faults.isEmpty else { throw Problem(faults) }
        let checkIn = try await store.checkIns.checkIn(name, email, code: request.parameter("code"))
        return try .json(Contract.CheckIn(checkIn), status: checkIn.isRepeated ? .ok : .created)
    }

    private func meeting(_ request: APIRequest) async throws -> StoredCheckInMeeting {
        let code = try request.parameter("code")
        return try await codeLimit.limitMisses(code, of: request) {
            try await store.checkIns.find(code: code)
        }
    }
}

import Domain
import Store

extension Store {
    /// The meeting of the path, for whoever may edit it.
    func editable(_ request: APIRequest) async throws -> (meeting: Meeting, principal: Principal) {
        let principal = try request.requireCaller()
        return (try await meetings.require(request.uuid("id"), by: principal, atLeast: .editor), principal)
    }
}

extension APIRequest {
    /// 403 unless the token has this scope beside the one of its route.
    func require(_ scope: Principal.Scope) throws(Problem) {
        guard try requireCaller().scopes.contains(scope) else {
            throw Problem(.forbidden, "The token lacks the scope \(scope.rawValue).")
        }
    }
}

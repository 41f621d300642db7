import Contract
import HTTPAPI

/// Who works on a series beside its owner, and whom an admin has invited to it.
struct SeriesHosts {
    /// The newest invitations of the service, among which those to one series are.
    private static let invitations = 200

    private static let hosts = 200

    static func hosts(
        of series: HostReader.SeriesAccess, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [[String: Any]] {
        try await reader.hosts(of: series, limit: hosts).map { host in
            [
                "id": "\(host.accountId)", "name": host.name, "email": host.email, "isOwner": host.role == "owner",
                "role": page.texts("series.role-\(host.role)"),
            ]
        }
    }

    /// Those that nobody has used yet; only admins see any.
    static func invited(
        to series: Series, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [[String: Any]] {
        guard reader.isAdmin else { return [] }
        return try await reader.invitations(limit: invitations).filter {
            $0.seriesId == series.id && $0.state == "open"
        }.map { invitation in
            [
                "id": "\(invitation.id)", "email": invitation.email ?? "",
                "role": invitation.role.map { page.texts("series.role-\($0)") } ?? "",
                "until": page.texts("invited.until", ["time": page.time(invitation.expiresAt)]),
            ]
        }
    }

    /// What to do about an address that nobody has an account with.
    static func stranger(_ email: String, _ visit: HostSession) async throws -> [String: Any] {
        let (isAdmin, options) = (try await visit.isAdmin(), visit.page.kit.options)
        let text = isAdmin ? "invited.offer" : options.allowsSignUp ? "invited.sign-up" : "invited.ask"
        return [
            "text": visit.page.texts(text, ["email": email, "address": "\(options.publicURL)/sign-up"]),
            "invites": isAdmin,
        ]
    }
}

import Contract
import HTTPAPI

/// The hosts of a series, and the open invitations to become one.
struct SeriesHosts {
    /// The number of the service's newest invitations that are searched.
    private static let maxInvitations = 200
    /// The most hosts that the page lists.
    private static let maxHosts = 200

    struct Host: TemplateValues {
        var id: String
        var name: String
        var email: String
        var role: String
        var isOwner: Bool
    }

    struct Invited: TemplateValues {
        var id: String
        var email: String
        var role: String
        /// Says when the invitation expires.
        var until: String
    }

    static func hosts(
        of series: HostReader.SeriesAccess, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [Host] {
        try await reader.hosts(of: series, limit: maxHosts).map { host in
            Host(
                id: "\(host.accountId)", name: host.name, email: host.email,
                role: page.texts("series.role-\(host.role)"), isOwner: host.role == "owner")
        }
    }

    /// The open invitations to a series. Only admins get them.
    static func invited(
        to series: Series, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [Invited] {
        guard reader.isAdmin else { return [] }
        return try await reader.invitations(limit: maxInvitations).filter {
            $0.seriesId == series.id && $0.state == "open"
        }.map { invitation in
            Invited(
                id: "\(invitation.id)", email: invitation.email ?? "",
                role: invitation.role.map { page.texts("series.role-\($0)") } ?? "",
                until: page.texts("invited.until", ["time": page.time(invitation.expiresAt)]))
        }
    }

    /// The advice for an address without an account.
    static func stranger(_ email: String, _ session: HostSession) async throws -> SeriesSettingsPage.Stranger {
        let (isAdmin, options) = (try await session.reader().isAdmin, session.page.kit.options)
        let text = isAdmin ? "invited.offer" : options.allowsSignUp ? "invited.sign-up" : "invited.ask"
        return .init(
            text: session.page.texts(text, ["email": email, "address": "\(options.publicURL)/sign-up"]),
            canInvite: isAdmin)
    }
}

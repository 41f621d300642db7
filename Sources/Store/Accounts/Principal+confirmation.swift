import Domain
import Foundation
import Postgres

extension Principal {
    /// Judges the caller anew in the act's own transaction, and locks account and token until it ends: a body may come
    /// long after its head, and until then the account can be disabled or demoted and the token revoked.
    ///
    /// To be called before other accounts than all admins are locked. Returns the caller as they are now; throws 401,
    /// and 403 for who is no admin where one is needed.
    @discardableResult
    func confirm(asAdmin: Bool = false, on connection: Connection) async throws -> Principal {
        let accounts = try await connection.query(
            "SELECT role FROM account WHERE id = \(account.id) AND disabled_at IS NULL FOR NO KEY UPDATE")
        // By a statement of its own: it sees what was revoked while the lock on the account was waited for.
        let tokens = try await connection.query(
            """
            SELECT 1 FROM token WHERE id = \(tokenID) AND revoked_at IS NULL AND expires_at > clock_timestamp() FOR SHARE
            """)
        guard let row = accounts.first, !tokens.isEmpty else {
            throw Problem(.unauthorized, "The token is unknown, expired or revoked.")
        }
        var confirmed = self
        confirmed.account.role = Account.Role(rawValue: try row.decode(String.self)) ?? .host
        if asAdmin, !confirmed.isAdmin { throw Problem(.forbidden, "It is for admins.") }
        return confirmed
    }
}

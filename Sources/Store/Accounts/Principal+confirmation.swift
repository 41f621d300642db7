import Domain
import Foundation
import Postgres

extension Principal {
    /// Checks the caller again in the transaction of the action, and locks account and token until it ends: a body may
    /// arrive long after its head, and in the meantime the account can be disabled or demoted and the token revoked.
    ///
    /// Must be called before accounts other than all admins are locked. Returns the caller with the current role;
    /// throws 401, and 403 when an admin is required and the caller is none.
    @discardableResult
    func confirm(asAdmin: Bool = false, on connection: Connection) async throws -> Principal {
        let accounts = try await connection.query(
            "SELECT role FROM account WHERE id = \(account.id) AND disabled_at IS NULL FOR NO KEY UPDATE")
        // A separate statement, so that it sees revocations committed while it waited for the lock on the account.
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

import Domain
import Store

/// The account that `--host-email` names.
enum HostAccount {
    static func address(_ text: String) throws(Failure) -> EmailAddress {
        guard let email = EmailAddress(text) else {
            throw .misuse("--host-email has the invalid value \"\(text)\"; expected an e-mail address.")
        }
        return email
    }

    static func find(_ email: EmailAddress, in store: Store) async throws -> Account {
        guard let host = try await store.accounts.find(email: email)?.account else {
            throw Failure(
                "There is no account \(email): create it with `afterword account create`, or correct --host-email.")
        }
        return host
    }
}

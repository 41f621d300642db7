import Cryptography
import Domain
import Foundation
import Store

/// The admin account that the first start creates, so that somebody can sign in.
struct FirstAdmin {
    static let address = "admin@localhost"
    private static let advice =
        "It ends after \(Int(InitialPassword.lifetime / 86_400)) days: choose another on the page Account."

    /// A random password and its hash. They can be made beforehand, because hashing takes longer than a step of the
    /// start.
    struct Credentials: Sendable {
        let password: String
        let hash: String

        static func make() async throws -> Credentials {
            let password = Base64URL.encode(RandomBytes.make(15))
            return Credentials(password: password, hash: try await PasswordHasher().hash(password))
        }
    }

    /// The folder of `first-admin`.
    let folder: String
    /// Whether the password may be shown, which is never the case in a log.
    var showsPassword = Terminal.isErrorStreamInteractive
    /// Shows a sentence to the person who starts the service.
    var announce: @Sendable (_ sentence: String) -> Void = { Terminal.printError($0) }

    private var path: String { folder + "/first-admin" }

    /// Creates the account unless any account exists. Writes the password to a file that only its owner can read, and
    /// to the terminal if there is one, but never to a log. Completes or deletes the drafts that a killed start left.
    ///
    /// - Parameter prepared: Credentials that are already being made. If nil, they are made when they are needed.
    /// - Returns: Whether the account was created, or its password recovered.
    @discardableResult
    func makeIfNeeded(
        in store: Store, _ prepared: Task<Credentials, any Error>? = nil
    ) async throws -> Bool {
        let abandoned = SecretDraft.abandoned(for: path)
        guard try await store.accounts.isEmpty(), let email = EmailAddress(Self.address) else {
            return try await recover(abandoned, in: store)
        }
        let credentials =
            if let prepared { try await prepared.value } else { try await Credentials.make() }
        // The file is written first, because an account with an unknown password would be useless.
        let draft = try makeDraft(of: credentials.password)
        do {
            try await store.accounts.create(
                email: email, name: "Admin", role: .admin, passwordHash: credentials.hash,
                passwordLifetime: InitialPassword.lifetime)
        } catch {
            // After another error, such as a lost connection, the account may exist: the next start finds the draft.
            guard DatabaseErrorMessage.isTakenAddress(error) else { throw error }
            draft.discard()
            // Another instance on this database created the account first, or the last statement of a killed start did.
            return try await recover(abandoned, in: store)
        }
        try complete(draft, credentials.password)
        for draft in abandoned { draft.discard() }
        return true
    }

    /// Gives the draft with the account's password its final name, and deletes the other drafts. A start that is killed
    /// after it has created the account leaves such a draft. Returns whether there was one.
    private func recover(_ drafts: [SecretDraft], in store: Store) async throws -> Bool {
        var isRecovered = false
        for draft in drafts {
            if let password = draft.text.flatMap(Self.password), try await isCurrent(password, in: store) {
                try complete(draft, password)
                isRecovered = true
            } else {
                draft.discard()
            }
        }
        return isRecovered
    }

    private func isCurrent(_ password: String, in store: Store) async throws -> Bool {
        guard let email = EmailAddress(Self.address), let account = try await store.accounts.find(email: email) else {
            return false
        }
        return try await PasswordHasher().verify(password, account.passwordHash)
    }

    private static func password(in text: String) -> String? {
        let prefix = "password: "
        return text.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    private func makeDraft(of password: String) throws(Failure) -> SecretDraft {
        try SecretFile.makeFolder(folder)
        do {
            return try SecretDraft.write("e-mail: \(Self.address)\npassword: \(password)\n", for: path)
        } catch {
            throw unusable(error)
        }
    }

    private func complete(_ draft: SecretDraft, _ password: String) throws(Failure) {
        do {
            try draft.complete(replacing: true)
        } catch {
            throw unusable(error)
        }
        if showsPassword {
            announce("The first admin is \(Self.address), password \(password) (stored in \(path)). \(Self.advice)")
        } else {
            announce("The first admin is \(Self.address); the password is in \(path). \(Self.advice)")
        }
    }

    private func unusable(_ failure: SecretDraft.Failure) -> Failure {
        Failure(
            "The file \(path) cannot be written (\(failure.reason)): fix the folder's permissions, free some disk space, or "
                + "choose another with --data.")
    }
}

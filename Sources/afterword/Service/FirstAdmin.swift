import Cryptography
import Domain
import Foundation
import Store

/// The admin account that the first start creates, so that somebody can sign in.
struct FirstAdmin {
    static let address = "admin@localhost"

    /// A random password and its hash, which takes longer than a step of the start and can be made beforehand.
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
    var showsPassword = Terminal.showsErrors
    /// Shows a sentence to the person who starts the service.
    var announce: @Sendable (_ sentence: String) -> Void = { Terminal.printError($0) }

    private var path: String { folder + "/first-admin" }

    /// Does nothing if any account exists. Writes the password to a file that only its owner can read, and to the
    /// terminal if there is one, but never to a log.
    ///
    /// - Parameter prepared: Credentials that are being made; nil to make them if they are needed.
    /// - Returns: Whether this start created the account.
    @discardableResult
    func makeIfNeeded(
        in store: Store, _ prepared: Task<Credentials, any Error>? = nil
    ) async throws -> Bool {
        guard try await store.accounts.isEmpty(), let email = EmailAddress(Self.address) else { return false }
        let credentials =
            if let prepared { try await prepared.value } else { try await Credentials.make() }
        let draft = "\(path).\(UUID().uuidString)"
        // The file is written first, because an account with an unknown password would be useless.
        try write("e-mail: \(Self.address)\npassword: \(credentials.password)\n", to: draft)
        do {
            try await store.accounts.create(email: email, name: "Admin", role: .admin, passwordHash: credentials.hash)
        } catch {
            unlink(draft)
            // Another instance on this database created it first.
            if DatabaseErrorMessage.isTakenAddress(error) { return false }
            throw error
        }
        guard rename(draft, path) == 0 else { throw unusable() }
        if showsPassword {
            announce("The first admin is \(Self.address), password \(credentials.password) (stored in \(path)).")
        } else {
            announce("The first admin is \(Self.address); the password is in \(path).")
        }
        return true
    }

    private func write(_ text: String, to file: String) throws {
        try SecretFile.makeFolder(folder)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unusable() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            // A power failure must not take the file of an account that exists.
            try handle.synchronize()
        } catch {
            throw unusable()
        }
    }

    private func unusable() -> Failure {
        let reason = String(cString: strerror(errno))
        return Failure(
            "The file \(path) cannot be written (\(reason)): fix the folder's permissions or choose another with --data."
        )
    }
}

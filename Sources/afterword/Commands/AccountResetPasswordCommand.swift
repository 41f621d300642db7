import ArgumentParser
import Store

struct AccountResetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password",
        abstract: "Give an account another password and end its sessions.",
        discussion: """
            EXAMPLES
              afterword account reset-password --email ann@example.org --password-stdin \\
                < password.txt
            """)

    @OptionGroup var who: AddressOption
    @OptionGroup var password: PasswordOption
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let email = try who.address()
        let hash = try await password.hash(for: email)
        let isKnown = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            try await store.accounts.setPassword(email: email, hash: hash)
        }
        guard isKnown else { throw Failure("There is no account \(email): `afterword account list` lists all.") }
        Terminal.print("Changed the password of \(email).")
    }
}

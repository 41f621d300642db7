import ArgumentParser
import Store

struct AccountDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "End an account's sessions and prevent it from signing in.",
        discussion: """
            The account's data is kept. Disabling it again changes nothing.

            EXAMPLES
              afterword account disable --email ann@example.org
            """)

    @OptionGroup var who: AddressOption
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let email = try who.address()
        let isKnown = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            try await store.accounts.disable(email: email)
        }
        guard isKnown else { throw Failure("There is no account \(email): `afterword account list` lists all.") }
        Terminal.print("Disabled \(email).")
    }
}

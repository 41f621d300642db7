import ArgumentParser
import Domain
import Store
import StrictJSON

struct AccountCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an account.",
        discussion: """
            A host owns series of meetings; an admin sees and manages everything. The password has at least 10 \
            characters and at most 1024 bytes, and is neither a common one nor the address. Without --password-stdin \
            it is read from the terminal.

            EXAMPLES
              afterword account create --email ann@example.org --name Ann --role host \\
                --password-stdin < password.txt
            """)

    @OptionGroup var who: AddressOption

    @Option(help: "The name that people see.")
    var name: String

    @Option(help: "The role: host or admin.")
    var role: Account.Role

    @OptionGroup var password: PasswordOption
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let (email, role) = (try who.address(), role)
        guard let name = try? PersonName(name, at: "/name").text else {
            throw Failure.misuse("--name must have 1 to 200 characters, none of them a control character.")
        }
        let hash = try await password.hash(for: email)
        let account = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            do {
                return try await store.accounts.create(email: email, name: name, role: role, passwordHash: hash)
            } catch  where DatabaseErrorMessage.isTakenAddress(error) {
                throw Failure(
                    "The account \(email) exists already: change its password with `account reset-password`.")
            }
        }
        Terminal.print("Created the \(account.role.rawValue) \(account.email).")
    }
}

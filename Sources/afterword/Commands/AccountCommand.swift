import ArgumentParser
import Cryptography
import Domain
import Store

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Create, list and disable accounts.",
        discussion: """
            EXAMPLES
              afterword account create --email ann@example.org --name Ann --role host \\
                --password-stdin < password.txt
              afterword account list --json
              afterword account reset-password --email ann@example.org --password-stdin \\
                < password.txt
              afterword account disable --email ann@example.org
            """,
        subcommands: [
            AccountCreateCommand.self, AccountListCommand.self, AccountDisableCommand.self,
            AccountResetPasswordCommand.self,
        ])
}

extension Account.Role: ExpressibleByArgument {}

/// The e-mail address of an account.
struct AddressOption: ParsableArguments {
    @Option(help: "The account's e-mail address.")
    var email: String

    func address() throws(Failure) -> EmailAddress {
        guard let address = EmailAddress(email) else {
            throw .misuse("--email has the invalid value \"\(email)\"; expected an e-mail address.")
        }
        return address
    }
}

/// A password from standard input or from a hidden prompt. It is never on the command line, which other users can read.
struct PasswordOption: ParsableArguments {
    @Flag(help: "Read the password from the first line of the standard input.")
    var passwordStdin = false

    /// - Parameter address: The account's address, which must not be its password.
    func hash(for address: EmailAddress) async throws -> String {
        guard let password = passwordStdin ? readLine(strippingNewline: true) : Terminal.ask("Password: ") else {
            throw Failure.misuse("No password was given: pass it as one line with --password-stdin.")
        }
        if let weakness = PasswordRules.standard.weakness(of: password, for: address) {
            throw Failure.misuse("The password is refused. \(PasswordRules.standard.sentence(weakness))")
        }
        return try await PasswordHasher().hash(password)
    }
}

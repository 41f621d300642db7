import ArgumentParser
import Domain
import Foundation
import Store
import StrictJSON

struct AccountListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List up to 1,000 accounts, sorted by e-mail address.",
        discussion: """
            EXAMPLES
              afterword account list
              afterword account list --json | jq -r '.items[].email'
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        try StandardStreams.requireOutput()
        let settings = try options.settings()
        let accounts = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            try await store.accounts.list(AccountQuery(limit: 1000)).map(\.account)
        }
        if json {
            Terminal.print(.object([.init("items", .array(accounts.map(Self.json)))]))
        } else if accounts.isEmpty {
            Terminal.printError("There are no accounts yet: create one with `afterword account create`.")
        } else {
            Terminal.print(
                Terminal.table(
                    accounts.map { account in
                        [
                            account.email, account.role.rawValue, account.disabledAt == nil ? "" : "disabled",
                            account.name,
                        ]
                    }))
        }
    }

    private static func json(_ account: Account) -> JSONValue {
        .object([
            .init("id", .string(account.id.lowercased)), .init("email", .string(account.email)),
            .init("name", .string(account.name)), .init("role", .string(account.role.rawValue)),
            .init("createdAt", .string(RFC3339.format(account.createdAt))),
            .init("disabledAt", JSONValue(account.disabledAt.map(RFC3339.format))),
        ])
    }
}

import ArgumentParser
import Foundation
import Logging
import Store
import StrictJSON

struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Add a key to the secret file, for new forms and webhooks.",
        discussion: """
            Existing forms and webhooks keep their keys, so receipts, personal links, repeated requests and webhooks' \
            secrets stay valid. The new key is used from the next start of the service on. --dry-run says what stays \
            and what ends with that start, and changes nothing. An interrupted rotation is completed by the next one.

            If several machines have copies of the file, copy it to all of them before the first of them is restarted. \
            Keep a copy of the new file: backups made from then on need it.

            EXAMPLES
              afterword keys rotate --dry-run
              afterword keys rotate && systemctl restart afterword
              afterword keys rotate \\
                --database-url postgres://owner@db.example.org/afterword \\
                --secret-file /etc/secret
            """)

    @Flag(help: "Only print what would be added, what stays valid and what ends.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let logger = Log.startCommand(settings)
        let isDryRun = dryRun
        let (rotation, origin) = try await Database.with(settings, logger) { database in
            let facts = try await DatabaseFacts.read(url: database.url)
            let rotation = try await KeyRotation.run(
                url: database.url, isDryRun: isDryRun, keys: { try SecretFile.keys(settings, for: facts, logger) },
                add: { try SecretFile.add($0, to: settings.secretFile, logger) })
            return (rotation, database.origin)
        }
        if json { return Terminal.print(report(rotation)) }
        let change =
            rotation.addsKey
            ? "\(dryRun ? "Would add" : "Added") key \(rotation.key) to \(settings.secretFile)."
            : "\(settings.secretFile) already contains key \(rotation.key), which no service has used: "
                + (dryRun ? "it would be the new one." : "it is the new one.")
        Terminal.print(change)
        Terminal.print(Terminal.table(Self.effects(rotation.uses)))
        guard !dryRun else { return }
        if origin != .own { Terminal.printError("Restart the service, so that it uses the new key.") }
        Terminal.printError("Keep a copy of \(settings.secretFile) elsewhere: backups made from now on need it.")
    }

    /// What stays valid, and what ends with the next start of the service.
    private static func effects(_ uses: [KeyUse]) -> [[String]] {
        let forms = uses.map { $0.forms - $0.finalForms }.reduce(0, +)
        let webhooks = uses.map(\.webhooks).reduce(0, +)
        return [
            ["stays", "sessions, API tokens, passwords, invitations, mailed links, shares and codes"],
            [
                "stays",
                "receipts, personal links and repeated requests of \(Self.count(forms, "form")), by the old key",
            ],
            ["stays", "the secrets of \(Self.count(webhooks, "webhook")), by the old key"],
            ["ends", "open pages: what is sent from them comes back once, with its input, to be sent again"],
            ["ends", "cursors of rankings over several series: start at the first page"],
            ["ends", "the values of \"client\" in the log: each address gets another one"],
        ]
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number.grouped) \(noun)\(number == 1 ? "" : "s")"
    }

    private func report(_ rotation: KeyRotation) -> JSONValue {
        .object([
            .init("key", JSONValue(rotation.key)), .init("added", .bool(rotation.addsKey && !dryRun)),
            .init("dryRun", .bool(dryRun)), .init("items", .array(rotation.uses.map(\.json))),
        ])
    }
}

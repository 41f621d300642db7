import ArgumentParser
import Store
import StrictJSON

struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys with the number of forms and webhooks that use each.",
        discussion: """
            The keys themselves are never printed. A key must stay in the secret file even if nothing uses it any more: \
            the service does not start without it.

            EXAMPLES
              afterword keys list
              afterword keys list --json | jq '.items[] | select(.webhooks > 0)'
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        try StandardStreams.requireOutput()
        let settings = try options.settings()
        let logger = Log.startCommand(settings)
        let uses = try await Database.with(settings, logger) { database in
            let facts = try await DatabaseFacts.read(url: database.url)
            guard facts.isKeyed else { throw KeyRing.Failure.unusedDatabase }
            let ring = try SecretFile.keys(settings, for: facts, logger)
            if let refusal = try facts.refusal(of: ring) { throw refusal }
            return try await KeyUse.read(url: database.url)
        }
        if json { return Terminal.print(.object([.init("items", .array(uses.map(\.json)))])) }
        let rows = uses.map { use in
            [
                "\(use.number)", use.forms.grouped, use.finalForms.grouped, use.webhooks.grouped,
                use.number == uses.last?.number ? "used for what is new" : "",
            ]
        }
        Terminal.print(Terminal.table([["key", "forms", "final", "webhooks", ""]] + rows))
    }
}

extension KeyUse {
    var json: JSONValue {
        .object([
            .init("key", JSONValue(number)), .init("forms", JSONValue(forms)),
            .init("finalForms", JSONValue(finalForms)), .init("webhooks", JSONValue(webhooks)),
        ])
    }
}

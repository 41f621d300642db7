import ArgumentParser

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List the keys of the secret file, or add one.",
        discussion: """
            Receipts, personal links, webhooks' secrets and the ids of submissions are derived from the keys in the \
            secret file. Every form and webhook keeps the key that was the newest when it was made. Sessions, API \
            tokens and passwords do not depend on the file.

            EXAMPLES
              afterword keys list
              afterword keys rotate --dry-run
              afterword keys rotate
            """,
        subcommands: [KeysListCommand.self, KeysRotateCommand.self])
}

import ArgumentParser
import HTTPAPI
import Store
import StrictJSON

struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version.",
        discussion: """
            EXAMPLES
              afterword version
              afterword version --json | jq -r .libpq
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try StandardStreams.requireOutput()
        if json {
            Terminal.print(
                .object([
                    .init("afterword", .string(ProgramVersion.current)),
                    .init("libpq", .string(DatabaseFacts.libraryVersion)),
                    .init("oldestPostgreSQL", JSONValue(DatabaseFacts.oldestMajor)),
                ]))
        } else {
            Terminal.print("afterword \(ProgramVersion.current)")
        }
    }
}

import ArgumentParser
import Foundation
import Store
import StrictJSON

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database's schema up to date.",
        discussion: """
            Steps run one at a time, each in its own transaction, and two programs at once do not disturb each other. \
            `serve` does the same at its start.

            EXAMPLES
              afterword migrate --database-url postgres://owner@db.example.org/afterword
              afterword migrate --status
            """)

    @Flag(help: "Only show which steps have run, and when.")
    var status = false

    @Flag(help: "Answer in JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let onlyStatus = status
        let logger = Log.start(settings.commandLogLevel)
        let (steps, total) = try await Database.with(settings, creates: !onlyStatus, logger) { database in
            let ran = onlyStatus ? [] : try await Migrator().migrate(url: database.url)
            let all = try await Migrator().status(url: database.url)
            return (onlyStatus ? all : ran, all.count)
        }
        if json {
            Terminal.print(.object([.init(onlyStatus ? "migrations" : "ran", .array(steps.map(Self.json)))]))
        } else if onlyStatus {
            Terminal.print(
                Terminal.table(
                    steps.map { ["\($0.number)", $0.name, $0.appliedAt.map(RFC3339.format) ?? "pending"] }))
        } else if steps.isEmpty {
            Terminal.print("Nothing to do: all \(total) migrations have run.")
        } else {
            Terminal.print("Ran \(steps.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")).")
        }
    }

    private static func json(_ step: Migrator.Status) -> JSONValue {
        .object([
            .init("number", JSONValue(step.number)), .init("name", .string(step.name)),
            .init("appliedAt", JSONValue(step.appliedAt.map(RFC3339.format))),
        ])
    }
}

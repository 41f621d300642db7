import ArgumentParser
import Foundation
import Store
import StrictJSON

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database's schema up to date.",
        discussion: """
            Pending migrations run one at a time, each in its own transaction. Then every function whose text differs \
            from this program's is installed. It is safe to run this command twice at the same time. `serve` does the \
            same when it starts.

            With --citus, the database is the coordinator's of a Citus cluster: afterwards, tables are distributed \
            over its workers by form. Rows that they have are moved. docs/scaling.md describes the preparation.

            EXAMPLES
              afterword migrate --database-url postgres://owner@db.example.org/afterword
              afterword migrate --status
            """)

    @Flag(help: "Only show which migrations have run and when, and the state of the functions.")
    var status = false

    @Flag(help: "Also distribute the tables over the workers of a Citus cluster.")
    var citus = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func validate() throws {
        if citus, status { throw ValidationError("--citus and --status exclude each other.") }
    }

    func run() async throws {
        let settings = try options.settings()
        let (isStatusOnly, distributes) = (status, citus)
        let logger = Log.startCommand(settings)
        let (schema, total, isNew) = try await Database.with(settings, creates: !isStatusOnly, logger) { database in
            if distributes {
                let (ran, isNew) = try await Migrator().migrateAndDistribute(url: database.url)
                return (ran, try await Migrator().status(url: database.url).steps.count, isNew)
            }
            let ran = isStatusOnly ? nil : try await Migrator().migrate(url: database.url)
            let all = try await Migrator().status(url: database.url)
            return (ran ?? all, all.steps.count, false)
        }
        if json {
            var members: [JSONValue.Member] = [
                .init(isStatusOnly ? "migrations" : "ran", .array(schema.steps.map(Self.json))),
                .init("functions", .array(schema.functions.map(Self.json))),
            ]
            if citus { members.append(.init("distributed", .bool(isNew))) }
            Terminal.print(.object(members))
        } else if isStatusOnly {
            Terminal.print(
                Terminal.table(
                    schema.steps.map { ["\($0.number)", $0.name, $0.appliedAt.map(RFC3339.format) ?? "pending"] }
                        + schema.functions.map { ["", $0.name, Self.word($0.state)] }))
        } else if schema.steps.isEmpty && schema.functions.isEmpty {
            Terminal.print("Nothing to do: all \(total) migrations have run.")
        } else {
            if !schema.steps.isEmpty {
                Terminal.print("Ran \(schema.steps.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")).")
            }
            if !schema.functions.isEmpty {
                Terminal.print("Installed the functions \(schema.functions.map(\.name).joined(separator: ", ")).")
            }
        }
        if citus, !json {
            Terminal.print(isNew ? "Distributed the tables." : "The tables were already distributed.")
        }
    }

    private static func word(_ state: SchemaStatus.Function.State) -> String {
        switch state {
        case .current: "current"
        case .outdated: "pending"
        case .edited: "edited in the database"
        }
    }

    private static func json(_ function: SchemaStatus.Function) -> JSONValue {
        .object([.init("name", .string(function.name)), .init("state", .string("\(function.state)"))])
    }

    private static func json(_ step: SchemaStatus.Step) -> JSONValue {
        .object([
            .init("number", JSONValue(step.number)), .init("name", .string(step.name)),
            .init("appliedAt", JSONValue(step.appliedAt.map(RFC3339.format))),
        ])
    }
}

import ArgumentParser
import Domain
import Foundation
import Store
import StrictJSON

struct SeriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series",
        abstract: "List series with the ids that other commands take.",
        discussion: """
            EXAMPLES
              afterword series list
            """,
        subcommands: [SeriesListCommand.self])
}

struct SeriesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List up to 1,000 series, the newest first.",
        discussion: """
            A line has the id of the series for --series, the number of its rounds, the id of the newest round for \
            --meeting, the owner and the title.

            EXAMPLES
              afterword series list
              afterword series list --json | jq -r '.items[].id'
            """)

    private static let limit = 1_000

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        try StandardStreams.requireOutput()
        let settings = try options.settings()
        let series = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            try await store.series.lines(limit: Self.limit)
        }
        if json {
            Terminal.print(.object([.init("items", .array(series.map(Self.json)))]))
        } else if series.isEmpty {
            Terminal.printError("There are no series yet.")
        } else {
            Terminal.print(
                Terminal.table(
                    [["SERIES", "ROUNDS", "NEWEST MEETING", "OWNER", "TITLE"]]
                        + series.map {
                            [$0.id.lowercased, String($0.rounds), $0.latestID?.lowercased ?? "", $0.owner, $0.title]
                        }))
        }
    }

    private static func json(_ series: SeriesLine) -> JSONValue {
        .object([
            .init("id", .string(series.id.lowercased)), .init("title", .string(series.title)),
            .init("owner", .string(series.owner)), .init("rounds", JSONValue(series.rounds)),
            .init("latestId", JSONValue(series.latestID?.lowercased)),
            .init("latestAt", JSONValue(series.latestAt.map(RFC3339.format))),
        ])
    }
}

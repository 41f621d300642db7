import Foundation
import StrictJSON
import TestSupport
import Testing

/// The program with standard streams that the shell or a supervisor has closed.
@Suite(.timeLimit(.minutes(15))) struct ClosedStreams {
    private static let said = "The standard output is closed: redirect it, for example with > FILE.\n"

    @Test(arguments: [">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func closedStandardOutputIsRefused(_ closed: String) async throws {
        try await Workplace.using { place in
            for command in ["export meetings --all", "export meetings --all --format xlsx", "account list"] {
                let outcome = try await place.shell("afterword \(command) \(closed)")
                #expect(outcome.status == 1, "\(command)")
                #expect(outcome.errors == (closed.contains("2>") ? "" : Self.said), "\(command)")
            }
            let version = try await place.shell("'\(Program.path)' version \(closed)")
            #expect(version.status == 1 && version.output.isEmpty)
        }
    }

    @Test(arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func otherClosedStreamsAreIgnored(_ closed: String) async throws {
        try await Workplace.using { place in
            try await place.bringRatings()
            let whole = try await place.run(["export", "answers", "--all"])
            let outcome = try await place.shell("afterword export answers --all \(closed)")
            #expect(outcome.status == 0 && outcome.output == whole.output)
            let failed = try await place.shell("afterword export answers --meeting 7 \(closed)")
            #expect(failed.status == 2 && failed.output.isEmpty)
        }
    }

    /// An output file needs none of the three streams, and contains only its rows.
    @Test func fileIsWrittenWithoutStandardStreams() async throws {
        try await Workplace.using { place in
            try await place.bringRatings()
            let whole = try await place.run(["export", "answers", "--all"])
            let file = place.folder / "answers.csv"
            let outcome = try await place.shell("afterword export answers --all --output '\(file)' <&- >&- 2>&-")
            #expect(outcome.status == 0)
            #expect(place.folder.read("answers.csv") == whole.output)
        }
    }

    @Test func importFromAClosedInputIsRefused() async throws {
        try await Workplace.using { place in
            let map = Workplace.fixture("lecture_ratings.map.json")
            let outcome = try await place.shell(
                "afterword import - --map '\(map)' --host-email \(Workplace.email) <&-")
            #expect(outcome.status == 1)
            #expect(outcome.errors == "The standard input is closed, so there is nothing to read: name a file.\n")
        }
    }
}

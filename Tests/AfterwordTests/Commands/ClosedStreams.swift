import Foundation
import StrictJSON
import TestSupport
import Testing

/// The program with standard streams that the shell or a supervisor has closed.
@Suite(.timeLimit(.minutes(15))) struct ClosedStreams {
    private static let message = "The standard output is closed: redirect it, for example with > FILE.\n"

    @Test(arguments: [">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func closedStandardOutputIsRefused(_ closed: String) async throws {
        try await Workspace.using { workspace in
            for command in ["export meetings --all", "export meetings --all --format xlsx", "account list"] {
                let outcome = try await workspace.shell("afterword \(command) \(closed)")
                #expect(outcome.status == 1, "\(command)")
                #expect(outcome.errors == (closed.contains("2>") ? "" : Self.message), "\(command)")
            }
            let version = try await workspace.shell("'\(Program.path)' version \(closed)")
            #expect(version.status == 1 && version.output.isEmpty)
        }
    }

    @Test(arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func otherClosedStreamsAreIgnored(_ closed: String) async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let complete = try await workspace.run(["export", "answers", "--all"])
            let outcome = try await workspace.shell("afterword export answers --all \(closed)")
            #expect(outcome.status == 0 && outcome.output == complete.output)
            let failed = try await workspace.shell("afterword export answers --meeting 7 \(closed)")
            #expect(failed.status == 2 && failed.output.isEmpty)
        }
    }

    /// Writing a file needs none of the standard streams. The file contains only its rows.
    @Test func fileIsWrittenWithoutStandardStreams() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let complete = try await workspace.run(["export", "answers", "--all"])
            let file = workspace.folder / "answers.csv"
            let outcome = try await workspace.shell("afterword export answers --all --output '\(file)' <&- >&- 2>&-")
            #expect(outcome.status == 0)
            #expect(workspace.folder.read("answers.csv") == complete.output)
        }
    }

    @Test func importFromAClosedInputIsRefused() async throws {
        try await Workspace.using { workspace in
            let map = Workspace.fixture("lecture_ratings.map.json")
            let outcome = try await workspace.shell(
                "afterword import - --map '\(map)' --host-email \(Workspace.email) <&-")
            #expect(outcome.status == 1)
            #expect(outcome.errors == "The standard input is closed, so there is nothing to read: name a file.\n")
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import afterword

/// The drafts of output files: temporary files, which need a name if the file system does not support unnamed files.
@Suite struct AbandonedDrafts {
    private static func names(_ folder: TemporaryFolder) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    private static func write(_ text: String, to draft: TemporaryReplacement) {
        let bytes = Array(text.utf8)
        #expect(Foundation.write(draft.descriptor, bytes, bytes.count) == bytes.count)
    }

    @Test(arguments: [false, true]) func draftReplacesTheFileOrIsRemoved(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        for expected in ["first", "second"] {
            let file = folder / "table.csv"
            let draft = try #require(TemporaryReplacement(of: file, isNamed: isNamed))
            Self.write(expected, to: draft)
            #expect(folder.read("table.csv") == (expected == "first" ? "" : "first"))
            #expect(try Self.names(folder).count == (isNamed ? 1 : 0) + (expected == "first" ? 0 : 1))
            #expect(draft.replaceTarget())
            close(draft.descriptor)
            #expect(folder.read("table.csv") == expected)
            let discarded = try #require(TemporaryReplacement(of: file, isNamed: isNamed))
            Self.write("never", to: discarded)
            discarded.discard()
            #expect(folder.read("table.csv") == expected)
            #expect(try Self.names(folder) == ["table.csv"])
        }
    }

    @Test(arguments: [false, true]) func onlyTheOwnerMayReadANewFile(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        let file = folder / "attendance.csv"
        let draft = try #require(TemporaryReplacement(of: file, isNamed: isNamed))
        Self.write("name,email", to: draft)
        #expect(draft.replaceTarget())
        close(draft.descriptor)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func failedReplacementLeavesNoDraft() throws {
        for isNamed in [false, true] {
            let folder = try TemporaryFolder()
            let draft = try #require(TemporaryReplacement(of: folder / "table.csv", isNamed: isNamed))
            #expect(mkdir(folder / "table.csv", 0o755) == 0)
            #expect(!draft.replaceTarget() && errno == EISDIR)
            draft.discard()
            #expect(try Self.names(folder) == ["table.csv"])
        }
    }

    /// A killed program leaves its draft without a lock. The next export of the same file removes only its unlocked
    /// drafts.
    @Test func nextRunRemovesTheDraftOfAKilledRun() async throws {
        try await Workspace.using { workspace in
            for name in [
                ".table.csv.7.part", ".table.csv.18446744073709551615.part", ".other.csv.7.part",
                ".table.csv.mine.part", ".table.csv.7.part.txt", "table.csv.7.part", ".table.csv.-7.part",
            ] {
                _ = try workspace.folder.write("half", to: name)
            }
            let running = try #require(
                TemporaryReplacement(of: workspace.folder / "table.csv", isNamed: true, sweeps: false))
            defer { close(running.descriptor) }
            let before = try Self.names(workspace.folder)
            let outcome = try await workspace.run([
                "export", "meetings", "--all", "--output", workspace.folder / "table.csv",
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                try Self.names(workspace.folder)
                    == before.subtracting([".table.csv.7.part", ".table.csv.18446744073709551615.part"])
                    .union(["table.csv"]))
            #expect(running.replaceTarget(), "a draft that is being written is not removed")
        }
    }

    @Test func nextChartOfTheSameNameRemovesThePartialOne() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("half", to: ".01-pace.svg.7.part")
        let pictures = try PictureFolder(folder.path)
        try pictures.write(Array("<svg/>".utf8), to: "01-pace.svg")
        #expect(try Self.names(folder) == ["01-pace.svg"])
    }
}

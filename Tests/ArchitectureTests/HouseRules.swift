import Foundation
import Testing

@Suite struct HouseRules {
    static let longestFile = 350
    static let largestFolder = 20

    @Test func noFolderHasAGenericName() throws {
        let genericNames: Set = ["Utils", "Utilities", "Helpers", "Core", "Common", "Extensions", "Models"]
        for file in try SourceFile.all(in: ["Sources", "Tests", "SQL"]) {
            let folders = file.path.split(separator: "/").dropLast().map(String.init)
            #expect(genericNames.isDisjoint(with: folders), "\(file.path)")
        }
    }

    @Test func foldersHaveALimitedNumberOfFiles() throws {
        let files = try SourceFile.all(in: ["Sources", "Tests", "SQL"])
        let folders = Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
        for (folder, files) in folders { #expect(files.count <= Self.largestFolder, "\(folder)") }
    }

    @Test func filesHaveALimitedLength() throws {
        for file in try SourceFile.all(in: ["Sources", "Tests", "SQL"]) {
            #expect(file.lines.count <= Self.longestFile, "\(file.path)")
        }
    }

    @Test func uncheckedCodeHasAComment() throws {
        let uncheckedConstructs = ["@unchecked Sendable", "nonisolated(unsafe)", "unsafeSQL:"]
        let uncommented = try SourceFile.all(in: ["Sources", "SQL"]).filter {
            !$0.path.hasSuffix("Postgres/Statement.swift")
        }
        .flatMap { $0.occurrences(of: uncheckedConstructs) }.filter { !$0.hasComment }.map(\.description)
        #expect(uncommented == [])
    }

    @Test func sourcesContainNoTraps() throws {
        let traps = try SourceFile.all(in: ["Sources"]).flatMap {
            $0.occurrences(of: ["fatalError(", "try!", " as! "])
        }
        #expect(traps.map(\.description) == [])
    }

    @Test func sourcesContainNoOpenTasks() throws {
        let markers = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        let openTasks = try SourceFile.all(in: ["Sources", "Tests", "SQL"]).flatMap { file in
            file.lines.indices.filter { index in markers.contains { file.lines[index].contains("// \($0)") } }
                .map { SourceLine(file: file, index: $0).description }
        }
        #expect(openTasks == [])
    }
}

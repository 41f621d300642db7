import Foundation
import RegexBuilder

/// A Swift file of the project, split into lines.
struct SourceFile {
    /// The path from the project's root.
    let path: String
    let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The folder directly under `Sources`, which is named after its target.
    var target: String { String(path.split(separator: "/")[1]) }

    /// The imported modules. Attributes and access levels of the `import` lines are skipped.
    var imports: Set<String> {
        let attributes = /(?:@\S+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?/
        let kind = /(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?/
        let importLine = Regex {
            ZeroOrMore(.whitespace)
            attributes
            /import\s+/
            kind
            Capture(/\w+/)
        }
        return Set(lines.compactMap { $0.prefixMatch(of: importLine).map { String($0.output.1) } })
    }

    /// The lines that contain one of `patterns` outside of comments.
    func occurrences(of patterns: [String]) -> [SourceLine] {
        lines.indices.map { SourceLine(file: self, index: $0) }.filter { line in
            let index = line.index
            let code = lines[index].firstRange(of: "//").map { lines[index][..<$0.lowerBound] } ?? lines[index]
            return patterns.contains { code.contains($0) }
        }
    }

    /// The project's root, derived from the path of this file.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// All Swift files in the given folders of the project.
    static func all(in folders: [String]) throws -> [SourceFile] {
        try folders.flatMap { folder in
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root + "/" + folder)
            return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
                let path = folder + "/" + path
                return SourceFile(
                    path: path, text: try String(contentsOfFile: root + "/" + path, encoding: .utf8))
            }
        }
    }
}

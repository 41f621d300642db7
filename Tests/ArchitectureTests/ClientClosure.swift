import Foundation
import Testing

/// The dependencies of the client, which must not include the server.
@Suite struct ClientClosure {
    private static let targets = ["AfterwordClient", "Contract", "StrictJSON", "HTTPFetch"]
    private static let allowedImports: Set = [
        "AfterwordClient", "Contract", "StrictJSON", "HTTPFetch", "CCurl", "Foundation", "FoundationEssentials",
        "Synchronization",
    ]

    @Test func clientImportsNothingOfTheServer() throws {
        for file in try SourceFile.all(in: Self.targets.map { "Sources/\($0)" }) {
            #expect(file.imports.subtracting(Self.allowedImports) == [], "\(file.path)")
        }
    }

    @Test func manifestAddsNoDependencyOnTheServer() throws {
        let manifest = try String(contentsOfFile: SourceFile.root + "/Package.swift", encoding: .utf8)
        for target in Self.targets {
            let start = try #require(manifest.firstRange(of: Regex("library\\(\\s*\"\(target)\"")), "\(target)")
            let end = try #require(
                manifest[start.upperBound...].firstRange(of: /\n        (?:library|\.|tests|\n|\/\/)/))
            let names = manifest[start.upperBound..<end.lowerBound].matches(of: /(?:"(\w+)"|name: "(\w+)")/)
                .compactMap { $0.output.1 ?? $0.output.2 }.map(String.init)
            #expect(Set(names).subtracting(Self.allowedImports) == [], "\(target)")
        }
    }
}

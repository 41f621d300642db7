import Foundation
import Testing

/// The package manager lets a target import transitive dependencies, so these tests read the `import` lines.
@Suite struct TargetArrows {
    /// The project's own modules that each target may import.
    static let allowed: [String: Set<String>] = [
        "StrictJSON": [],
        "Contract": ["StrictJSON"],
        "Domain": ["StrictJSON"],
        "BlockingWork": [],
        "Cryptography": ["CCrypto", "CSodium", "BlockingWork"],
        "CSV": ["StrictJSON"],
        "Images": ["CGD", "BlockingWork"],
        "QRCodes": ["CQRencode", "CGD"],
        "Words": ["CICU"],
        "Spreadsheets": ["CZlib"],
        "HTTPFetch": ["CCurl"],
        "YAML": ["CYAML"],
        "Charts": ["Domain"],
        "SVGConversion": [],
        "Postgres": ["CLibPQ"],
        "Store": ["Postgres", "SQL", "Domain", "StrictJSON", "Cryptography", "Words", "BlockingWork"],
        "EmbeddedPostgres": [],
        "Mail": ["CCurl", "CMemoryFile", "Domain", "Store"],
        "Webhooks": ["Domain", "Store", "Cryptography", "BlockingWork", "HTTPFetch"],
        "Exports": ["Domain", "Store", "StrictJSON", "Cryptography", "Spreadsheets"],
        "Imports": ["CICU", "CSV", "Domain", "Store", "Exports", "StrictJSON", "Cryptography"],
        "Demo": ["Cryptography", "Domain", "Store", "StrictJSON"],
        "Backups": ["CMemoryFile", "Cryptography", "Postgres", "Store"],
        "HTTPServer": ["CZlib", "StrictJSON"],
        "HTTPAPI": [
            "HTTPServer", "Contract", "CSV", "Domain", "Store", "Exports", "StrictJSON", "Cryptography", "Images",
            "QRCodes", "Charts", "YAML", "BlockingWork", "Words",
        ],
        "WebPages": [
            "HTTPServer", "HTTPAPI", "Contract", "Domain", "Store", "StrictJSON", "Cryptography", "CZlib",
            "BlockingWork", "Exports", "Imports", "Charts", "QRCodes", "SVGConversion",
        ],
        "AfterwordClient": ["Contract", "StrictJSON", "HTTPFetch"],
    ]

    static let executable = "afterword"
    static let cTargets: Set = [
        "CLibPQ", "CSodium", "CCrypto", "CGD", "CQRencode", "CZlib", "CICU", "CMemoryFile", "CCurl", "CYAML",
        "CMalloc",
    ]

    @Test func everyTargetIsListed() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: SourceFile.root + "/Sources")
        let known = Set(Self.allowed.keys).union(Self.cTargets).union([Self.executable])
        #expect(Set(folders.filter { !$0.hasPrefix(".") }).subtracting(known) == [])
    }

    @Test func everyImportIsAllowed() throws {
        let ownModules = Set(Self.allowed.keys).union(Self.cTargets).union(["SQL", Self.executable])
        for file in try SourceFile.all(in: ["Sources"]) where file.target != Self.executable {
            let allowed = try #require(Self.allowed[file.target], "\(file.path)")
            #expect(file.imports.intersection(ownModules).subtracting(allowed) == [], "\(file.path)")
        }
    }

    @Test func schemaImportsNoOtherTarget() throws {
        let ownModules = Set(Self.allowed.keys).union(Self.cTargets)
        for file in try SourceFile.all(in: ["SQL"]) {
            #expect(file.imports.isDisjoint(with: ownModules), "\(file.path)")
        }
    }

    @Test func onlyTheOuterTargetsImportTheHTTPEngine() throws {
        let outermost: Set = ["HTTPServer", "HTTPAPI", "WebPages", Self.executable]
        for file in try SourceFile.all(in: ["Sources"]) where !outermost.contains(file.target) {
            let engine = file.imports.filter { $0.hasPrefix("Hummingbird") || $0.hasPrefix("NIO") }
            #expect(engine == [], "\(file.path)")
        }
    }

    @Test func noRouteImportsTheDatabase() throws {
        for file in try SourceFile.all(in: ["Sources/HTTPAPI"]) {
            #expect(file.imports.isDisjoint(with: ["Postgres", "CLibPQ", "SQL"]), "\(file.path)")
        }
    }

    @Test func onlyTheExecutableReadsTheEnvironment() throws {
        let patterns = ["ProcessInfo", "getenv(", "CommandLine.arguments", "environ["]
        let places = try SourceFile.all(in: ["Sources", "SQL"]).filter { $0.target != Self.executable }
            .flatMap { $0.occurrences(of: patterns) }.map(\.description)
        #expect(places == [])
    }

    @Test(arguments: [
        ("import Store", "Store"), ("@testable import Store", "Store"),
        ("    public import struct NIOCore.ByteBuffer", "NIOCore"),
        ("@preconcurrency import CLibPQ // why", "CLibPQ"), ("internal import Postgres", "Postgres"),
    ])
    func importsAreRecognizedInAllForms(line: String, module: String) {
        #expect(SourceFile(path: "Sources/X/Y.swift", text: "// head\n\(line)\nlet x = 1").imports == [module])
    }
}

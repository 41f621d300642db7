// swift-tools-version:6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// Library targets are optimised for the tests, test targets are not, because that takes longer than it saves. Unsafe
/// flags are a restriction for dependencies only, and nothing depends on tests.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, resources: resources,
        swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")

let apiTests: [Target.Dependency] = [
    "HTTPServer", "HTTPAPI", "Contract", "TestSupport", httpTypes, nioCore, logging, metrics,
]

let package = Package(
    name: "afterword",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .executable(name: "afterword", targets: ["afterword"]),
        .library(name: "AfterwordClient", targets: ["AfterwordClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // System libraries, installed by scripts/setup.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // Without pkgConfig: libgd's file contains a flag that the package manager rejects, and nothing that is needed.
        .systemLibrary(name: "CGD", providers: [.apt(["libgd-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        // Settings of the C library's allocator, which Swift's module of the C library lacks.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // C code: Swift doesn't see memfd_create, and can't import ICU's headers together with those of Foundation's ICU.
        .target(name: "CMemoryFile"),
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc"), .linkedLibrary("icui18n")]),

        // Values and rules without input and output.
        library("StrictJSON"),
        library("Contract", ["StrictJSON"]),
        library("Domain", ["StrictJSON"]),
        library("BlockingWork"),
        library("Cryptography", ["CCrypto", "CSodium", "BlockingWork"]),
        library("CSV", ["StrictJSON"]),
        library("Images", ["CGD", "BlockingWork"]),
        library("QRCodes", ["CQRencode", "CGD"]),
        library("Words", ["CICU"]),
        library("Spreadsheets", ["CZlib"]),
        library("HTTPFetch", ["CCurl"]),
        library("YAML", ["CYAML"]),
        library("Charts", ["Domain"]),
        library("SVGConversion", [subprocess, systemPackage]),

        // The database.
        library("Postgres", ["CLibPQ", logging]),
        .target(
            name: "SQL", path: "SQL",
            resources: [.embedInCode("migrations"), .embedInCode("functions")], swiftSettings: strict),
        library(
            "Store", ["Postgres", "SQL", "Domain", "StrictJSON", "Cryptography", "Words", "BlockingWork", logging]),
        library("EmbeddedPostgres", [logging, lifecycle, subprocess, systemPackage]),

        // Integrations.
        library("Mail", ["CCurl", "CMemoryFile", "Domain", "Store", logging, lifecycle, subprocess, systemPackage]),
        library(
            "Webhooks",
            [
                "Domain", "Store", "Cryptography", "BlockingWork", "HTTPFetch", logging, lifecycle,
            ]),
        library("Exports", ["Domain", "Store", "StrictJSON", "Cryptography", "Spreadsheets"]),
        library("Imports", ["CICU", "CSV", "Domain", "Store", "Exports", "StrictJSON", "Cryptography"]),
        library(
            "Backups", ["CMemoryFile", "Cryptography", "Postgres", "Store", subprocess, systemPackage]),
        library("Demo", ["Cryptography", "Domain", "Store", "StrictJSON"]),
        // The HTTP engine, which knows no route; the API; and the pages.
        library(
            "HTTPServer",
            [
                "CZlib", "StrictJSON", hummingbird, hummingbirdCore, httpTypes, nioCore, nioHTTP1, nioHTTPTypes,
                nioPosix, lifecycle, logging, metrics,
            ]),
        library(
            "HTTPAPI",
            [
                "HTTPServer", "Contract", "CSV", "Domain", "Store", "Exports", "StrictJSON", "Cryptography", "Images",
                "QRCodes", "Charts", "YAML", "BlockingWork", "Words", hummingbird, hummingbirdCore, httpTypes, nioCore,
                nioHTTP1, nioPosix, logging, metrics,
            ],
            resources: [.copy("Resources/openapi.yaml")]),

        library(
            "WebPages",
            [
                "HTTPServer", "HTTPAPI", "Contract", "Domain", "Store", "StrictJSON", "Cryptography", "CZlib",
                "BlockingWork", "Exports", "Imports", "Charts", "QRCodes", "SVGConversion", hummingbird,
                hummingbirdCore, httpTypes, nioCore, logging, mustache,
            ], resources: [.copy("Resources")]),

        // For apps and scripts. It does not depend on the server. Apple's platforms have URLSession.
        library(
            "AfterwordClient",
            ["Contract", "StrictJSON", .target(name: "HTTPFetch", condition: .when(platforms: [.linux]))]),

        .executableTarget(
            name: "afterword",
            dependencies: [
                "WebPages", "HTTPAPI", "HTTPServer", "Store", "Domain", "Backups", "Exports", "Imports", "Demo", "Mail",
                "Webhooks",
                "EmbeddedPostgres",
                "Cryptography", "Charts", "SVGConversion", "CMalloc", subprocess, systemPackage,
                "StrictJSON", argumentParser, logging, lifecycle, metrics, unixSignals, hummingbird, "YAML",
            ],
            swiftSettings: strict),

        // What `make bench WHAT=micro` counts. Never a part of the service.
        .executableTarget(
            name: "MicroBenchmarks",
            dependencies: ["Contract", "Domain", "Postgres", "Store", "StrictJSON"], path: "Benchmarks/micro",
            swiftSettings: strict),

        // Tests, on a real PostgreSQL.
        .target(
            name: "TestSupport",
            dependencies: [
                "CZlib", "Postgres", "SQL", "Store", "HTTPServer", "HTTPAPI", "HTTPFetch", "Contract", "Cryptography",
                "StrictJSON", "Domain",
                hummingbird, logging, lifecycle, nioCore, nioHTTP1, nioPosix,
            ],
            path: "Tests/Support", swiftSettings: strict),
        tests("StrictJSONTests", ["StrictJSON"]),
        tests("ContractTests", ["Contract", "StrictJSON"]),
        tests("DomainTests", ["Domain", "StrictJSON", "TestSupport"]),
        tests("BlockingWorkTests", ["BlockingWork", "TestSupport"]),
        tests("CryptographyTests", ["Cryptography"]),
        tests("QRCodesTests", ["QRCodes"]),
        tests("CSVTests", ["CSV"]),
        tests("WordsTests", ["Words"]),
        tests("YAMLTests", ["YAML"]),
        tests("SpreadsheetsTests", ["Spreadsheets", "StrictJSON", "TestSupport"]),
        tests("ChartsTests", ["Charts", "Domain", "SVGConversion", "TestSupport"]),
        tests("ImagesTests", ["Images"], resources: [.copy("Fixtures")]),
        tests("PostgresTests", ["Postgres", "TestSupport"]),
        tests("StoreTests", ["Store", "TestSupport"]),
        tests("EmbeddedPostgresTests", ["EmbeddedPostgres", "TestSupport", logging, lifecycle]),
        tests("MailTests", ["Mail", "Domain", "Store", "TestSupport", logging, lifecycle]),
        tests(
            "WebhooksTests",
            [
                "Webhooks", "Domain", "Store", "HTTPAPI", "Postgres", "Cryptography", "StrictJSON", "TestSupport",
                logging, lifecycle, nioCore, nioPosix,
            ]),
        tests(
            "AfterwordClientTests",
            ["AfterwordClient", "Contract", "Domain", "HTTPAPI", "Store", "StrictJSON", "Postgres", "TestSupport"]),
        tests("ExportsTests", ["Exports", "CSV", "Imports", "Postgres", "Spreadsheets", "TestSupport"]),
        tests("BackupsTests", ["Backups", "Cryptography", "Postgres", "Store", "TestSupport"]),
        tests("DemoTests", ["Demo", "Domain", "Postgres", "Store", "TestSupport"]),
        tests("ImportsTests", ["Imports", "CSV", "Exports", "TestSupport"], resources: [.copy("Fixtures")]),
        // The API's tests in four modules, because one of 19,000 lines takes minutes to build after each change.
        tests("HTTPAPITests", apiTests + [nioEmbedded, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1]),
        tests("AccountRouteTests", apiTests),
        tests("MeetingRouteTests", apiTests),
        tests("ResultRouteTests", apiTests),
        tests(
            "WebPagesTests",
            [
                "WebPages", "Contract", "HTTPServer", "HTTPAPI", "Imports", "Postgres", "Store", "StrictJSON",
                "TestSupport", logging, nioCore,
            ]),
        tests(
            "AfterwordTests",
            [
                "afterword", "Cryptography", "Domain", "EmbeddedPostgres", "HTTPFetch", "Mail", "Postgres",
                "TestSupport",
            ]),
        tests("HTTPFetchTests", ["HTTPFetch", "TestSupport", nioCore, nioPosix]),
        tests("ArchitectureTests", []),
    ]
)

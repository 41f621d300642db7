import ArgumentParser
import Foundation

/// The options of every command that uses the database or the data folder.
struct DataOptions: ParsableArguments {
    @Option(
        name: .customLong("database-url"),
        help: "The URL of the database (default: a private database in the data folder).")
    var databaseURL: String?

    @Option(help: "The data folder (default: ./.afterword; as root /var/lib/afterword).")
    var data: String?

    @Option(
        help: """
            The file with the keys from which ids, receipts and tokens are derived (default: secret in the data folder).
            """)
    var secretFile: String?

    @Option(
        help: "A YAML or JSON file with settings such as `port: 8080`; flags and AFTERWORD_… variables take precedence."
    )
    var config: String?

    @Option(
        help:
            "The lowest level that is logged: trace, debug, info, notice, warning, error or critical (default: notice)."
    )
    var logLevel: String?

    @Option(help: "The format of the log: text, or json for one JSON object a line (default: text).")
    var logFormat: String?

    var flags: [Setting: String] {
        let all: [Setting: String?] = [
            .databaseURL: databaseURL, .data: data, .secretFile: secretFile, .logLevel: logLevel,
            .logFormat: logFormat,
        ]
        return all.compactMapValues { $0 }
    }

    /// Returns the settings from these flags, other flags of the command, the environment, the settings file and the
    /// defaults.
    func settings(merging otherFlags: [Setting: String] = [:]) throws(Failure) -> Settings {
        let texts = try SettingTexts(
            flags: flags.merging(otherFlags) { $1 }, config: config, environment: ProcessInfo.processInfo.environment,
            defaults: Settings.defaults(isRoot: geteuid() == 0))
        return try Settings(texts)
    }
}

/// A URL or `key=value` string that names a database.
enum DatabaseURL {
    static let sample = "postgres://user@host:5432/name"

    static func isPlausible(_ text: String) -> Bool {
        isURL(text) || text.contains("=")
    }

    static func isURL(_ text: String) -> Bool {
        ["postgres://", "postgresql://"].contains(where: text.hasPrefix)
    }

    /// The URL without its password, which can be in `user:password@`, in the query, or in a `key=value` string.
    ///
    /// In a URL, everything from the first colon after `//` to the last `@` is masked, because a password can contain
    /// these characters.
    static func masked(_ url: String) -> String {
        url.replacing(/^(?<head>postgres(?:ql)?:\/\/[^:@\/?]*):.*@/) { "\($0.head):****@" }
            .replacing(/(?i)(?<key>(?:ssl)?password\s*=\s*)(?:'(?:[^'\\]|\\.)*'?|[^\s&]*)/) { "\($0.key)****" }
    }
}

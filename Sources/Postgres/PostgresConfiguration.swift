import Logging

/// The address of the database and the settings of its connections.
public struct PostgresConfiguration: Sendable {
    /// A URL or `key=value` string in libpq's format. It is passed to libpq unchanged, with all its options.
    public var url: String
    public var applicationName: String
    /// Run in order on every new connection before its first use.
    public var onConnect: [Statement] = []
    /// Used if the URL has no `connect_timeout`. libpq rounds to whole seconds, at least two.
    public var connectTimeout: Duration = .seconds(5)
    /// Turn off for a proxy that switches servers between transactions.
    public var preparesStatements = true
    public var logger: Logger

    public init(
        url: String, applicationName: String = "afterword", logger: Logger = Logger(label: "afterword.postgres")
    ) {
        self.url = url
        self.applicationName = applicationName
        self.logger = logger
    }
}

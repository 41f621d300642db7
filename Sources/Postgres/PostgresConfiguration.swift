import Logging

/// Where the database is and how its connections begin.
public struct PostgresConfiguration: Sendable {
    /// A URL or `key=value` string as libpq defines it; it is handed over as it is, with all its options.
    public var url: String
    public var applicationName: String
    /// Run on every new connection, in order, before anybody gets it.
    public var onConnect: [Statement] = []
    /// Used when the URL has no `connect_timeout`; libpq counts in whole seconds, at least two.
    public var connectTimeout: Duration = .seconds(5)
    /// Off for a proxy that changes servers between transactions.
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

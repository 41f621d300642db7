import Logging

/// The address of the database and the settings of its connections.
public struct PostgresConfiguration: Sendable {
    /// A URL or `key=value` string in libpq's format. It is passed to libpq unchanged, with all its options.
    public var url: String
    public var applicationName: String
    /// The statements to run, in order, on every new connection.
    public var onConnect: [Statement] = []
    /// Whether statements are prepared on the server. Turn this off for a proxy that changes servers between
    /// transactions.
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

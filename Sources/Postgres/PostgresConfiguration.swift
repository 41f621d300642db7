import Logging

/// The address of the database and the settings of its connections.
public struct PostgresConfiguration: Sendable {
    /// A URL or `key=value` string in libpq's format. It is passed to libpq unchanged, with all its options.
    public var url: String
    public var applicationName: String
    /// The statements to run, in order, on every new connection. They need `keepsSession`.
    public var onConnect: [Statement] = []
    /// Whether the server keeps the state of a session, such as settings and prepared statements. Turn this off for a
    /// proxy that changes servers between transactions, such as PgBouncer. Statements are then not prepared.
    public var keepsSession = true
    public var logger: Logger

    public init(
        url: String, applicationName: String = "afterword", logger: Logger = Logger(label: "afterword.postgres")
    ) {
        self.url = url
        self.applicationName = applicationName
        self.logger = logger
    }
}

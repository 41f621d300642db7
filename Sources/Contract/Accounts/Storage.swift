#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the service's database takes, and what waits in it to be sent.
public struct Storage: Codable, Sendable, Equatable {
    public struct Table: Codable, Sendable, Equatable {
        public var name: String
        /// With its indexes and long values.
        public var bytes: Int
        /// An estimate; nil where the table was never analysed.
        @ExplicitNull public var rows: Int?

        public init(name: String, bytes: Int, rows: Int? = nil) {
            self.name = name
            self.bytes = bytes
            self.rows = rows
        }
    }

    public struct Queue: Codable, Sendable, Equatable {
        public var waiting: Int
        /// Since when the one that waits longest does.
        @ExplicitNull public var oldest: Date?

        public init(waiting: Int, oldest: Date? = nil) {
            self.waiting = waiting
            self.oldest = oldest
        }
    }

    public struct Submissions: Codable, Sendable, Equatable {
        /// Nil where there is not even an estimate.
        @ExplicitNull public var count: Int?
        /// Whether it was counted; among very many forms it is an estimate.
        public var exact: Bool

        public init(count: Int?, exact: Bool) {
            self.count = count
            self.exact = exact
        }
    }

    /// The version of the program that answers.
    public var program: String
    /// The version of the database's server.
    public var postgres: String
    /// All of the database; nil where the service's user may not ask for it.
    @ExplicitNull public var databaseBytes: Int?
    /// The service's own, the largest first, at most fifty.
    public var tables: [Table]
    /// Mails.
    public var outbox: Queue
    /// What webhooks are to be told.
    public var deliveries: Queue
    public var submissions: Submissions
    /// With those in the trash.
    public var meetings: Int

    public init(
        program: String, postgres: String, databaseBytes: Int?, tables: [Table], outbox: Queue, deliveries: Queue,
        submissions: Submissions, meetings: Int
    ) {
        self.program = program
        self.postgres = postgres
        self.databaseBytes = databaseBytes
        self.tables = tables
        self.outbox = outbox
        self.deliveries = deliveries
        self.submissions = submissions
        self.meetings = meetings
    }
}

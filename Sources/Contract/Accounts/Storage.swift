import Foundation

/// The disk space that the database uses, and the lengths of the queues.
public struct Storage: Codable, Sendable, Equatable {
    public struct Table: Codable, Sendable, Equatable {
        public var name: String
        /// Includes indexes and TOAST.
        public var bytes: Int
        /// An estimate. Nil if the table was never analyzed.
        @ExplicitNull public var rows: Int?

        public init(name: String, bytes: Int, rows: Int? = nil) {
            self.name = name
            self.bytes = bytes
            self.rows = rows
        }
    }

    public struct Queue: Codable, Sendable, Equatable {
        public var waiting: Int
        /// The time at which the oldest waiting entry was queued.
        @ExplicitNull public var oldest: Date?

        public init(waiting: Int, oldest: Date? = nil) {
            self.waiting = waiting
            self.oldest = oldest
        }
    }

    public struct Submissions: Codable, Sendable, Equatable {
        /// Nil if there is not even an estimate.
        @ExplicitNull public var count: Int?
        /// Whether `count` is exact. With very many forms it is an estimate.
        public var exact: Bool

        public init(count: Int?, exact: Bool) {
            self.count = count
            self.exact = exact
        }
    }

    /// The version of the running program.
    public var program: String
    /// The version of the PostgreSQL server.
    public var postgres: String
    /// The size of the whole database. Nil if the service's role may not query it.
    @ExplicitNull public var databaseBytes: Int?
    /// The service's own tables, largest first, at most 50.
    public var tables: [Table]
    /// Mails to send.
    public var outbox: Queue
    /// Webhook deliveries to send.
    public var deliveries: Queue
    public var submissions: Submissions
    /// Includes meetings in the trash.
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

import Domain
import Foundation
import Postgres

/// How long the service keeps its trash and the answers to closed forms. The settings of the instance that was started
/// last apply to all instances on a database.
public struct RetentionSettings: Sendable, Equatable {
    /// The days after which meetings and series in the trash are deleted permanently.
    public var trashDays: Int
    /// The longest retention that a series may have, and the retention of series without one of their own. Nil for no
    /// limit.
    public var limitDays: Int?

    public init(trashDays: Int = 30, limitDays: Int? = nil) {
        self.trashDays = trashDays
        self.limitDays = limitDays
    }

    /// Reads the settings of a migrated database, for commands that have not opened a store.
    public static func read(url: String) async throws -> RetentionSettings {
        try await Connection.with(PostgresConfiguration(url: url)) { try await read(on: $0).settings }
    }

    /// The stored settings, and the time since which the limit has been in force.
    typealias Stored = (settings: RetentionSettings, limitSince: Date?)

    static func read(on connection: Connection) async throws -> Stored {
        let row = try await connection.query("SELECT trash_days, limit_days, limit_since FROM retention_settings")
            .single()
        let (trashDays, limitDays, since) = try row.decode(Int.self, Int?.self, Date?.self)
        return (RetentionSettings(trashDays: trashDays, limitDays: limitDays), since)
    }
}

extension Store {
    /// The maximum number of forms whose retention is recorded in one of the bounded transactions.
    private static let formsPerTransaction = 500

    /// Stores the settings of this instance and returns whether they differed from those stored before.
    ///
    /// Everything that is already in the trash keeps the date of its permanent deletion. A form keeps the shortest
    /// retention that it has shown to participants, even if the new limit is longer or there is none.
    @discardableResult
    public func apply(_ settings: RetentionSettings) async throws -> Bool {
        while true {
            let stored = try await pool.withConnection { try await RetentionSettings.read(on: $0).settings }
            guard stored != settings else { return false }
            if stored.limitDays != settings.limitDays {
                // Bounded transactions record most of the forms first. The last transaction, which changes the limit,
                // then has few forms left to record.
                while try await pool.transaction({ try await Self.recordLimit(on: $0) }) == Self.formsPerTransaction {}
            }
            let isApplied = try await pool.transaction { connection in
                try await connection.query("SELECT 1 FROM retention_settings FOR UPDATE")
                // Another instance may have been started meanwhile.
                let current = try await RetentionSettings.read(on: connection)
                guard current.settings == stored else { return false }
                try await Self.replace(current, by: settings, on: connection)
                return true
            }
            if isApplied { return true }
        }
    }

    private static func replace(
        _ stored: RetentionSettings.Stored, by settings: RetentionSettings, on connection: Connection
    ) async throws {
        try await connection.execute("UPDATE retention_settings SET trash_days = \(Int32(settings.trashDays))")
        guard stored.settings.limitDays != settings.limitDays else { return }
        let since: Statement = settings.limitDays == nil ? "NULL" : "now()"
        try await connection.execute(
            """
            UPDATE retention_settings SET limit_days = \(settings.limitDays.map { Int32($0) }),
                limit_since = \(fragment: since)
            """)
        let forms = try await formsKeepingTheLimit(stored, on: connection)
        try await FormRetention.record(forms, stored.settings.limitDays, on: connection)
    }

    /// Records the current limit for some of the forms that have to keep it, and returns their number.
    private static func recordLimit(on connection: Connection) async throws -> Int {
        let stored = try await RetentionSettings.read(on: connection)
        let forms = Array(try await formsKeepingTheLimit(stored, on: connection).prefix(formsPerTransaction))
        try await FormRetention.record(forms, stored.settings.limitDays, on: connection)
        return forms.count
    }

    private static func formsKeepingTheLimit(
        _ stored: RetentionSettings.Stored, on connection: Connection
    ) async throws -> [UUID] {
        guard let days = stored.settings.limitDays, let since = stored.limitSince else { return [] }
        return try await FormRetention.formsKeeping(days, since: since, among: "true", on: connection)
    }
}

import Logging
import Postgres

/// The clean-ups that failed. Each failure is logged, and all other clean-ups have run.
public struct SweepFailure: Error, Sendable, CustomStringConvertible {
    /// The names of the clean-ups.
    public var parts: [String]

    public var description: String { "expired rows were not deleted: \(parts.joined(separator: ", "))" }
}

extension Store {
    private typealias Part = (name: String, run: @Sendable () async throws -> Void)

    /// Deletes expired rows. Each part is a statement of its own and runs even if others fail; several instances may
    /// sweep at the same time. Throws `SweepFailure` if any part failed.
    public func sweep() async throws {
        var failed: [String] = []
        for part in parts {
            do {
                try await part.run()
            } catch {
                if Task.isCancelled { throw error }
                logger.warning("Deleting expired rows failed", metadata: ["part": "\(part.name)", "error": "\(error)"])
                failed.append(part.name)
            }
        }
        guard failed.isEmpty else { throw SweepFailure(parts: failed) }
    }

    private var parts: [Part] {
        let statements: [(name: String, statement: Statement)] =
            Outbox.sweeps + WebhookQueue.sweeps + [
                ("registration", "DELETE FROM registration WHERE expires_at < now() - interval '1 day'"),
                ("password_reset", "DELETE FROM password_reset WHERE expires_at < now() - interval '1 day'"),
                ("token", "DELETE FROM token WHERE expires_at < now() - interval '30 days'"),
                ("share", Shares.sweep),
                ("live_ticket", "DELETE FROM live_ticket WHERE expires_at < now()"),
            ]
        let deletions = statements.map { [pool] name, statement -> Part in
            (name, { @Sendable in try await pool.execute(statement) })
        }
        let others: [Part] = [
            ("meetings in the trash", { try await self.purgeMeetings() }),
            ("series in the trash", { try await self.purgeSeries() }),
            ("image", { try await self.meetingImages.sweep() }),
        ]
        return deletions + others
    }
}

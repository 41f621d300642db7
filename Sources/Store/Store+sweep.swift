import Postgres

extension Store {
    /// Takes away what has had its time. Each part is a statement of its own, so that none holds locks for the others;
    /// several instances may do it at once.
    public func sweep() async throws {
        try await outbox.sweep()
        try await webhookQueue.sweep()
        try await pool.execute("DELETE FROM registration WHERE expires_at < now() - interval '1 day'")
        try await pool.execute("DELETE FROM password_reset WHERE expires_at < now() - interval '1 day'")
        try await pool.execute("DELETE FROM token WHERE expires_at < now() - interval '30 days'")
        try await shares.sweep()
        try await pool.execute("DELETE FROM live_ticket WHERE expires_at < now()")
        _ = try await purgeTrash()
        try await meetingImages.sweep()
    }
}

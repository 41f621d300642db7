import Postgres

extension Store {
    /// The URLs with which a service logs in as `afterword_app` and as `afterword_owner`, for a cluster of its own.
    ///
    /// Neither role is a superuser or may become one, so that a statement injected by an attacker can do no more than
    /// the service itself.
    public struct Logins: Sendable {
        let app: String
        let owner: String

        public init(app: String, owner: String) {
            self.app = app
            self.owner = owner
        }

        /// Lets the roles log in, unless they already can. `afterword_owner` also gets the rights with which it makes
        /// anonymous forms final: it reads which transactions are running, and removes old segments of the write-ahead
        /// log.
        ///
        /// - Parameter connection: A connection of a superuser.
        func allow(on connection: Connection) async throws {
            let rows = try await connection.query(
                """
                SELECT bool_and(rolcanlogin) AND bool_or(pg_has_role(oid, 'pg_checkpoint', 'USAGE') AND NOT rolsuper)
                FROM pg_roles WHERE rolname IN ('afterword_app', 'afterword_owner')
                """)
            if try rows.single().decode(Bool?.self) == true { return }
            try await connection.script(
                """
                BEGIN;
                ALTER ROLE afterword_app LOGIN;
                ALTER ROLE afterword_owner LOGIN;
                GRANT pg_read_all_stats, pg_checkpoint TO afterword_owner;
                GRANT EXECUTE ON FUNCTION pg_switch_wal() TO afterword_owner;
                COMMIT;
                """)
        }
    }
}

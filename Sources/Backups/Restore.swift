import Foundation
import Postgres
import Store

/// Restores a backup into an empty database, completely or not at all.
///
/// The caller opens the database afterwards, which brings an older schema up to date, and recounts it.
public struct Restore: Sendable {
    let backup: BackupContents
    let url: String
    let search: String
    let programMajor: Int

    /// - Parameters:
    ///   - search: Additional folders in which to look for `pg_restore`, in the format of `PATH`.
    ///   - programMajor: The minimum major version of `pg_restore`, if it is higher than that of the backup's server.
    public init(_ backup: BackupContents, url: String, search: String, programMajor: Int = 0) {
        self.backup = backup
        self.url = url
        self.search = search
        self.programMajor = programMajor
    }

    /// Throws unless the database is empty and can hold the backup. Changes nothing.
    public func requireSuitableDatabase() async throws {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            if let table = try await RestoredDatabase.anyTable(connection) {
                throw BackupError.databaseNotEmpty(table: table)
            }
            let facts = try await DatabaseFacts.read(on: connection)
            guard facts.serverMajor >= backup.manifest.postgresMajor else {
                throw BackupError.olderServer(backup: backup.manifest.postgresMajor, server: facts.serverMajor)
            }
        }
        let newest = Migrator().newestNumber
        guard backup.manifest.migration <= newest else {
            throw BackupError.newerSchema(migration: backup.manifest.migration, newest: newest)
        }
    }

    /// Restores the tables and checks the number of their rows.
    public func run() async throws {
        try await requireSuitableDatabase()
        let keepsOwners = try await Connection.with(PostgresConfiguration(url: url)) { connection in
            if backup.manifest.hasRoles { try await connection.script(Self.roles) }
            let mayUseRoles = try await RestoredDatabase.mayUseRoles(connection)
            guard backup.manifest.hasRoles || !mayUseRoles else { throw BackupError.rolesDiffer }
            return backup.manifest.hasRoles && mayUseRoles
        }
        let program = try await PostgresProgram.find(
            "pg_restore", atLeast: max(backup.manifest.postgresMajor, programMajor), search: search)
        let nextPart = try backup.plainText()
        let ownerOptions = keepsOwners ? [] : ["--no-owner", "--no-acl"]
        // Without `--single-transaction`, an interrupted restore would leave some of the tables behind.
        try await program.run(
            ["--single-transaction", "--exit-on-error", "--dbname=service=\(ServiceFile.name)"] + ownerOptions,
            url: url,
            options: Self.options, input: nextPart)
        // Restored tables have no statistics.
        async let analysis: Void = Connection.with(PostgresConfiguration(url: url)) { try await $0.script("ANALYZE") }
        let rows = try await Connection.with(PostgresConfiguration(url: url)) { try await RestoredDatabase.rows($0) }
        for (table, expected) in backup.manifest.rows.sorted(by: { $0.key < $1.key }) {
            let found = rows[table] ?? 0
            guard found == expected else {
                throw BackupError.rowsDiffer(table: table, expected: expected, found: found)
            }
        }
        try await analysis
    }

    /// With more memory than the default of 64 MB, PostgreSQL sorts the rows of a large index without temporary files.
    private static let options = "-c maintenance_work_mem=256MB"

    /// Creates the roles, which belong to the whole cluster and so are in no dump, if the user may do that. The first
    /// migration, which has already run in the backup, does the same.
    private static let roles = """
        DO $$
        DECLARE
            v_role text;
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolcreaterole)) THEN
                RETURN;
            END IF;
            FOREACH v_role IN ARRAY ARRAY['afterword_owner', 'afterword_app'] LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = v_role) THEN
                    EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
                END IF;
                IF current_setting('server_version_num')::int >= 160000 THEN
                    EXECUTE format('GRANT %I TO CURRENT_USER WITH SET TRUE, INHERIT TRUE', v_role);
                ELSE
                    EXECUTE format('GRANT %I TO CURRENT_USER', v_role);
                END IF;
            END LOOP;
        END
        $$
        """
}

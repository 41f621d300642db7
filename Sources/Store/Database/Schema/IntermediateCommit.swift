import Postgres

/// How a migration commits a step that is followed by others.
///
/// PostgreSQL writes commits to disk in order. The flush at the last commit therefore makes all earlier ones durable,
/// and a crash before it leaves the database as it was after one of the steps. With Citus, however, every commit is
/// flushed: otherwise the workers could keep a step that the coordinator has lost.
enum IntermediateCommit {
    case flushed
    case flushedByLastCommit

    static func choose(on connection: Connection) async throws -> IntermediateCommit {
        let hasCitus = try await connection.query("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')")
            .single().decode(Bool.self)
        return hasCitus ? .flushed : .flushedByLastCommit
    }

    /// The statement for the beginning of the transaction.
    var setting: String {
        switch self {
        case .flushed: ""
        case .flushedByLastCommit: "SET LOCAL synchronous_commit = off;"
        }
    }
}

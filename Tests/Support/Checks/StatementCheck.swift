import Postgres
import SQL
import Synchronization

/// Refuses statements that Citus would refuse (`CitusRules`), on plain PostgreSQL too. Every test on a store ends with
/// this check of the statements that all stores of the process have sent so far.
public enum StatementCheck {
    private struct State {
        var known: Set<String> = []
        var unchecked: [String] = []
    }

    private static let state = Mutex(State())

    private static let collecting: Void = StatementInspection.start { sql in
        state.withLock { state in
            if state.known.insert(sql).inserted { state.unchecked.append(sql) }
        }
    }

    public static let rules = CitusRules(
        referenceTables: Distribution.referenceTables + ["listed_attendee"], dataTables: Distribution.dataTables,
        localTables: Distribution.localTables)

    /// Collects the statements of the process from now on.
    static func begin() { _ = collecting }

    /// Throws if one of the new statements breaks a rule.
    static func check() throws {
        let statements = state.withLock { state in
            let new = state.unchecked
            state.unchecked = []
            return new
        }
        let broken = statements.compactMap { sql in
            rules.violations(of: sql).first.map { "\($0): \(sql)" }
        }
        guard broken.isEmpty else {
            throw TestStore.Missing("statements that Citus accepts: \(broken.joined(separator: "\n"))")
        }
    }
}

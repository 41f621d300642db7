import Synchronization

/// Lets tests see the SQL of every statement that connections send. In production, there is no inspector.
public enum StatementInspection {
    /// A value of its own, because a function that is stored in a generic type gets another layer each time it is read.
    private struct Inspector: Sendable {
        var inspect: @Sendable (String) -> Void
    }

    private static let inspector = Mutex<Inspector?>(nil)
    private static let isOn = Atomic<Bool>(false)

    /// - Parameter inspect: Called with each statement before it is sent, on the thread of its connection. It must not
    ///   block.
    public static func start(_ inspect: @escaping @Sendable (_ sql: String) -> Void) {
        inspector.withLock { $0 = Inspector(inspect: inspect) }
        isOn.store(true, ordering: .releasing)
    }

    static func note(_ statement: Statement) {
        guard isOn.load(ordering: .acquiring) else { return }
        inspector.withLock { $0 }?.inspect(statement.sql)
    }
}

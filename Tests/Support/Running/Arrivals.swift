import Synchronization

/// Counts events of tasks that run at the same time.
public final class Arrivals: Sendable {
    private let arrived = Atomic(0)

    public init() {}

    public var count: Int { arrived.load(ordering: .relaxed) }

    public func add() { arrived.add(1, ordering: .relaxed) }
}

import Synchronization

/// Numbers appended by concurrent tasks, in order.
final class Record: Sendable {
    private let list = Mutex<[Int]>([])

    var numbers: [Int] { list.withLock { $0 } }
    var count: Int { numbers.count }

    /// Returns the new count.
    @discardableResult func append(_ number: Int = 0) -> Int {
        list.withLock { list in
            list.append(number)
            return list.count
        }
    }
}

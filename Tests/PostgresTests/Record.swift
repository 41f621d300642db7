import Synchronization

/// Numbers noted by concurrent tasks, in the order of the noting.
final class Record: Sendable {
    private let list = Mutex<[Int]>([])

    var numbers: [Int] { list.withLock { $0 } }
    var count: Int { numbers.count }

    /// Gives how many there are now.
    @discardableResult func append(_ number: Int = 0) -> Int {
        list.withLock { list in
            list.append(number)
            return list.count
        }
    }
}

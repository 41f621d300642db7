import Synchronization

/// Numbers that concurrent tasks append, in the order in which they were appended.
final class NumberLog: Sendable {
    private let list = Mutex<[Int]>([])

    var numbers: [Int] { list.withLock { $0 } }
    var count: Int { numbers.count }

    /// Returns the new count. Where only the count matters, the number is 0.
    @discardableResult func append(_ number: Int = 0) -> Int {
        list.withLock { list in
            list.append(number)
            return list.count
        }
    }
}

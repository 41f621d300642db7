import Synchronization

/// The keys of a ring, including those that are added to its file later.
///
/// A rotation adds a key while instances are running. They read the file again when a form or webhook uses a key that
/// they do not have.
final class SharedKeys: Sendable {
    private struct State {
        var keys: [Int: [UInt8]]
        /// The earliest time of the next read of the file, so that an unknown key does not cause a read for every
        /// request.
        var nextReading = ContinuousClock.now
    }

    private static let pause: Duration = .seconds(1)

    private let path: String?
    private let state: Mutex<State>

    /// - Parameter path: The file of the keys; nil if there is none.
    init(_ keys: [Int: [UInt8]], path: String?) {
        self.path = path
        state = Mutex(State(keys: keys))
    }

    var numbers: [Int] { state.withLock { $0.keys.keys.sorted() } }

    /// The key with this number; nil if the file did not contain it when it was last read, at most a second ago.
    subscript(number: Int) -> [UInt8]? {
        state.withLock { state in
            if let key = state.keys[number] { return key }
            guard let path, ContinuousClock.now >= state.nextReading else { return nil }
            state.nextReading = ContinuousClock.now + Self.pause
            // A file with other keys under the same numbers belongs to another database.
            guard let keys = try? KeyRing.read(path), state.keys.allSatisfy({ keys[$0.key] == $0.value }) else {
                return nil
            }
            state.keys = keys
            return keys[number]
        }
    }
}

import Synchronization

/// The places of submissions that are waiting or being written.
///
/// In the last quarter of the places, one client address gets at most a quarter. So thousands of connections of one
/// address leave places for others. The other places are not limited, because a whole hall may share an address.
final class IntakePlaces: Sendable {
    /// A place, which has to be freed once.
    struct Place: Sendable {
        /// The address for which the place is counted; nil for one that is not limited.
        fileprivate let address: String?
    }

    /// The number of places.
    let count: Int
    private let unlimited: Int
    private let limitOfAddress: Int
    private let taken = Atomic<Int>(0)
    private let takenOfAddresses = Mutex<[String: Int]>([:])

    init(_ count: Int) {
        let limited = count / 4
        self.count = count
        unlimited = count - limited
        limitOfAddress = max(1, limited / 4)
    }

    /// The number of places that are taken.
    var takenCount: Int { taken.load(ordering: .relaxed) }

    /// Returns nil if there is no place for the client.
    ///
    /// - Parameter client: The address of the client, which is needed only if most places are taken. Nil for a
    ///   submission without a client, which may take any place.
    func take(for client: (@Sendable () -> String)?) -> Place? {
        let number = taken.add(1, ordering: .relaxed).newValue
        if number <= unlimited { return Place(address: nil) }
        if number <= count {
            guard let address = client?() else { return Place(address: nil) }
            if take(of: address) { return Place(address: address) }
        }
        taken.subtract(1, ordering: .relaxed)
        return nil
    }

    private func take(of address: String) -> Bool {
        takenOfAddresses.withLock { taken in
            guard taken[address, default: 0] < limitOfAddress else { return false }
            taken[address, default: 0] += 1
            return true
        }
    }

    func free(_ place: Place) {
        taken.subtract(1, ordering: .relaxed)
        guard let address = place.address else { return }
        takenOfAddresses.withLock { taken in
            taken[address, default: 1] -= 1
            if taken[address] == 0 { taken[address] = nil }
        }
    }
}

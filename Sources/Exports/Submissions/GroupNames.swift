/// The keys and option ids of a table's column groups as bytes, computed once for the encoders of all forms.
struct GroupNames: Sendable {
    /// The option ids of each group.
    let options: [[[UInt8]]]
    /// The keys with their groups, in the order of `jsonb`: by length, then by bytes.
    private let keys: [(bytes: [UInt8], group: Int)]

    init(_ groups: [ColumnGroup]) {
        options = groups.map { group in group.options.map { Array($0.utf8) } }
        keys = groups.enumerated().map { (Array($1.key.utf8), $0) }.sorted { left, right in
            left.0.count == right.0.count ? left.0.lexicographicallyPrecedes(right.0) : left.0.count < right.0.count
        }
    }

    /// Returns the group of a key and the key's position in the order of `jsonb`; nil if no group has the key.
    ///
    /// - Parameter expected: The position at which to look first.
    func find(_ key: UnsafeBufferPointer<UInt8>, expected: Int) -> (group: Int, position: Int)? {
        if expected < keys.count, Self.order(key, keys[expected].bytes) == 0 {
            return (keys[expected].group, expected)
        }
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            let order = Self.order(key, keys[middle].bytes)
            if order == 0 { return (keys[middle].group, middle) }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    /// Negative if the key precedes the other one, positive if it follows.
    private static func order(_ key: UnsafeBufferPointer<UInt8>, _ other: [UInt8]) -> Int {
        guard key.count == other.count else { return key.count - other.count }
        for index in other.indices where key[index] != other[index] { return Int(key[index]) - Int(other[index]) }
        return 0
    }
}

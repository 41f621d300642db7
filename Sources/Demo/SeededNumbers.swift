/// A generator that produces the same numbers for the same seed (SplitMix64: Steele, Lea, Flood, OOPSLA 2014), so that
/// a demo is reproducible.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns an approximately normal number with mean 0 and standard deviation 1: the sum of twelve uniform numbers,
    /// minus 6.
    mutating func bell() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }

    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// Returns an item with a probability proportional to its weight, or nil if there are no items.
    mutating func pick<Item>(_ items: [Item], weight: (Item) -> Double) -> Item? {
        var remaining = Double.random(in: 0..<1, using: &self) * items.map(weight).reduce(0, +)
        return items.first {
            remaining -= weight($0)
            return remaining < 0
        } ?? items.last
    }
}

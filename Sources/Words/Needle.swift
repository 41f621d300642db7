/// A search pattern for the Knuth–Morris–Pratt algorithm. The time is linear in the length of the text, even with many
/// partial matches.
struct Needle<Unit: FixedWidthInteger & Sendable>: Sendable {
    let units: [Unit]
    /// The failure function: for each matched length, the length of the longest proper prefix of the pattern that is
    /// also a suffix of the match.
    private let fallbacks: [Int]

    init(_ units: [Unit]) {
        self.units = units
        var fallbacks = [0, 0]
        fallbacks.reserveCapacity(units.count + 1)
        for unit in units.dropFirst() {
            var fallback = fallbacks[fallbacks.count - 1]
            while fallback > 0, units[fallback] != unit { fallback = fallbacks[fallback] }
            fallbacks.append(units[fallback] == unit ? fallback + 1 : 0)
        }
        self.fallbacks = fallbacks
    }

    func occurs(in text: [Unit]) -> Bool {
        guard text.count >= units.count else { return false }
        return text.withUnsafeBufferPointer { text in
            units.withUnsafeBufferPointer { units in
                fallbacks.withUnsafeBufferPointer { fallbacks in
                    guard let first = units.first else { return true }
                    var matchedCount = 0
                    for unit in text {
                        if matchedCount == 0 {
                            if unit != first { continue }
                            matchedCount = 1
                        } else {
                            while matchedCount > 0, units[matchedCount] != unit {
                                matchedCount = fallbacks[matchedCount]
                            }
                            if units[matchedCount] == unit { matchedCount += 1 }
                        }
                        if matchedCount == units.count { return true }
                    }
                    return false
                }
            }
        }
    }
}

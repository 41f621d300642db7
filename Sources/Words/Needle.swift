/// A search pattern for the Knuth–Morris–Pratt algorithm. The time is linear in the length of the text, even with many
/// partial matches.
struct Needle<Unit: FixedWidthInteger & Sendable>: Sendable {
    let units: [Unit]
    /// The failure function: for each matched length, the length of the longest proper prefix of the pattern that is
    /// also a suffix of the match.
    private let rests: [Int]

    init(_ units: [Unit]) {
        self.units = units
        var rests = [0, 0]
        rests.reserveCapacity(units.count + 1)
        for unit in units.dropFirst() {
            var rest = rests[rests.count - 1]
            while rest > 0, units[rest] != unit { rest = rests[rest] }
            rests.append(units[rest] == unit ? rest + 1 : 0)
        }
        self.rests = rests
    }

    func occurs(in text: [Unit]) -> Bool {
        guard text.count >= units.count else { return false }
        return text.withUnsafeBufferPointer { text in
            units.withUnsafeBufferPointer { units in
                rests.withUnsafeBufferPointer { rests in
                    guard let first = units.first else { return true }
                    var found = 0
                    for unit in text {
                        if found == 0 {
                            if unit != first { continue }
                            found = 1
                        } else {
                            while found > 0, units[found] != unit { found = rests[found] }
                            if units[found] == unit { found += 1 }
                        }
                        if found == units.count { return true }
                    }
                    return false
                }
            }
        }
    }
}

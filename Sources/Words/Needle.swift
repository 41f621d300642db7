/// What is looked for in texts by the method of Knuth, Morris and Pratt: each unit of a text is looked at once or twice,
/// also where the text is full of what almost is the needle.
struct Needle<Unit: FixedWidthInteger & Sendable>: Sendable {
    let units: [Unit]
    /// For each length of what was found, how much of it is found still when the next unit is another one: the longest
    /// end of it that is a beginning too.
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

    func stands(in text: [Unit]) -> Bool {
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

/// A generator whose numbers are the same for the same seed (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014).
public struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    /// A seed for this run, to be reported when a test fails.
    public static func freshSeed() -> UInt64 { .random(in: 0...999_999_999) }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func chance() -> Bool { .random(using: &self) }

    public mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    public mutating func one<T>(of values: [T]) -> T { values[int(0...values.count - 1)] }
}

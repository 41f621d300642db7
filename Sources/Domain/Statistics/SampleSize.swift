import Foundation

/// The size of the sample of a form's submissions that is read when reading all would take too long.
public struct SampleSize: Sendable, Equatable {
    /// The largest number of answers read, for 200 ms on two shared cores (docs/analysis.md). Reading a submission
    /// costs as much as four answers before its first answer is processed.
    public static let budget = 200_000
    private static let submissionCost = 4

    /// The exponent: the sample is one part of 2 to this power.
    public var halvings: Int

    /// - Parameter questions: The number of questions while answers were accepted.
    public init(submissions: Int, questions: Int, budget: Int = Self.budget) {
        var answers = submissions * (Self.submissionCost + questions)
        halvings = 0
        while answers > budget, halvings < 32 {
            answers /= 2
            halvings += 1
        }
    }

    public var isWhole: Bool { halvings == 0 }

    /// The sample's ids are below this one; nil if all are read.
    public var bound: UUID? {
        guard halvings > 0 else { return nil }
        let first = UInt32(1) << UInt32(32 - halvings)
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: first >> shift) }
        return UUID(uuid: (byte(24), byte(16), byte(8), byte(0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

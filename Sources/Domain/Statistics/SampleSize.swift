#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How large a part of a form's submissions is read where reading all would take too long.
///
/// The ids of submissions are hashes, so that those below a bound are a random part of all. The part depends on nothing
/// but the numbers of submissions and questions: everybody reads the same one, at any time, and two readings never
/// differ by the few that one of them had time for.
public struct SampleSize: Sendable, Equatable {
    /// Answers that are read at most, for 200 ms on two shared cores (docs/analysis.md). A submission costs as much as
    /// four answers before the first of its answers is looked at.
    public static let budget = 200_000
    private static let submissionCost = 4

    /// The part is one of 2 to the power of this.
    public var halvings: Int

    /// - Parameter questions: those that were asked while answers came.
    public init(submissions: Int, questions: Int, budget: Int = Self.budget) {
        var answers = submissions * (Self.submissionCost + questions)
        halvings = 0
        while answers > budget, halvings < 32 {
            answers /= 2
            halvings += 1
        }
    }

    public var isWhole: Bool { halvings == 0 }

    /// Ids of the part are below this one; nil if all are read.
    public var bound: UUID? {
        guard halvings > 0 else { return nil }
        let first = UInt32(1) << UInt32(32 - halvings)
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: first >> shift) }
        return UUID(uuid: (byte(24), byte(16), byte(8), byte(0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

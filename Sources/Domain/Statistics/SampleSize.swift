import Foundation

/// The size of the sample of a form's submissions that is read if reading all would take too long.
public struct SampleSize: Sendable, Equatable {
    /// The largest number of answers to read, which takes 200 ms on two shared cores (docs/analysis.md). Each
    /// submission costs as much as four answers in addition to its own.
    public static let budget = 200_000
    private static let submissionCost = 4

    /// The number of times that the submissions are halved: the sample contains about 1/2^`halvings` of them.
    public var halvings: Int

    /// - Parameter questions: The number of questions that the form had while it accepted answers.
    public init(submissions: Int, questions: Int, budget: Int = Self.budget) {
        var cost = submissions * (Self.submissionCost + questions)
        halvings = 0
        while cost > budget, halvings < 32 {
            cost /= 2
            halvings += 1
        }
    }

    /// Whether the sample contains all submissions.
    public var isComplete: Bool { halvings == 0 }

    /// The sample consists of the submissions with ids below this one. Nil if all submissions are read.
    public var bound: UUID? {
        guard halvings > 0 else { return nil }
        let first = UInt32(1) << UInt32(32 - halvings)
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: first >> shift) }
        return UUID(uuid: (byte(24), byte(16), byte(8), byte(0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

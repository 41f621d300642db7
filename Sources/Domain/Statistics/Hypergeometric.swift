import Foundation

/// Exact limits for the number of people in a room who hold an opinion, from the answers of some of them.
///
/// If the people who answered are a random sample, the number of them who hold the opinion has the hypergeometric
/// distribution. W. G. Cochran, "Sampling Techniques", third edition (1977), sections 3.5 and 3.6.
public enum Hypergeometric {
    /// The largest room for which the limits are computed exactly. Beyond it, Wilson's interval differs by little.
    public static let maxPeople = 500

    /// The smallest and the largest number of people for which neither tail of the observed count is 2.5 % or less.
    ///
    /// - Parameters:
    ///   - count: The number of answers with the opinion.
    ///   - answered: The number of people who answered.
    ///   - people: The number of people in the room, at least `answered` and at most `maxPeople`.
    public static func limits95(count: Int, of answered: Int, people: Int) -> ClosedRange<Int> {
        let low = lowerLimit(count: count, of: answered, people: people)
        let high = people - lowerLimit(count: answered - count, of: answered, people: people)
        return low...high
    }

    /// The smallest number K of people with P(X ≥ count) > 0.025. The probability grows with K.
    private static func lowerLimit(count: Int, of answered: Int, people: Int) -> Int {
        var (low, high) = (count, count + people - answered)
        while low < high {
            let middle = (low + high) / 2
            if isTailLikely(from: count, of: answered, holders: middle, people: people) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// Whether P(X ≥ count) > 0.025, where X is the number of `holders` among `answered` people drawn from `people`.
    private static func isTailLikely(from count: Int, of answered: Int, holders: Int, people: Int) -> Bool {
        let others = people - holders
        let smallest = max(0, answered - others)
        guard count > smallest else { return true }
        guard count <= min(answered, holders) else { return false }
        var term = exp(
            logBinomial(holders, count) + logBinomial(others, answered - count) - logBinomial(people, answered))
        // A probability of exactly 1/40 counts as excluded, whatever its rounding error.
        let bound = 0.025 * (1 + 1e-11)
        var tail = term
        var value = count
        while tail <= bound, value < min(answered, holders), term > 0 {
            term *= Double((holders - value) * (answered - value))
            term /= Double((value + 1) * (others - answered + value + 1))
            value += 1
            tail += term
        }
        return tail > bound
    }

    private static func logBinomial(_ n: Int, _ k: Int) -> Double {
        logFactorials[n] - logFactorials[k] - logFactorials[n - k]
    }

    private static let logFactorials: [Double] = (1...maxPeople).reduce(into: [0]) { logs, number in
        logs.append(logs[number - 1] + log(Double(number)))
    }
}

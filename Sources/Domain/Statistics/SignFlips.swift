import Foundation

/// The exact test of pairs that moved by one or two steps: whether as many moved upwards as downwards.
enum SignFlips {
    /// The probability of a sum at least as far from 0, if the sign of each move is that of a fair coin. With moves of
    /// one step only, it is that of McNemar's exact test. 1 if nobody moved.
    ///
    /// - Parameters:
    ///   - ones: The number of pairs that moved by one step.
    ///   - twos: The number of pairs that moved by two steps.
    ///   - sum: The sum of all moves.
    static func probability(ones: Int, twos: Int, sum: Int) -> Double {
        guard sum != 0 else { return 1 }
        let (single, double) = (coins(ones), coins(twos))
        // The probability of at least this number of heads among the single moves.
        var tails = single + [0]
        for heads in stride(from: ones - 1, through: 0, by: -1) { tails[heads] += tails[heads + 1] }
        var tail = 0.0
        for heads in 0...twos {
            // The single moves have to make up the rest: 2 · heads − ones ≥ |sum| − 2 · (2 · heads of twos − twos).
            let rest = abs(sum) - 2 * (2 * heads - twos) + ones
            let least = max(0, rest <= 0 ? 0 : (rest + 1) / 2)
            if least <= ones { tail += double[heads] * tails[least] }
        }
        return min(1, 2 * tail)
    }

    /// The probability of each number of heads of this number of coins.
    private static func coins(_ count: Int) -> [Double] {
        var logs = [0.0]
        for number in stride(from: 1, through: count, by: 1) { logs.append(logs[number - 1] + log(Double(number))) }
        return (0...count).map { exp(logs[count] - logs[$0] - logs[count - $0] - Double(count) * log(2.0)) }
    }
}

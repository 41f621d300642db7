/// Cronbach's alpha of a grid: how much its statements measure the same.
///
/// L. J. Cronbach, "Coefficient alpha and the internal structure of tests", Psychometrika 16 (1951). It is computed from
/// the people who rated all statements.
public struct CronbachAlpha: Sendable, Equatable {
    /// Sums over the people who rated all statements.
    public struct Sums: Sendable, Equatable {
        public var people: Int
        /// The sum of the ratings of each statement, and of their squares.
        public var ratings: [Int]
        public var squares: [Int]
        /// The sum of the squares of each person's total.
        public var totalSquares: Int

        public init(people: Int, ratings: [Int], squares: [Int], totalSquares: Int) {
            (self.people, self.ratings, self.squares) = (people, ratings, squares)
            self.totalSquares = totalSquares
        }
    }

    public var people: Int
    public var statements: Int
    public var value: Double
    public var interval: Interval

    /// Nil for fewer than two people or statements, and if all people have the same total.
    ///
    /// alpha = k / (k − 1) · (1 − Σ s²ᵢ / s²), where s²ᵢ are the variances of the k statements, and s² that of the
    /// totals. The interval is exact for normally distributed ratings of statements that differ in their means only:
    /// (1 − alpha) / (1 − a) has an F distribution with n − 1 and (n − 1)(k − 1) degrees of freedom. L. S. Feldt, "The
    /// approximate sampling distribution of Kuder–Richardson reliability coefficient twenty", Psychometrika 30 (1965).
    public init?(_ sums: Sums) {
        let (n, k) = (sums.people, sums.ratings.count)
        guard n > 1, k > 1 else { return nil }
        // Variances, multiplied by n(n − 1), are whole numbers.
        let parts = zip(sums.squares, sums.ratings).reduce(0) { $0 + n * $1.0 - $1.1 * $1.1 }
        let total = sums.ratings.reduce(0, +)
        let whole = n * sums.totalSquares - total * total
        guard whole > 0 else { return nil }
        let share = Double(parts) / Double(whole)
        let alpha = Double(k) / Double(k - 1) * (1 - share)
        let (first, second) = (Double(n - 1), Double(n - 1) * Double(k - 1))
        value = alpha
        interval = Interval(
            low: 1 - (1 - alpha) * FDistribution.quantile(0.975, first, second),
            high: 1 - (1 - alpha) * FDistribution.quantile(0.025, first, second))
        (people, statements) = (n, k)
    }
}

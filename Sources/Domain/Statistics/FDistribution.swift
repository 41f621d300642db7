import Foundation

/// Snedecor's F distribution, to the extent needed for the interval of Cronbach's alpha.
enum FDistribution {
    /// The f with P(F ≤ f) = `probability`, accurate to about 11 digits.
    ///
    /// P(F ≤ f) is the incomplete beta function I(ν₁f / (ν₁f + ν₂); ν₁/2, ν₂/2): Abramowitz and Stegun, "Handbook of
    /// Mathematical Functions" (1964), 26.6.2. It grows with its first argument, which is found by bisection.
    static func quantile(_ probability: Double, _ numerator: Double, _ denominator: Double) -> Double {
        let (a, b) = (numerator / 2, denominator / 2)
        let logBeta = logGamma(a) + logGamma(b) - logGamma(a + b)
        var (low, high) = (0.0, 1.0)
        while true {
            let middle = (low + high) / 2
            guard low < middle, middle < high else { break }
            if incompleteBeta(middle, a, b, logBeta) < probability { low = middle } else { high = middle }
        }
        return denominator * low / (numerator * (1 - low))
    }

    /// I(x; a, b) for 0 < x < 1. The fraction converges fast on one side of the mean only; the other side is the
    /// complement (26.5.2).
    private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double, _ logBeta: Double) -> Double {
        let front = exp(a * log(x) + b * log1p(-x) - logBeta)
        if x < (a + 1) / (a + b + 2) { return front * StudentT.fraction(a, b, x) / a }
        return 1 - front * StudentT.fraction(b, a, 1 - x) / b
    }

    /// ln Γ(a) by Stirling's series (6.1.41) from 20 on, and below 20 by Γ(a) = Γ(a + 1) / a.
    static func logGamma(_ start: Double) -> Double {
        var a = start
        var product = 1.0
        while a < 20 {
            product *= a
            a += 1
        }
        let square = a * a
        let tail = (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / square) / square) / square
        let series = (1.0 / 12 - (1.0 / 360 - tail) / square) / a
        return (a - 0.5) * log(a) - a + log(2 * Double.pi) / 2 + series - log(product)
    }
}

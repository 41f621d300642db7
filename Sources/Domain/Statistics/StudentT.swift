import Foundation

/// Student's t distribution, to the extent needed for 95 % intervals.
///
/// Formulas from Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), chapter 26.7.
public enum StudentT {
    /// The 0.975 quantile of the standard normal distribution.
    public static let normalCritical95 = 1.959963984540054

    /// The t with P(|T| ≤ t) = 0.95, accurate to about 12 digits.
    public static func critical95(degreesOfFreedom: Int) -> Double {
        critical95(Double(degreesOfFreedom)) { 1 - probability(within: $0, degreesOfFreedom: degreesOfFreedom) }
    }

    /// Newton's method from the normal quantile, which is below every t. As P(|T| > t) is convex there, no step
    /// overshoots.
    ///
    /// - Parameter tails: P(|T| > t).
    private static func critical95(_ degrees: Double, _ tails: (Double) -> Double) -> Double {
        if degrees >= 1000 { return expansion(degrees) }
        let peak = gammaRatio(degrees / 2) / (degrees * Double.pi).squareRoot()
        var t = normalCritical95
        while true {
            let density = peak * pow(1 + t * t / degrees, -(degrees + 1) / 2)
            let next = t + (tails(t) - 0.05) / (2 * density)
            // Such a small step is a rounding error.
            guard next - t >= t * 1e-14 else { return max(next, t) }
            t = next
        }
    }

    /// P(|T| ≤ t) for a whole number of degrees of freedom, by the finite series 26.7.3 (odd) and 26.7.4 (even).
    public static func probability(within t: Double, degreesOfFreedom: Int) -> Double {
        let degrees = Double(degreesOfFreedom)
        let sine = t / (degrees + t * t).squareRoot()
        let cosineSquared = degrees / (degrees + t * t)
        if degreesOfFreedom.isMultiple(of: 2) {
            return sine * series(terms: degreesOfFreedom / 2, cosineSquared) { Double(2 * $0 - 1) / Double(2 * $0) }
        }
        let angle = atan(t / degrees.squareRoot())
        guard degreesOfFreedom > 1 else { return angle * 2 / Double.pi }
        let sum = series(terms: (degreesOfFreedom - 1) / 2, cosineSquared) { Double(2 * $0) / Double(2 * $0 + 1) }
        return (angle + sine * cosineSquared.squareRoot() * sum) * 2 / Double.pi
    }

    /// The sum of the first `terms` terms of 1 + r₁x + r₁r₂x² + ….
    private static func series(terms: Int, _ x: Double, _ ratio: (Int) -> Double) -> Double {
        var term = 1.0
        var sum = 1.0
        for index in 1..<max(terms, 1) {
            term *= ratio(index) * x
            sum += term
        }
        return sum
    }

    /// The expansion 26.7.5 around the normal quantile; its first omitted term is below 1e-13 from 1000 degrees on.
    static func expansion(_ degrees: Double) -> Double {
        let z = normalCritical95
        let square = z * z
        let first = z * (square + 1) / 4
        let second = z * ((5 * square + 16) * square + 3) / 96
        let third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
        let fourth = z * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92_160
        return z + (first + (second + (third + fourth / degrees) / degrees) / degrees) / degrees
    }
}

/// Fractional degrees of freedom, as in Welch's interval.
extension StudentT {
    /// The t with P(|T| ≤ t) = 0.95 for any degrees of freedom from 1 on, accurate to about 11 digits.
    public static func critical95(degreesOfFreedom degrees: Double) -> Double {
        critical95(degrees) { tails(beyond: $0, degreesOfFreedom: degrees) }
    }

    /// P(|T| > t), which is the incomplete beta function I(ν / (ν + t²); ν/2, ½): Abramowitz and Stegun 26.7.1.
    static func tails(beyond t: Double, degreesOfFreedom degrees: Double) -> Double {
        let (x, y) = (degrees / (degrees + t * t), t * t / (degrees + t * t))
        let a = degrees / 2
        let front = pow(x, a) * y.squareRoot() * gammaRatio(a) / Double.pi.squareRoot()
        // The fraction converges fast on one side of the mean only; the other side is the complement (26.5.2).
        if x < (a + 1) / (a + 2.5) { return front * fraction(a, 0.5, x) / a }
        return 1 - front * fraction(0.5, a, y) / 0.5
    }

    /// R(a) = Γ(a + ½) / Γ(a): by its asymptotic series from 40 on, and below 40 by R(a) = R(a + 1) · a / (a + ½).
    ///
    /// F. G. Tricomi, A. Erdélyi, "The asymptotic expansion of a ratio of gamma functions", Pacific Journal of
    /// Mathematics 1 (1951). The first omitted term is below 1e-13.
    private static func gammaRatio(_ start: Double) -> Double {
        var a = start
        var factor = 1.0
        while a < 40 {
            factor *= a / (a + 0.5)
            a += 1
        }
        let tail = (5 / 1024 - (21 / 32_768 + 399 / 262_144 / a) / a) / a
        return factor * a.squareRoot() * (1 + (-1 / 8 + (1 / 128 + tail) / a) / a)
    }

    /// The continued fraction 26.5.8 by Lentz's method as modified by W. J. Thompson and A. R. Barnett (1986).
    static func fraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
        let tiny = 1e-300
        func nonzero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
        var c = 1.0
        var d = 1 / nonzero(1 - (a + b) * x / (a + 1))
        var value = d
        for step in 1...10_000 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 / nonzero(1 + even * d)
            c = nonzero(1 + even / c)
            value *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 / nonzero(1 + odd * d)
            c = nonzero(1 + odd / c)
            value *= d * c
            if abs(d * c - 1) < 1e-16 { break }
        }
        return value
    }
}

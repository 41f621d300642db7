#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Student's t distribution, as far as intervals of 95 % need it.
///
/// Formulas from Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), chapter 26.7.
public enum StudentT {
    /// The 0.975 quantile of the standard normal distribution.
    public static let normalCritical95 = 1.959963984540054

    /// The t with P(|T| ≤ t) = 0.95, right to about 12 digits.
    public static func critical95(degreesOfFreedom: Int) -> Double {
        if degreesOfFreedom >= 1000 { return expansion(Double(degreesOfFreedom)) }
        var low = normalCritical95
        var high = 13.0
        // The probability grows with t: halving ends when the bounds are neighbouring doubles.
        while true {
            let middle = low + (high - low) / 2
            if middle <= low || middle >= high { return middle }
            if probability(within: middle, degreesOfFreedom: degreesOfFreedom) < 0.95 {
                low = middle
            } else {
                high = middle
            }
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

    /// 1 + r₁x + r₁r₂x² + …, so many terms.
    private static func series(terms: Int, _ x: Double, _ ratio: (Int) -> Double) -> Double {
        var term = 1.0
        var sum = 1.0
        for index in 1..<max(terms, 1) {
            term *= ratio(index) * x
            sum += term
        }
        return sum
    }

    /// The expansion 26.7.5 around the normal quantile; its first left-out term is below 1e-13 from 1000 degrees on.
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

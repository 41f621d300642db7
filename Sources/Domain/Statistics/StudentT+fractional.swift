#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Degrees of freedom that are no whole number, as Welch's interval has them.
extension StudentT {
    /// The t with P(|T| ≤ t) = 0.95 for any degrees of freedom from 1 on, right to about 11 digits.
    public static func critical95(degreesOfFreedom degrees: Double) -> Double {
        if degrees >= 1000 { return expansion(degrees) }
        var low = normalCritical95
        var high = 13.0
        // The tails shrink as t grows: halving ends when the bounds are neighbouring doubles.
        while true {
            let middle = low + (high - low) / 2
            if middle <= low || middle >= high { return middle }
            if tails(beyond: middle, degreesOfFreedom: degrees) > 0.05 {
                low = middle
            } else {
                high = middle
            }
        }
    }

    /// P(|T| > t), which is the incomplete beta function I(ν / (ν + t²); ν/2, ½): Abramowitz and Stegun 26.7.1.
    static func tails(beyond t: Double, degreesOfFreedom degrees: Double) -> Double {
        let (x, y) = (degrees / (degrees + t * t), t * t / (degrees + t * t))
        let a = degrees / 2
        let front = pow(x, a) * y.squareRoot() * gammaRatio(a) / Double.pi.squareRoot()
        // The fraction runs fast on one side of the mean only; the other side is the rest (26.5.2).
        if x < (a + 1) / (a + 2.5) { return front * fraction(a, 0.5, x) / a }
        return 1 - front * fraction(0.5, a, y) / 0.5
    }

    /// Γ(a + ½) / Γ(a): by its asymptotic series from 40 on, below by R(a) = R(a + 1) · a / (a + ½).
    ///
    /// F. G. Tricomi, A. Erdélyi, "The asymptotic expansion of a ratio of gamma functions", Pacific Journal of
    /// Mathematics 1 (1951). The first term left out is below 1e-13.
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

    /// The continued fraction 26.5.8 by Lentz's method as W. J. Thompson and A. R. Barnett changed it (1986).
    private static func fraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
        let tiny = 1e-300
        func kept(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
        var c = 1.0
        var d = 1 / kept(1 - (a + b) * x / (a + 1))
        var value = d
        for step in 1...500 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 / kept(1 + even * d)
            c = kept(1 + even / c)
            value *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 / kept(1 + odd * d)
            c = kept(1 + odd / c)
            value *= d * c
            if abs(d * c - 1) < 1e-16 { break }
        }
        return value
    }
}

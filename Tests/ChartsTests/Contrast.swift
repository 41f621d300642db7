import Testing

@testable import Charts

/// The colors of charts have the contrast ratios that WCAG 2.2 requires (1.4.3 and 1.4.11).
@Suite struct Contrast {
    private static func luminance(_ color: String) throws -> Double {
        let value = try #require(Int(color.dropFirst(), radix: 16))
        let parts = [value >> 16, value >> 8, value].map { part -> Double in
            let share = Double(part & 255) / 255
            return share <= 0.04045 ? share / 12.92 : power((share + 0.055) / 1.055)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// The base to the power of 2.4, computed as the fifth root of its twelfth power, without a mathematics library.
    private static func power(_ base: Double) -> Double {
        let twelfth = (0..<12).reduce(1.0) { product, _ in product * base }
        var (low, high) = (0.0, 1.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            let fifth = middle * middle * middle * middle * middle
            (low, high) = fifth < twelfth ? (middle, high) : (low, middle)
        }
        return low
    }

    private static func ratio(_ one: String, _ other: String) throws -> Double {
        let (a, b) = (try luminance(one), try luminance(other))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    @Test func ratiosMatchTheStandardsFormula() throws {
        #expect(abs(try Self.ratio("#000000", "#ffffff") - 21) < 0.01)
        #expect(abs(try Self.ratio("#777777", "#ffffff") - 4.48) < 0.01)
    }

    @Test func textContrastsWithItsBackground() throws {
        for background in [Palette.background, Palette.quiet] {
            for color in [Palette.ink, Palette.soft] {
                #expect(try Self.ratio(color, background) >= 4.5, "\(color) on \(background)")
            }
        }
    }

    @Test func marksAndLinesContrastWithTheBackground() throws {
        let marks = Palette.marks + [Palette.detractors, Palette.passives, Palette.promoters, Palette.line]
        for color in marks { #expect(try Self.ratio(color, Palette.background) >= 3, "\(color)") }
    }
}

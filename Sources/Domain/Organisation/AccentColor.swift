import Foundation

/// A colour of sRGB, and its contrast with others as WCAG 2.2 defines it.
public struct AccentColor: Sendable, Hashable {
    /// The smallest contrast of text: WCAG 2.2, success criterion 1.4.3 (https://www.w3.org/TR/WCAG22/#contrast-minimum).
    public static let minimumContrast = 4.5

    private static let hexDigits = Set("0123456789abcdef")

    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Parses `#0b6e4f`, also with capital letters, without `#`, or with three digits. Nil for any other text.
    public init?(_ text: String) {
        var digits = Substring(text.lowercased())
        if digits.hasPrefix("#") { digits = digits.dropFirst() }
        guard digits.allSatisfy(Self.hexDigits.contains) else { return nil }
        if digits.count == 3 { digits = Substring(digits.map { "\($0)\($0)" }.joined()) }
        guard digits.count == 6, let value = UInt32(digits, radix: 16) else { return nil }
        self.init(value)
    }

    /// - Parameter value: A byte each for red, green and blue.
    init(_ value: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value))
    }

    /// The colour as in CSS: `#0b6e4f`.
    public var hex: String { String(format: "#%02x%02x%02x", Int(red), Int(green), Int(blue)) }

    /// From 0 for black to 1 for white (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance).
    public var relativeLuminance: Double {
        func linear(_ component: UInt8) -> Double {
            let share = Double(component) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// From 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
    public func contrast(with other: AccentColor) -> Double {
        let (one, two) = (relativeLuminance, other.relativeLuminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// This colour with a share of another one, from 0 to 1.
    func mixed(with other: AccentColor, _ share: Double) -> AccentColor {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(clamping: Int((Double(one) * (1 - share) + Double(two) * share).rounded()))
        }
        return AccentColor(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}

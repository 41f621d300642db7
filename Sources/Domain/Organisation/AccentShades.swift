/// The shades of an accent colour that are readable on light and on dark pages.
///
/// A colour that is readable itself is used unchanged. Any other is mixed with black or white, in the smallest step that
/// suffices.
public struct AccentShades: Sendable, Hashable {
    /// The colours of one appearance. The stylesheet's tokens of the same names have these values unless there is an
    /// accent colour.
    public struct Appearance: Sendable, Hashable {
        /// Of links, of buttons, and of what is chosen.
        public var strong: AccentColor
        /// Of texts on `strong`.
        public var onStrong: AccentColor
        /// A light background for what is important or chosen, with a little of `strong`.
        public var promise: AccentColor
        /// The smallest contrast of `strong` with a background or with the text on it.
        public var contrast: Double
    }

    /// The backgrounds of texts on the pages, as in the stylesheet.
    public struct Backgrounds: Sendable {
        public var back: AccentColor
        public var card: AccentColor
        /// At the top of participants' pages.
        public var warm: AccentColor
        /// The text on `strong`.
        public var onStrong: AccentColor

        public static let light = Backgrounds(
            back: AccentColor(0xfaf8f4), card: AccentColor(0xffffff), warm: AccentColor(0xfdf1df),
            onStrong: AccentColor(0xffffff))
        public static let dark = Backgrounds(
            back: AccentColor(0x12151d), card: AccentColor(0x1b202b), warm: AccentColor(0x2c2519),
            onStrong: AccentColor(0x10141f))
    }

    public let accent: AccentColor
    public let light: Appearance
    public let dark: Appearance

    public init(of accent: AccentColor) {
        self.accent = accent
        light = Self.appearance(of: accent, on: .light, towards: AccentColor(0x000000), tint: 0.1)
        dark = Self.appearance(of: accent, on: .dark, towards: AccentColor(0xffffff), tint: 0.16)
    }

    /// - Parameters:
    ///   - end: The colour with which the accent is mixed until it is readable. It is readable itself.
    ///   - tint: The share of the accent in `promise`.
    private static func appearance(
        of accent: AccentColor, on backgrounds: Backgrounds, towards end: AccentColor, tint: Double
    ) -> Appearance {
        func shade(_ step: Int) -> Appearance {
            let strong = accent.mixed(with: end, Double(step) / 100)
            let promise = backgrounds.card.mixed(with: strong, tint)
            let contrasts = [backgrounds.back, backgrounds.card, backgrounds.warm, promise, backgrounds.onStrong]
                .map { strong.contrast(with: $0) }
            return Appearance(
                strong: strong, onStrong: backgrounds.onStrong, promise: promise, contrast: contrasts.min() ?? 1)
        }
        return (0...100).lazy.map(shade).first { $0.contrast >= AccentColor.minimumContrast } ?? shade(100)
    }
}

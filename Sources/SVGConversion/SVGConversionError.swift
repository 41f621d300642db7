/// Why an SVG image was not converted.
public enum SVGConversionError: Error, Sendable, Equatable {
    /// `rsvg-convert` is not in any folder of `PATH`.
    case notInstalled
    /// With the reason, in a few words.
    case failed(String)
    /// The task was cancelled.
    case cancelled
}

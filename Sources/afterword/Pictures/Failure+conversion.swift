import SVGConversion

extension Failure {
    /// - Parameter alternative: What does not require `rsvg-convert`, such as `use --format svg`. Nil if nothing does.
    init(_ error: SVGConversionError, alternative: String? = nil) {
        switch error {
        case .notInstalled:
            self.init(
                "This requires rsvg-convert, which is not installed: install the package librsvg2-bin"
                    + (alternative.map { ", or \($0)" } ?? "") + ".")
        case .failed(let reason):
            self.init(
                "The conversion failed (rsvg-convert: \(reason))." + (alternative.map { " Instead, \($0)." } ?? ""))
        case .cancelled:
            self = .interrupted
        }
    }
}

import CQRencode

/// A text as a QR code: a square of dark and light modules, with what a camera needs around it.
public struct QRCode: Sendable, Equatable {
    /// The text is longer than the largest code holds (2,331 bytes), or empty, or has a NUL in it.
    public struct Unfit: Error, Equatable {}

    /// Light modules on each side, without which many readers see nothing (ISO/IEC 18004, section 9.1).
    public static let quietZone = 4

    /// Modules a side, without the quiet zone.
    public let size: Int
    private let dark: [Bool]

    /// With error correction M: a code that is a seventh hidden or smudged can still be read.
    public init(_ text: String) throws(Unfit) {
        guard !text.utf8.contains(0) else { throw Unfit() }
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { throw Unfit() }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        // The lowest bit of each byte is the module; the others say what it is for.
        dark = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
        self.size = size
    }

    /// Modules a side with the quiet zone.
    public var fullSize: Int { size + 2 * Self.quietZone }

    public func isDark(_ x: Int, _ y: Int) -> Bool { dark[y * size + x] }

    /// The dark stretches of a line, from its left edge without the quiet zone.
    func runs(_ y: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for x in 0..<size where isDark(x, y) {
            if let last = runs.last, last.upperBound == x {
                runs[runs.count - 1] = last.lowerBound..<x + 1
            } else {
                runs.append(x..<x + 1)
            }
        }
        return runs
    }
}

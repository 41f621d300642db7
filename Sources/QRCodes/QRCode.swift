import CGD
import CQRencode

/// A text as a QR code, a square of dark and light modules with a quiet zone.
public struct QRCode: Sendable, Equatable {
    /// The text is empty, contains a NUL, or exceeds the largest code (2,331 bytes).
    public struct UnencodableText: Error, Equatable {}

    /// The number of light modules on each side, which readers require (ISO/IEC 18004, section 9.1).
    public static let quietZone = 4

    /// The number of modules per side, without the quiet zone.
    public let size: Int
    private let dark: [Bool]

    /// Uses error correction level M: about 15 % of the code may be damaged.
    public init(_ text: String) throws(UnencodableText) {
        guard !text.utf8.contains(0) else { throw UnencodableText() }
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { throw UnencodableText() }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        // The lowest bit of each byte is the module; the others describe its role.
        dark = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
        self.size = size
    }

    /// The number of modules per side, with the quiet zone.
    public var fullSize: Int { size + 2 * Self.quietZone }

    public func isDark(_ x: Int, _ y: Int) -> Bool { dark[y * size + x] }

    /// The runs of dark modules in row `y`, as columns without the quiet zone.
    func runs(inRow y: Int) -> [Range<Int>] {
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

extension QRCode {
    /// The supported pixels per module of a PNG.
    public static let scales = 1...40

    /// A black-on-white PNG with the quiet zone. Nil if memory is exhausted.
    public func png(scale: Int) -> [UInt8]? {
        let side = Int32(fullSize * scale)
        guard let image = gdImageCreate(side, side) else { return nil }
        defer { gdImageDestroy(image) }
        // The first allocated color is the background.
        _ = gdImageColorAllocate(image, 255, 255, 255)
        let black = gdImageColorAllocate(image, 0, 0, 0)
        for y in 0..<size {
            let top = Int32((y + Self.quietZone) * scale)
            for run in runs(inRow: y) {
                let left = Int32((run.lowerBound + Self.quietZone) * scale)
                let right = Int32((run.upperBound + Self.quietZone) * scale) - 1
                gdImageFilledRectangle(image, left, top, right, top + Int32(scale) - 1, black)
            }
        }
        var count: Int32 = 0
        guard let written = gdImagePngPtr(image, &count) else { return nil }
        defer { gdFree(written) }
        return Array(UnsafeRawBufferPointer(start: written, count: Int(count)))
    }
}

extension QRCode {
    /// A black-on-white SVG with a single path. The title is for screen readers.
    public func svg(title: String) -> String {
        let zone = Self.quietZone
        let path = (0..<size).map { y in
            runs(inRow: y).map { "M\($0.lowerBound + zone) \(y + zone)h\($0.count)v1h-\($0.count)z" }.joined()
        }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(fullSize) \(fullSize)" role="img" \
            shape-rendering="crispEdges"><title>\(Self.escaped(title))</title>\
            <path fill="#fff" d="M0 0h\(fullSize)v\(fullSize)H0z"/><path fill="#000" d="\(path)"/></svg>

            """
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // Characters that XML can't represent.
            case "\u{0}"..."\u{8}", "\u{b}", "\u{c}", "\u{e}"..."\u{1f}", "\u{fffe}", "\u{ffff}": break
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

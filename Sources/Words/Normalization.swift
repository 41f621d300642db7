import CICU

/// A Unicode normalization form, applied to UTF-16.
struct Normalization {
    /// NFC: one representation for characters such as é and Hangul.
    static let composition = Normalization { afterword_composition() }
    /// NFKC_Casefold: also ignores case and width, and removes invisible characters.
    static let caseFolding = Normalization { afterword_case_folding() }

    // ICU's singleton, which is immutable and never freed.
    nonisolated(unsafe) private let form: UnsafeRawPointer?

    private init(_ form: () -> UnsafeRawPointer?) { self.form = form() }

    /// Whether ICU has the data for this form. If not, `Words.requireData` prevents the start of the service.
    var isAvailable: Bool { form != nil }

    /// Writes the normal form of `text` to `buffer`, whose memory is reused.
    func apply(to text: [UInt16], into buffer: inout [UInt16]) {
        guard let form, let length = Int32(exactly: text.count) else { return buffer = text }
        Self.widen(&buffer, to: text.count)
        var needed = write(text, length, form, &buffer)
        if needed > buffer.count {
            Self.widen(&buffer, to: needed)
            needed = write(text, length, form, &buffer)
        }
        if needed < 0 { buffer = text } else { buffer.removeLast(buffer.count - needed) }
    }

    func apply(to text: String) -> [UInt16] {
        var buffer: [UInt16] = []
        apply(to: Array(text.utf16), into: &buffer)
        return buffer
    }

    private static func widen(_ buffer: inout [UInt16], to count: Int) {
        if buffer.count < count { buffer.append(contentsOf: repeatElement(0, count: count - buffer.count)) }
    }

    private func write(_ text: [UInt16], _ length: Int32, _ form: UnsafeRawPointer, _ buffer: inout [UInt16]) -> Int {
        text.withUnsafeBufferPointer { text in
            buffer.withUnsafeMutableBufferPointer { buffer in
                Int(afterword_normalize(form, text.baseAddress, length, buffer.baseAddress, Int32(buffer.count)))
            }
        }
    }
}

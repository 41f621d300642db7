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

    /// Whether ICU has its data. Otherwise `Words.requireData` prevents the start.
    var isThere: Bool { form != nil }

    /// Writes the normal form of `text` to `room`, whose memory is reused.
    func apply(to text: [UInt16], into room: inout [UInt16]) {
        guard let form, let length = Int32(exactly: text.count) else { return room = text }
        Self.widen(&room, to: text.count)
        var needed = write(text, length, form, &room)
        if needed > room.count {
            Self.widen(&room, to: needed)
            needed = write(text, length, form, &room)
        }
        if needed < 0 { room = text } else { room.removeLast(room.count - needed) }
    }

    func apply(to text: String) -> [UInt16] {
        var room: [UInt16] = []
        apply(to: Array(text.utf16), into: &room)
        return room
    }

    private static func widen(_ room: inout [UInt16], to count: Int) {
        if room.count < count { room.append(contentsOf: repeatElement(0, count: count - room.count)) }
    }

    private func write(_ text: [UInt16], _ length: Int32, _ form: UnsafeRawPointer, _ room: inout [UInt16]) -> Int {
        text.withUnsafeBufferPointer { text in
            room.withUnsafeMutableBufferPointer { room in
                Int(afterword_normalize(form, text.baseAddress, length, room.baseAddress, Int32(room.count)))
            }
        }
    }
}

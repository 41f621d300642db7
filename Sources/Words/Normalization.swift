import CICU

/// A normal form of Unicode, as UTF-16.
struct Normalization {
    /// NFC: one spelling of what can be composed or not, such as é and Hangul.
    static let composition = Normalization { afterword_composition() }
    /// NFKC_Casefold: also without regard to case and width, and without characters that nobody sees.
    static let caseFolding = Normalization { afterword_case_folding() }

    // ICU's own, made once, never changed and never freed.
    nonisolated(unsafe) private let form: UnsafeRawPointer?

    private init(_ form: () -> UnsafeRawPointer?) { self.form = form() }

    /// Whether the library has its data; `Words.requireData` refuses a start without.
    var isThere: Bool { form != nil }

    /// Writes the normal form of `text` over `room`, whose memory is used again.
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

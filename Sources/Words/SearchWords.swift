/// What is searched for in texts of any language.
///
/// Found is what looks the same but for case and width: both sides are compared in NFKC_Casefold (Unicode Standard,
/// section 3.13), by which `STRASSE` finds `straße`, a composed é or 한 the decomposed one, and a full-width `Ａ` an `a`.
/// There are no wildcards: every character means itself.
public struct SearchWords: Sendable {
    private let folded: [UInt16]
    /// The same in bytes, where it is ASCII: then most texts need no folding.
    private let plain: [UInt8]?

    /// Nil if there is nothing to see in it, such as blanks or a joiner alone; blanks at both ends are dropped.
    public init?(_ text: String) {
        let folded = Normalization.caseFolding.apply(to: text)
        let isBlank: (UInt16) -> Bool = { $0 == 0x20 || (0x9...0xD).contains($0) || $0 == 0x3000 || $0 == 0xA0 }
        guard let first = folded.firstIndex(where: { !isBlank($0) }),
            let last = folded.lastIndex(where: { !isBlank($0) })
        else { return nil }
        self.folded = Array(folded[first...last])
        plain = self.folded.allSatisfy { $0 < 0x80 } ? self.folded.map(UInt8.init) : nil
    }

    /// In which of the texts it is found.
    public func found(in texts: [String?]) -> [Bool] {
        var (units, room): ([UInt16], [UInt16]) = ([], [])
        var bytes: [UInt8] = []
        return texts.map { text in
            guard var text else { return false }
            switch text.withUTF8({ Self.lowercase($0, into: &bytes) }) {
            case true:
                // Text of ASCII alone has nothing else in it.
                return plain.map { Self.contains(bytes, $0) } ?? false
            case false:
                units.removeAll(keepingCapacity: true)
                units.append(contentsOf: text.utf16)
                Normalization.caseFolding.apply(to: units, into: &room)
                return Self.contains(room, folded)
            }
        }
    }

    /// Writes ASCII in lower case; false at the first other character.
    private static func lowercase(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        for byte in text {
            guard byte < 0x80 else { return false }
            bytes.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        }
        return true
    }

    private static func contains<Unit: FixedWidthInteger>(_ text: [Unit], _ words: [Unit]) -> Bool {
        guard let first = words.first, text.count >= words.count else { return false }
        return text.withUnsafeBufferPointer { text in
            words.withUnsafeBufferPointer { words in
                var start = 0
                while start <= text.count - words.count {
                    if text[start] == first {
                        var length = 1
                        while length < words.count, text[start + length] == words[length] { length += 1 }
                        if length == words.count { return true }
                    }
                    start += 1
                }
                return false
            }
        }
    }
}

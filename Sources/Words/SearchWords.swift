/// What is searched for in texts of any language.
///
/// Found is what looks the same but for case and width: both sides are compared in NFKC_Casefold (Unicode Standard,
/// section 3.13), by which `STRASSE` finds `straße`, a composed é or 한 the decomposed one, and a full-width `Ａ` an `a`.
/// There are no wildcards: every character means itself. A text is searched in time linear to its length, whatever it
/// and the words are.
public struct SearchWords: Sendable {
    private let folded: Needle<UInt16>
    /// The same in bytes, where it is ASCII: then most texts need no folding.
    private let plain: Needle<UInt8>?

    /// Nil if there is nothing to see in it, such as blanks or a joiner alone; blanks at both ends are dropped.
    public init?(_ text: String) {
        let folded = Normalization.caseFolding.apply(to: text)
        let isBlank: (UInt16) -> Bool = { $0 == 0x20 || (0x9...0xD).contains($0) || $0 == 0x3000 || $0 == 0xA0 }
        guard let first = folded.firstIndex(where: { !isBlank($0) }),
            let last = folded.lastIndex(where: { !isBlank($0) })
        else { return nil }
        let units = Array(folded[first...last])
        self.folded = Needle(units)
        plain = units.allSatisfy { $0 < 0x80 } ? Needle(units.map(UInt8.init)) : nil
    }

    /// UTF-16 units of what is compared.
    public var length: Int { folded.units.count }

    /// In which of the texts it is found.
    ///
    /// - Parameter end: no text is begun after it but the first: then there are fewer answers than texts.
    public func found(in texts: some Collection<String>, until end: ContinuousClock.Instant? = nil) -> [Bool] {
        var (units, room): ([UInt16], [UInt16]) = ([], [])
        var bytes: [UInt8] = []
        var found: [Bool] = []
        found.reserveCapacity(texts.count)
        for var text in texts {
            if let end, !found.isEmpty, .now > end { break }
            switch text.withUTF8({ Self.lowercase($0, into: &bytes) }) {
            case true:
                // Text of ASCII alone has nothing else in it.
                found.append(plain?.stands(in: bytes) ?? false)
            case false:
                units.removeAll(keepingCapacity: true)
                units.append(contentsOf: text.utf16)
                Normalization.caseFolding.apply(to: units, into: &room)
                found.append(folded.stands(in: room))
            }
        }
        return found
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
}

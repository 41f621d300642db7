/// A query for a search in texts of any language.
///
/// Matching ignores case and width: both sides are compared in NFKC_Casefold (Unicode Standard, section 3.13).
/// `STRASSE` matches `straße`, a composed é or 한 matches the decomposed form, and a full-width `Ａ` matches `a`. There
/// are no wildcards. The time is linear in the length of the text, whatever the input.
public struct SearchQuery: Sendable {
    private let folded: Needle<UInt16>
    /// The query as bytes, if it is ASCII. ASCII texts are compared with these bytes and need no folding.
    private let ascii: Needle<UInt8>?

    /// Returns nil if the query has no visible characters, for example only spaces or a joiner. Leading and trailing
    /// spaces are dropped.
    public init?(_ text: String) {
        let folded = Normalization.caseFolding.apply(to: text)
        let isBlank: (UInt16) -> Bool = { $0 == 0x20 || (0x9...0xD).contains($0) || $0 == 0x3000 || $0 == 0xA0 }
        guard let first = folded.firstIndex(where: { !isBlank($0) }),
            let last = folded.lastIndex(where: { !isBlank($0) })
        else { return nil }
        let units = Array(folded[first...last])
        self.folded = Needle(units)
        ascii = units.allSatisfy { $0 < 0x80 } ? Needle(units.map(UInt8.init)) : nil
    }

    /// The length of the folded query in UTF-16 units.
    public var length: Int { folded.units.count }

    /// Returns for each text whether it contains the query.
    ///
    /// - Parameter end: No further text is searched after this time, but the first text is always searched. The result
    ///   may therefore be shorter than `texts`.
    public func found(in texts: some Collection<String>, until end: ContinuousClock.Instant? = nil) -> [Bool] {
        var (units, buffer): ([UInt16], [UInt16]) = ([], [])
        var bytes: [UInt8] = []
        var matches: [Bool] = []
        matches.reserveCapacity(texts.count)
        for var text in texts {
            if let end, !matches.isEmpty, .now > end { break }
            switch text.withUTF8({ Self.lowercase($0, into: &bytes) }) {
            case true:
                // An ASCII text can only match an ASCII query.
                matches.append(ascii?.occurs(in: bytes) ?? false)
            case false:
                units.removeAll(keepingCapacity: true)
                units.append(contentsOf: text.utf16)
                Normalization.caseFolding.apply(to: units, into: &buffer)
                matches.append(folded.occurs(in: buffer))
            }
        }
        return matches
    }

    /// Writes ASCII text in lower case. Returns false at the first other character.
    private static func lowercase(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        for byte in text {
            guard byte < 0x80 else { return false }
            bytes.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        }
        return true
    }
}

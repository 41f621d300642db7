/// Makes option ids from the values of a column.
enum OptionNaming {
    static let longestId = 40

    /// An id for each value, in order: the value's ASCII slug where it is one and free, else `o1`, `o2`, ….
    static func ids(for values: [String]) -> [String] {
        var taken: Set<String> = ["other", "other_text"]
        let slugs = values.map { value -> String? in
            guard let slug = slug(value), taken.insert(slug).inserted else { return nil }
            return slug
        }
        var next = 1
        return slugs.map { slug in
            if let slug { return slug }
            while !taken.insert("o\(next)").inserted { next += 1 }
            return "o\(next)"
        }
    }

    /// The value in lower case with `_` for what lies between words and `v` before a leading digit; nil if it has
    /// other letters than ASCII's, none at all, or too many.
    private static func slug(_ value: String) -> String? {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            case 0x80...: return nil
            default: if let last = bytes.last, last != UInt8(ascii: "_") { bytes.append(UInt8(ascii: "_")) }
            }
        }
        if bytes.last == UInt8(ascii: "_") { bytes.removeLast() }
        guard let first = bytes.first else { return nil }
        if first <= UInt8(ascii: "9") { bytes.insert(UInt8(ascii: "v"), at: 0) }
        guard bytes.count <= longestId else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

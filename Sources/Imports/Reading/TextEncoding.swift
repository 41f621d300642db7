import CICU

/// The encoding of a file, with its common name.
public struct TextEncoding: Sendable, Equatable {
    public let name: String
    /// The name in ICU. Nil for UTF-8, which is not decoded.
    private let icuName: String?

    public static let utf8 = TextEncoding(name: "utf-8", icuName: nil)

    /// The accepted names. Some are synonyms.
    public static let names = all.map(\.name)

    private static let all: [TextEncoding] =
        [utf8]
        + [
            ("utf-16", "UTF-16"), ("utf-16le", "UTF-16LE"), ("utf-16be", "UTF-16BE"), ("utf-32", "UTF-32"),
            ("iso-8859-1", "ISO-8859-1"), ("latin1", "ISO-8859-1"), ("iso-8859-2", "ISO-8859-2"),
            ("iso-8859-9", "ISO-8859-9"), ("iso-8859-15", "ISO-8859-15"), ("windows-1250", "windows-1250"),
            ("windows-1251", "windows-1251"), ("windows-1252", "windows-1252"), ("windows-1253", "windows-1253"),
            ("windows-1254", "windows-1254"), ("windows-1255", "windows-1255"), ("windows-1256", "windows-1256"),
            ("koi8-r", "KOI8-R"), ("macintosh", "macintosh"), ("gb18030", "gb18030"), ("gbk", "gb18030"),
            ("gb2312", "gb18030"), ("big5", "Big5"), ("euc-kr", "windows-949"), ("cp949", "windows-949"),
            ("shift_jis", "ibm-943_P15A-2003"), ("cp932", "ibm-943_P15A-2003"), ("euc-jp", "EUC-JP"),
            ("iso-2022-jp", "ISO-2022-JP"),
        ].map { TextEncoding(name: $0.0, icuName: $0.1) }

    private init(name: String, icuName: String?) {
        (self.name, self.icuName) = (name, icuName)
    }

    /// Returns nil if the name is not among `names`. Case does not matter.
    public init?(named name: String) {
        guard let known = Self.all.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = known
    }

    /// Guesses the encoding of bytes that are not UTF-8.
    static func guess(_ bytes: [UInt8]) -> TextEncoding? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return TextEncoding(named: "utf-16")
        }
        if let position = bytes.firstIndex(of: 0) {
            // The first character of a header is assumed to be ASCII.
            return TextEncoding(named: position % 2 == 0 ? "utf-16be" : "utf-16le")
        }
        var name = [CChar](repeating: 0, count: 64)
        let isFound = bytes.withUnsafeBytes { bytes in
            afterword_detect(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), &name, 64)
        }
        guard isFound != 0 else { return nil }
        let charset = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .lowercased()
        // Windows-1252 contains all printable characters of ISO 8859-1 and others that programs write.
        return charset == "utf-8" ? nil : TextEncoding(named: charset == "iso-8859-1" ? "windows-1252" : charset)
    }

    /// Returns nil for UTF-8, and if ICU lacks the data for the encoding.
    func decoder() -> TextDecoder? { icuName.flatMap { TextDecoder($0) } }
}

/// Converts bytes of another encoding to UTF-8, in chunks.
///
/// Invalid bytes become 0xFF, which never occurs in UTF-8, so that their row is refused.
final class TextDecoder {
    private let decoder: UnsafeMutableRawPointer
    private var units: [UInt16] = []
    private var buffer = [UInt16](repeating: 0, count: 1 << 14)

    init?(_ icuName: String) {
        guard let decoder = afterword_decoder_open(icuName) else { return nil }
        self.decoder = decoder
    }

    deinit { afterword_decoder_close(decoder) }

    func decode(_ bytes: [UInt8], isLast: Bool = false) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count * 2)
        bytes.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self)
            var source: UnsafePointer<CChar>? = start.baseAddress
            let end = start.baseAddress.map { $0 + start.count }
            while true {
                var written: Int32 = 0
                let outcome = afterword_decode(
                    decoder, &source, end, isLast ? 1 : 0, &buffer, Int32(buffer.count), &written)
                units += buffer.prefix(Int(written))
                let isBroken = outcome == Int32(AFTERWORD_DECODE_BROKEN)
                let isDone = outcome == Int32(AFTERWORD_DECODE_DONE)
                flush(into: &decoded, isLast: isLast && isDone || isBroken)
                if isBroken { decoded.append(0xFF) }
                if isDone { return }
            }
        }
        return decoded
    }

    /// Keeps the first half of a surrogate pair until the second half arrives.
    private func flush(into decoded: inout [UInt8], isLast: Bool) {
        let held = !isLast && units.last.map(UTF16.isLeadSurrogate) == true ? units.popLast() : nil
        decoded += String(decoding: units, as: UTF16.self).utf8
        units = held.map { [$0] } ?? []
    }
}

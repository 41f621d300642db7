import Foundation

extension UUID {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The lower-case text that is used in all documents and messages. `uuidString` is in upper case, and slow:
    /// formatting one id takes longer than deriving the receipt of a submission.
    public var lowercased: String {
        String(unsafeUninitializedCapacity: 36) { text in
            withUnsafeBytes(of: uuid) { bytes in
                var length = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[length] = UInt8(ascii: "-")
                        length += 1
                    }
                    text[length] = Self.digits[Int(byte >> 4)]
                    text[length + 1] = Self.digits[Int(byte & 15)]
                    length += 2
                }
                return length
            }
        }
    }
}

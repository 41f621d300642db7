import Cryptography
import Domain
import Foundation
import StrictJSON

/// Encodes and decodes the cursors of one list of texts.
///
/// A cursor contains a MAC over its list: a cursor of another form, question, search or order, or a forged one, is
/// rejected. So is one from before an anonymous form became final, because its answers have another order since.
struct TextCursor {
    private static let codeLength = 16

    static let refusal = Problem([
        Fault(.invalid, at: "?cursor", code: "invalid-cursor", "The cursor is not valid for this list, or no longer.")
    ])

    private let mac: HMACSHA256
    private let list: [[UInt8]]

    init(_ list: TextList, of question: TextQuestion, keys: KeyRing) throws {
        let salt = Array(question.formID.lowercased.utf8)
        mac = HMACSHA256(
            key: HKDF.sha256(
                key: try keys.key(question.keyNumber), salt: salt, info: "afterword/1/text-cursor"))
        self.list = [
            Array(question.key.utf8), Array((list.search ?? "").utf8), [list.hidden ? 1 : 0, list.shuffled ? 1 : 0],
            [question.hasSalt ? 1 : 0],
        ]
    }

    func write(_ position: TextPosition) -> String {
        let bytes = position.bytes
        return Base64URL.encode(bytes + code(of: bytes))
    }

    /// Throws 422 for a cursor that this list has not issued.
    func read(_ text: String) throws(Problem) -> TextPosition {
        guard text.utf8.count <= 100, let bytes = Base64URL.decode(text), bytes.count > Self.codeLength,
            constantTimeEquals(Array(bytes.suffix(Self.codeLength)), code(of: bytes.dropLast(Self.codeLength))),
            let position = TextPosition(bytes: bytes.dropLast(Self.codeLength))
        else { throw Self.refusal }
        return position
    }

    private func code(of bytes: some Collection<UInt8>) -> [UInt8] {
        Array(mac.authenticate(parts: list + [Array(bytes)]).prefix(Self.codeLength))
    }
}

import Cryptography
import Domain
import Foundation
import StrictJSON

/// Encodes and decodes the cursors of one list of texts.
///
/// A cursor contains a position and a MAC over the position and the list. So a cursor is rejected if it is forged or
/// belongs to another form, question, search or order. A cursor from before an anonymous form became final is rejected
/// too, because the order of the answers has changed.
struct TextCursor {
    private static let macLength = 16

    static let refusal = Problem(
        invalid: "?cursor", code: "invalid-cursor", "The cursor is not, or no longer, valid for this list.")

    private let mac: HMACSHA256
    private var list: [[UInt8]]

    init(_ list: TextList, of question: TextQuestion, keys: KeyRing) throws {
        let salt = Array(question.formID.lowercased.utf8)
        mac = HMACSHA256(
            key: HKDF.sha256(
                key: try keys.key(question.keyNumber), salt: salt, info: "afterword/1/text-cursor"))
        self.list = [
            Array(question.key.utf8), Array((list.search ?? "").utf8),
            [list.filter.hidden ? 1 : 0, list.shuffled ? 1 : 0],
            [question.hasSalt ? 1 : 0],
        ]
        if list.filter.starred || list.filter.tag != nil {
            self.list += [[list.filter.starred ? 1 : 0], Array((list.filter.tag ?? "").utf8)]
        }
    }

    func write(_ position: TextPosition) -> String {
        let bytes = position.bytes
        return Base64URL.encode(bytes + authenticationCode(of: bytes))
    }

    /// Throws 422 for a cursor that was not issued for this list.
    func read(_ text: String) throws(Problem) -> TextPosition {
        guard text.utf8.count <= 100, let bytes = Base64URL.decode(text), bytes.count > Self.macLength,
            constantTimeEquals(
                Array(bytes.suffix(Self.macLength)), authenticationCode(of: bytes.dropLast(Self.macLength))),
            let position = TextPosition(bytes: bytes.dropLast(Self.macLength))
        else { throw Self.refusal }
        return position
    }

    private func authenticationCode(of bytes: some Collection<UInt8>) -> [UInt8] {
        Array(mac.authenticate(parts: list + [Array(bytes)]).prefix(Self.macLength))
    }
}

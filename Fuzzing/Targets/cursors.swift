import Domain
import Foundation

@testable import Cryptography
@testable import HTTPAPI
@testable import Store

extension FuzzTarget {
    /// The cursors, receipts and tokens that clients send back: the position in an accepted cursor survives encoding, and
    /// authenticated cursors, receipts and tokens are refused without a valid MAC.
    static let cursors: Run = { input in
        guard let (selector, rest) = input.choice else { return }
        // Half of the inputs are used as the text inside a cursor, which mutations of an encoded text rarely reach.
        let text = selector < 128 ? rest.text : Cursor.encode(rest.text)
        checkBase64(text)
        checkPlainCursors(text)
        checkAuthenticated(text)
        checkPositions(rest.array)
    }

    private static func checkBase64(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return }
        law(isSame(Base64URL.encode(bytes), text), "A value has one encoding.")
    }

    private static func checkPlainCursors(_ text: String) {
        if let (start, id) = Cursor.meeting(text) {
            let again = Cursor.meeting(Cursor.after(Meeting(id: id, startsAt: start, round: 1)))
            law(again?.id == id && isNear(again?.startsAt, start), "A meeting's cursor is stable.")
        }
        for order in SeriesQuery.Order.allCases {
            guard let place = Cursor.series(text, in: order) else { continue }
            let series = MeetingSeries(id: place.id, createdAt: place.at, position: place)
            let again = Cursor.series(Cursor.after(series, in: order), in: order)
            law(again?.id == place.id && again?.isCurrent == place.isCurrent, "A series' cursor is stable.")
            law(isNear(again?.at, place.at), "A series' cursor is stable.")
        }
        if let (email, id) = Cursor.account(text) {
            let again = Cursor.account(Cursor.after(Profile(account: Account(id: id, email: email))))
            law(again?.id == id && isSame(again?.email ?? "", email), "An account's cursor is stable.")
        }
        if let (at, id) = Cursor.audit(text) {
            let again = Cursor.audit(Cursor.after(AuditEntry(id: id, at: at)))
            law(again?.id == id && isNear(again?.at, at), "An audit cursor is stable.")
        }
        if let (key, id) = Cursor.attendee(text) {
            let again = Cursor.attendee(Cursor.after(Attendee(id: id, sortKey: key)))
            law(again?.id == id && isSame(again?.sortKey ?? "", key), "An attendee's cursor is stable.")
            law(!key.utf8.contains(0), "A position contains no NUL.")
        }
        if let round = Cursor.round(text) {
            let again = Cursor.round(Cursor.afterRound(Meeting(id: UUID(), round: round)))
            law(again == round, "A round's cursor is stable.")
        }
        if let address = Cursor.address(text) {
            law(isSame(Cursor.address(Cursor.after(address: address)) ?? "", address), "An address's cursor is stable.")
        }
        if let id = Cursor.joinCode(text) {
            law(Cursor.joinCode(Cursor.after(JoinCode(id: id))) == id, "A join code's cursor is stable.")
        }
        _ = Cursor.id(of: "webhook")(text)
    }

    private static func checkAuthenticated(_ text: String) {
        law(Keys.ranking?.read(text) == nil, "A forged cursor of a ranking is refused.")
        law((try? Keys.texts?.read(text)) == nil, "A forged cursor of texts is refused.")
        law(Keys.form.submission(receipt: text) == nil, "A forged receipt is refused.")
        law(Keys.form.attendee(token: text) == nil, "A forged personal link is refused.")
    }

    /// Checks positions without a cursor, because a random cursor never has a valid MAC.
    private static func checkPositions(_ bytes: [UInt8]) {
        if let position = TextPosition(bytes: bytes[...]) {
            law(position.bytes == bytes, "A position has one encoding.")
            law((try? Keys.texts?.read(Keys.texts?.write(position) ?? "")) == position, "A cursor of texts is read.")
        }
        guard bytes.count >= 32, let ranking = Keys.ranking else { return }
        let numbers = (0..<4).map { index in
            Double(bitPattern: bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
        let prior = Credibility(
            mean: numbers[0], weight: numbers[1], within: numbers[2], between: nil, method: .meanGroupSize,
            base: Credibility.Base(
                groups: Int(bytes[1]), answers: Int(bytes[2]), credibility: Double(bytes[3]) + numbers[3]))
        let position = Ranking.Position(
            shrunkMean: numbers[3], count: Int(bytes[0]), title: String(decoding: bytes[32...], as: UTF8.self),
            id: UUID())
        let content = RankCursor.Content(position: position, prior: prior)
        let read = ranking.read(ranking.write(content))
        // Only numbers that can be a prior are accepted, even behind a valid MAC.
        law(read == nil || read == content || !numbers.allSatisfy(\.isFinite), "A cursor of a ranking is read.")
    }

    /// Whether the dates are equal up to rounding. Beyond the year 2255, a double cannot represent microseconds
    /// exactly.
    private static func isNear(_ left: Date?, _ right: Date?) -> Bool {
        guard let left, let right else { return left == right }
        return abs(left.timeIntervalSince(right)) <= 1e-4
    }
}

private enum Keys {
    static let ring = KeyRing(keys: [1: [UInt8](repeating: 7, count: 32)])
    static let form = FormKeys(secret: [UInt8](repeating: 1, count: 32), salt: [UInt8](repeating: 2, count: 16))
    static let ranking = ring.flatMap { try? RankCursor(of: ["host", "2026"], keys: $0) }
    static let texts = ring.flatMap {
        try? TextCursor(
            TextList(shuffled: true), of: TextQuestion(formID: UUID(), key: "better", keyNumber: 1, hasSalt: true),
            keys: $0)
    }
}

import Cryptography
import Domain
import Foundation

/// Encodes and decodes the cursors of one ranking's pages.
///
/// A cursor contains the position at which a page ended and the prior of the ranking, with a MAC over both and over the
/// request. So a forged cursor or one of another ranking is rejected.
public struct RankCursor: Sendable {
    public struct Content: Sendable, Equatable {
        public var position: Ranking.Position
        /// The prior of the first page, with which the following pages are ranked.
        public var prior: Credibility

        public init(position: Ranking.Position, prior: Credibility) {
            self.position = position
            self.prior = prior
        }
    }

    private static let macLength = 16
    /// The maximum length of a cursor. Its longest part is the beginning of a title, which has a few hundred bytes.
    private static let maxLength = 1000

    private let mac: HMACSHA256
    private let query: [[UInt8]]

    init(of query: [String], keys: KeyRing) throws {
        mac = HMACSHA256(
            key: HKDF.sha256(key: try keys.key(keys.newest), salt: [], info: "afterword/1/rank-cursor"))
        self.query = query.map { Array($0.utf8) }
    }

    public func write(_ content: Content) -> String {
        let (position, prior) = (content.position, content.prior)
        let fields = [
            prior.method.rawValue, Self.bits(prior.mean), Self.bits(prior.weight), Self.bits(prior.within),
            Self.bits(prior.between), String(prior.base.groups), String(prior.base.answers),
            Self.bits(prior.base.credibility), Self.bits(position.shrunkMean), String(position.count),
            Base64URL.encode(Array(position.title.utf8)), position.id.uuidString,
        ]
        let bytes = Array(fields.joined(separator: ":").utf8)
        return Base64URL.encode(bytes + authenticationCode(of: bytes))
    }

    /// Returns nil for a cursor that was not issued for this ranking.
    public func read(_ text: String) -> Content? {
        guard text.utf8.count <= Self.maxLength, let bytes = Base64URL.decode(text), bytes.count > Self.macLength,
            constantTimeEquals(
                Array(bytes.suffix(Self.macLength)), authenticationCode(of: bytes.dropLast(Self.macLength))),
            let plain = String(validating: bytes.dropLast(Self.macLength), as: UTF8.self)
        else { return nil }
        let parts = plain.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 12, let method = Credibility.Method(rawValue: parts[0]), let mean = Self.number(parts[1]),
            let weight = Self.number(parts[2]), let groups = Int(parts[5]), let answers = Int(parts[6]),
            let credibility = Self.number(parts[7]), let shrunkMean = Self.number(parts[8]), let count = Int(parts[9]),
            let title = Base64URL.decode(parts[10]).flatMap({ String(validating: $0, as: UTF8.self) }),
            let id = UUID(uuidString: parts[11])
        else { return nil }
        let prior = Credibility(
            mean: mean, weight: weight, within: Self.number(parts[3]), between: Self.number(parts[4]), method: method,
            base: Credibility.Base(groups: groups, answers: answers, credibility: credibility))
        guard prior.isPossible else { return nil }
        return Content(
            position: Ranking.Position(shrunkMean: shrunkMean, count: count, title: title, id: id), prior: prior)
    }

    private func authenticationCode(of bytes: some Collection<UInt8>) -> [UInt8] {
        Array(mac.authenticate(parts: query + [Array(bytes)]).prefix(Self.macLength))
    }

    /// The bit pattern of the number in base 36, so that no precision is lost; empty for nil.
    private static func bits(_ number: Double?) -> String { number.map { String($0.bitPattern, radix: 36) } ?? "" }

    private static func number(_ text: String) -> Double? {
        UInt64(text, radix: 36).map { Double(bitPattern: $0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}

import Cryptography
import Domain
import Foundation

extension Cursor {
    /// Where a page of a ranking ended, and the prior that all its pages are ranked by.
    struct Rank {
        var position: Ranking.Position
        var prior: Credibility
    }

    /// - Parameter query: what was asked for, in parts: with another question, or changed by anybody, a cursor is none.
    static func after(_ position: Ranking.Position, _ prior: Credibility, of query: [String]) -> String {
        let fields = [
            prior.method.rawValue, bits(prior.mean), bits(prior.weight), bits(prior.within), bits(prior.between),
            bits(position.shrunk), String(position.count), Base64URL.encode(Array(position.title.utf8)),
            position.id.uuidString,
        ]
        return encode((["k", digest(query + fields)] + fields).joined(separator: ":"))
    }

    static func rank(of query: [String]) -> (String) -> Rank? {
        { text in
            guard let parts = decode(text, "k", 11), parts[1] == digest(query + parts[2...]),
                let method = Credibility.Method(rawValue: parts[2]), let mean = number(parts[3]),
                let weight = number(parts[4]), let shrunk = number(parts[7]), let count = Int(parts[8]),
                let bytes = Base64URL.decode(parts[9]), let title = String(validating: bytes, as: UTF8.self),
                let id = UUID(uuidString: parts[10])
            else { return nil }
            return Rank(
                position: Ranking.Position(shrunk: shrunk, count: count, title: title, id: id),
                prior: Credibility(
                    mean: mean, weight: weight, within: number(parts[5]), between: number(parts[6]), method: method))
        }
    }

    private static func digest(_ parts: [String]) -> String {
        let text = parts.map { "\($0.utf8.count) \($0)" }.joined()
        return Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(9)))
    }

    /// All digits of it; nothing of nil.
    private static func bits(_ number: Double?) -> String { number.map { String($0.bitPattern, radix: 36) } ?? "" }

    private static func number(_ text: String) -> Double? {
        UInt64(text, radix: 36).map { Double(bitPattern: $0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}

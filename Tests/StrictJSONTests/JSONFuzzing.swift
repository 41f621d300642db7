import Foundation
import StrictJSON
import Testing

/// Compares the parser with Foundation's on random texts.
@Suite struct JSONFuzzing {
    @Test(arguments: 0..<8)
    func acceptedTextsMeanTheSameToFoundation(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var accepted = 0
        for _ in 0..<2000 {
            let bytes = Self.mutated(Self.randomValue(depth: 4, &random).bytes, &random)
            guard let value = try? JSONValue.parse(bytes) else { continue }
            accepted += 1
            let text = String(decoding: bytes, as: UTF8.self)
            let foundationValue = try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
            let agrees = foundationValue.map { Self.agrees(value, $0) } ?? Self.isBeyondFoundation(value)
            #expect(agrees, "\(text)")
            #expect((try? JSONValue.parse(value.bytes)) == value, "\(text)")
        }
        #expect(accepted > 300)
    }

    @Test(arguments: 0..<4)
    func randomBytesNeverTrap(_ seed: UInt64) {
        var random = SplitMix(state: seed &+ 99)
        let alphabet = Array("{}[]\",:\\u0189.eE+-truefalsn \n\u{e9}".utf8) + [0xFF, 0x80, 0xED, 0xA0, 0x00]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            if let value = try? JSONValue.parse(bytes) { #expect((try? JSONValue.parse(value.bytes)) == value) }
        }
    }

    private static func randomValue(depth: Int, _ random: inout SplitMix) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 7 : 4), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return JSONValue(Int.random(in: -1000...1000, using: &random))
        case 3: return JSONValue(Double.random(in: -1e6...1e6, using: &random))
        case 4: return .string(randomText(&random))
        case 5, 6:
            let count = Int.random(in: 0...4, using: &random)
            return .object(
                (0..<count).map { .init("\($0)" + randomText(&random), randomValue(depth: depth - 1, &random)) })
        default:
            let count = Int.random(in: 0...4, using: &random)
            return .array((0..<count).map { _ in randomValue(depth: depth - 1, &random) })
        }
    }

    private static func randomText(_ random: inout SplitMix) -> String {
        let pieces = ["a", "\"", "\\", "\n", "é", "한", "😀", "\u{1}", "/", "e\u{301}", ""]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    /// Half of the texts are unchanged. The others have a byte changed, doubled or removed.
    private static func mutated(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        guard Bool.random(using: &random), let index = bytes.indices.randomElement(using: &random) else { return bytes }
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(bytes[index], at: index)
        default: bytes.remove(at: index)
        }
        return bytes
    }

    private static func agrees(_ value: JSONValue, _ other: Any) -> Bool {
        switch value {
        case .null: return other is NSNull
        case .bool(let bool): return (other as? NSNumber)?.boolValue == bool
        case .string(let text): return (other as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
        case .number(let text):
            // Foundation converts through `Decimal` and may return a neighboring double.
            guard let converted = (other as? NSNumber)?.doubleValue, let exact = Double(text) else { return false }
            return abs(converted - exact) <= abs(exact) * 1e-15
        case .array(let elements):
            guard let others = other as? [Any], others.count == elements.count else { return false }
            return zip(elements, others).allSatisfy { agrees($0, $1) }
        case .object(let members):
            guard let others = other as? [String: Any], others.count == members.count else { return false }
            return members.allSatisfy { member in others[member.name].map { agrees(member.value, $0) } ?? false }
        }
    }

    /// Foundation refuses numbers outside the range of doubles. This parser keeps their text.
    private static func isBeyondFoundation(_ value: JSONValue) -> Bool {
        switch value {
        case .number: value.double == nil
        case .array(let elements): elements.contains(where: isBeyondFoundation)
        case .object(let members): members.contains { isBeyondFoundation($0.value) }
        default: false
        }
    }
}

/// A generator whose numbers are the same in every run (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

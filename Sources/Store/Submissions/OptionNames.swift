import Cryptography
import Domain

/// The option ids of one question by label, for choices whose options are the values of a file.
///
/// Rounds are counted together by option ids, so an id must not depend on the other values of a file: a known label
/// keeps its id, and a new one gets an unused id derived from the label.
public struct OptionNames: Sendable {
    private static let longestId = 40

    private struct Known {
        var id: String
        /// The current label, then those before it was reworded.
        var labels: [ExactText]
    }

    private var known: [Known] = []
    private var places: [String: Int] = [:]

    public init() {}

    /// Adds an option of an older round than those before.
    ///
    /// If the labels share one, the option was reworded, and the older labels are added. Otherwise the id meant
    /// something else in the older round, and keeps its newer meaning.
    ///
    /// - Parameter labels: The option's labels in one form, newest first.
    mutating func add(_ id: String, _ labels: [String]) {
        let labels = labels.map { ExactText($0) }
        guard let place = places[id] else {
            places[id] = known.count
            known.append(Known(id: id, labels: labels))
            return
        }
        guard labels.contains(where: known[place].labels.contains) else { return }
        known[place].labels += labels.filter { !known[place].labels.contains($0) }
    }

    /// Adds the options of older rounds.
    mutating func add(_ older: OptionNames) {
        for option in older.known { add(option.id, option.labels.map(\.string)) }
    }

    /// The options of one form's versions, by question key.
    ///
    /// - Parameter versions: The versions' questions, newest first.
    static func all(in versions: [[Question]]) -> [String: OptionNames] {
        var names: [String: OptionNames] = [:]
        for question in versions.joined() {
            guard case .choice(let choice) = question.kind else { continue }
            for option in choice.options { names[question.key, default: OptionNames()].reword(option) }
        }
        return names
    }

    /// Adds a label that the option had in an older version of the same form.
    private mutating func reword(_ option: Question.Option) {
        let label = ExactText(option.label)
        guard let place = places[option.id] else { return add(option.id, [option.label]) }
        if !known[place].labels.contains(label) { known[place].labels.append(label) }
    }

    /// Returns a different option for each label. A reworded option has its newest label.
    ///
    /// - Parameter labels: Must differ from each other, compared by code points.
    public func options(for labels: [String]) -> [Question.Option] {
        var ids: [ExactText: String] = [:]
        var taken: Set<String> = ["other", "other_text"]
        let exact = labels.map { ExactText($0) }
        let wanted = Set(exact)
        for option in known {
            guard let label = option.labels.first, wanted.contains(label), ids[label] == nil else { continue }
            ids[label] = option.id
            taken.insert(option.id)
        }
        var reworded: [ExactText: String] = [:]
        for option in known where !taken.contains(option.id) {
            let label = option.labels.dropFirst().first { wanted.contains($0) && ids[$0] == nil }
            guard let label else { continue }
            ids[label] = option.id
            reworded[label] = option.labels[0].string
        }
        taken.formUnion(known.map(\.id))
        return exact.map { label in
            let id = ids[label] ?? Self.newId(for: label.string, besides: &taken)
            return Question.Option(id: id, label: reworded[label] ?? label.string)
        }
    }

    /// Whether each label belongs to a known option.
    func covers(_ labels: [String]) -> Bool {
        options(for: labels).allSatisfy { places[$0.id] != nil }
    }

    /// The label's slug if it is free, otherwise the slug with a hash of the label.
    private static func newId(for label: String, besides taken: inout Set<String>) -> String {
        let slug = slug(label)
        if let slug, slug.utf8.count <= longestId, taken.insert(slug).inserted { return slug }
        var attempt = 0
        while true {
            let salt = attempt == 0 ? "" : "\u{0}\(attempt)"
            let hash = hexadecimal(SHA256.hash(Array((label + salt).utf8)).prefix(6))
            let id = slug.map { "\($0.prefix(longestId - 13))_\(hash)" } ?? "o\(hash)"
            if taken.insert(id).inserted { return id }
            attempt += 1
        }
    }

    /// The label in lower case, with `_` between words and `v` before a leading digit; nil if it has non-ASCII
    /// characters, or neither letters nor digits.
    private static func slug(_ label: String) -> String? {
        var bytes: [UInt8] = []
        for byte in label.utf8 {
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
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

import Cryptography
import Domain

/// The option ids of one question by label, for choices whose options are derived from the values in a file.
///
/// Results of several rounds are added up by option id, so an option must have the same id in each file, whatever the
/// other values are. A known label keeps its id. A new label gets an unused id that is derived from the label.
public struct OptionNames: Sendable {
    private static let maxIDLength = 40

    private struct Known {
        var id: String
        /// The current label, then earlier ones, newest first.
        var labels: [ExactText]
    }

    private var known: [Known] = []
    /// The index in `known` of each id.
    private var indices: [String: Int] = [:]

    public init() {}

    /// Adds an option of a round that is older than the rounds of the options added before.
    ///
    /// If the id is known and has one of the labels, the option was reworded, and the older labels are added. If the
    /// known option has none of the labels, the id had another meaning in the older round, and the older option is
    /// ignored.
    ///
    /// - Parameter labels: The option's labels in one form, newest first.
    mutating func add(_ id: String, _ labels: [String]) {
        let labels = labels.map { ExactText($0) }
        guard let index = indices[id] else {
            indices[id] = known.count
            known.append(Known(id: id, labels: labels))
            return
        }
        guard labels.contains(where: known[index].labels.contains) else { return }
        known[index].labels += labels.filter { !known[index].labels.contains($0) }
    }

    /// Adds the options of older rounds.
    mutating func add(_ older: OptionNames) {
        for option in older.known { add(option.id, option.labels.map(\.string)) }
    }

    /// Returns the options of one form's versions, by question key.
    ///
    /// - Parameter versions: The versions' questions, newest first.
    static func all(in versions: [[Question]]) -> [String: OptionNames] {
        var names: [String: OptionNames] = [:]
        for question in versions.joined() {
            guard case .choice(let choice) = question.kind else { continue }
            for option in choice.options { names[question.key, default: OptionNames()].addWording(option) }
        }
        return names
    }

    /// Adds a label that the option had in an older version of the same form.
    private mutating func addWording(_ option: Question.Option) {
        let label = ExactText(option.label)
        guard let index = indices[option.id] else { return add(option.id, [option.label]) }
        if !known[index].labels.contains(label) { known[index].labels.append(label) }
    }

    /// Returns an option for each label. If the label is an earlier label of an option, the option is returned with its
    /// newest label.
    ///
    /// - Parameter labels: Distinct labels, compared by code points.
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
            let id = ids[label] ?? Self.newID(for: label.string, avoiding: &taken)
            return Question.Option(id: id, label: reworded[label] ?? label.string)
        }
    }

    /// Returns whether each label belongs to a known option.
    func covers(_ labels: [String]) -> Bool {
        options(for: labels).allSatisfy { indices[$0.id] != nil }
    }

    /// Returns an id for a new label, and adds the id to `taken`. The id is the label's slug if that is unused,
    /// otherwise the slug with a hash of the label.
    private static func newID(for label: String, avoiding taken: inout Set<String>) -> String {
        let slug = slug(label)
        if let slug, slug.utf8.count <= maxIDLength, taken.insert(slug).inserted { return slug }
        var attempt = 0
        while true {
            let salt = attempt == 0 ? "" : "\u{0}\(attempt)"
            let hash = hexadecimal(SHA256.hash(Array((label + salt).utf8)).prefix(6))
            let id = slug.map { "\($0.prefix(maxIDLength - 13))_\(hash)" } ?? "o\(hash)"
            if taken.insert(id).inserted { return id }
            attempt += 1
        }
    }

    /// Returns the label in lower case, with `_` between words and `v` before a leading digit. Returns nil if the label
    /// has non-ASCII characters, or neither letters nor digits.
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

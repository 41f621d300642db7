import Foundation
import StrictJSON

/// Rules that several parts of a definition share, each with its error.
extension ObjectReader {
    /// A text of at most `limit` user-perceived characters.
    func text(_ name: String, atMost limit: Int) -> String? {
        guard let text = string(name) else { return nil }
        guard Limits.isStorable(text, limit) else {
            fault(at: name, code: "too-long", "At most \(limit) characters are allowed.")
            return nil
        }
        return text
    }

    /// A required text of at most `limit` user-perceived characters. A blank text is reported as `required`.
    func requiredText(_ name: String, atMost limit: Int) -> String? {
        guard let text = requiredString(name) else { return nil }
        guard !Limits.isBlank(text) else {
            fault(at: name, code: "required", "This cannot be blank.")
            return nil
        }
        guard Limits.isStorable(text, limit) else {
            fault(at: name, code: "too-long", "At most \(limit) characters are allowed.")
            return nil
        }
        return text
    }

    /// A time, truncated to whole seconds because responses contain no fractions.
    func second(_ name: String) -> Date? {
        date(name).map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
    }

    func int(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = int(name) else { return nil }
        guard range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "At least \(range.lowerBound) is expected here."
                : "A number from \(range.lowerBound) to \(range.upperBound) is expected here."
            fault(at: name, code: "out-of-range", bounds)
            return nil
        }
        return number
    }

    func requiredInt(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard has(name) else { return requiredInt(name) }
        return int(name, in: range)
    }

    /// One of an enumeration's values.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type, _ name: String) -> Word? {
        guard let text = string(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        fault(at: name, code: "unknown-value", "This must be one of: \(words).")
        return nil
    }

    func required<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type, _ name: String) -> Word? {
        guard has(name) else {
            _ = requiredString(name)
            return nil
        }
        return word(type, name)
    }

    /// A question's key or an option's id.
    func key(_ name: String) -> String? {
        guard let text = requiredString(name) else { return nil }
        guard Limits.isKey(text) else {
            fault(
                at: name, code: "invalid-key",
                "A lower-case letter is expected here, then at most 39 lower-case letters, digits or underscores.")
            return nil
        }
        return text
    }
}

import Foundation
import StrictJSON

/// Validation rules that several request bodies share, each with its error.
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
        return self.text(name, atMost: limit)
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
    public func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type, _ name: String) -> Word? {
        guard let text = string(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        fault(at: name, code: "unknown-value", "This must be one of: \(words).")
        return nil
    }

    func required<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type, _ name: String) -> Word? {
        require(name)
        return word(type, name)
    }

    /// A required list of known words. Returns each word once, in the order of `known`.
    ///
    /// - Parameters:
    ///   - detail: The sentence of the error for an empty list.
    ///   - allowsDuplicates: Whether a repeated word is ignored. If not, it is an error.
    func requiredWords(
        _ name: String, of known: [String], ifEmpty detail: String, allowsDuplicates: Bool = true
    ) -> [String]? {
        guard let values = requiredArray(name) else { return nil }
        if values.isEmpty { fault(at: name, code: "required", detail) }
        var listed: Set<String> = []
        for (index, value) in values.enumerated() {
            let pointer = pointer(to: name) + "/\(index)"
            guard let word = value.string else {
                add([Fault(.malformed, at: pointer, code: "wrong-type", "A text is expected here.")])
                continue
            }
            if !known.contains(word) {
                add([
                    Fault(
                        .invalid, at: pointer, code: "unknown-value",
                        "This must be one of: \(known.joined(separator: ", ")).")
                ])
            } else if !listed.insert(word).inserted, !allowsDuplicates {
                add([Fault(.invalid, at: pointer, code: "duplicate", "This is listed twice.")])
            }
        }
        return known.filter(listed.contains)
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

extension Fault {
    /// Returns the error for an `expiresAt` that has passed or is more than `maxDays` ahead.
    static func ofExpiry(_ end: Date, now: Date, maxDays: Double, past: String, late: String) -> Fault? {
        if end <= now { return Fault(.invalid, at: "/expiresAt", code: "in-the-past", past) }
        guard end.timeIntervalSince(now) > maxDays * 86_400 else { return nil }
        return Fault(.invalid, at: "/expiresAt", code: "too-late", late)
    }
}

import Domain
import Foundation
import StrictJSON

/// Reads the query parameters of one request by name, and collects the errors until all parameters have been read.
public struct QueryReader: Sendable {
    private var values: [String: String] = [:]
    /// All values in their order, for parameters that may occur more than once.
    private var lists: [String: [String]] = [:]
    private var faults: [Fault] = []

    /// More than the parameters of any route.
    private static let maxParameters = 64

    /// Parses a raw query. Unknown names, repeated names that are not `repeatable`, and invalid percent-encoding are
    /// errors. So are too many parameters, of which none is then read.
    init(_ raw: String?, known: [String], repeatable: Set<String> = []) {
        guard let raw, !raw.isEmpty else { return }
        let pairs = raw.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.maxParameters)
        guard pairs.count <= Self.maxParameters else {
            refuse("", "too-many-parameters", "At most \(Self.maxParameters) parameters are allowed.")
            return
        }
        for pair in pairs {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let key = PercentEncoding.decode(name, plusIsSpace: true),
                let value = PercentEncoding.decode(pair.dropFirst(name.count + 1), plusIsSpace: true)
            else {
                refuse(
                    "", "invalid-encoding",
                    """
                    The query is not percent-encoded UTF-8, or has more than \(StreamSafeText.longestRun) combining \
                    marks in a row.
                    """)
                continue
            }
            if !known.contains(key) {
                refuse(key, "unknown-parameter", "There is no such parameter here.")
            } else if repeatable.contains(key) {
                lists[key, default: []].append(value)
            } else if values[key] != nil {
                refuse(key, "repeated-parameter", "The parameter may occur only once.")
            } else {
                values[key] = value
            }
        }
    }

    /// Records an error of a parameter.
    public mutating func refuse(_ name: String, _ code: String, _ detail: String) {
        faults.append(Fault(.invalid, at: "?" + name, code: code, detail))
    }

    /// The decoded value, possibly empty.
    public func string(_ name: String) -> String? { values[name] }

    /// All values of a parameter that may occur more than once.
    public func strings(_ name: String) -> [String] { lists[name] ?? [] }

    public mutating func int(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text) else {
            refuse(name, "not-an-integer", "A whole number is expected here.")
            return nil
        }
        guard range.contains(number) else {
            refuse(name, "out-of-range", "A number from \(range.lowerBound) to \(range.upperBound) is expected here.")
            return nil
        }
        return number
    }

    /// An RFC 3339 instant; the `+` of its offset may be unencoded.
    public mutating func instant(_ name: String) -> Date? {
        guard let text = values[name] else { return nil }
        guard let date = RFC3339.parse(text.replacing(" ", with: "+")) else {
            refuse(name, "invalid-time", "An instant is expected here, such as 2026-11-21T09:30:00Z.")
            return nil
        }
        return date
    }

    /// An RFC 3339 instant whose absence is an error.
    public mutating func requiredInstant(_ name: String) -> Date? {
        if string(name) == nil { refuse(name, "required", "This is required.") }
        return instant(name)
    }

    /// A calendar date (midnight in UTC) or an instant.
    public mutating func dateOrInstant(_ name: String) -> Date? {
        guard let text = values[name] else { return nil }
        if text.utf8.count == 10, let day = RFC3339.parse(text + "T00:00:00Z") { return day }
        guard let date = RFC3339.parse(text.replacing(" ", with: "+")) else {
            refuse(
                name, "invalid-time",
                "A date or an instant is expected here, such as 2026-11-21 or 2026-11-21T09:30:00Z.")
            return nil
        }
        return date
    }

    /// One of an enumeration's raw values.
    public mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Choice.Type = Choice.self
    ) -> Choice? {
        guard let text = values[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(name, "unknown-choice", "This must be one of: \(all).")
            return nil
        }
        return choice
    }

    /// A Boolean: `true`, `1` or an empty value for true, `false` or `0` for false.
    public mutating func flag(_ name: String) -> Bool? {
        switch values[name] {
        case nil: return nil
        case "true", "1", "": return true
        case "false", "0": return false
        default:
            refuse(name, "not-a-flag", "True or false is expected here.")
            return nil
        }
    }

    func finish() throws(Problem) {
        if !faults.isEmpty { throw Problem(faults) }
    }
}

extension QueryReader {
    /// `from` and `to` as dates or instants; `to` is exclusive.
    mutating func period() -> (from: Date?, to: Date?) {
        let (from, to) = (dateOrInstant("from"), dateOrInstant("to"))
        requireOrder(from, to)
        return (from, to)
    }

    /// Refuses `to` unless it is later than `from`.
    mutating func requireOrder(_ from: Date?, _ to: Date?) {
        if let from, let to, to <= from { refuse("to", "ends-before-start", "`to` must be later than `from`.") }
    }
}

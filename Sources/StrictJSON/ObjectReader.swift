#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the members of one JSON object and collects all faults, so that a client gets them in one response.
///
/// Null counts as missing. Members that were never read are reported as `unknown-field` when the outermost reader
/// finishes. Nested readers finish with it. A reader is used within one call and is not shared.
public final class ObjectReader {
    /// The JSON pointer of this object in the body.
    public let pointer: String
    private let members: [JSONValue.Member]
    private let isObject: Bool
    private var readNames: Set<String> = []
    private var children: [ObjectReader] = []
    private let ledger: Ledger

    private final class Ledger {
        private(set) var faults: [Fault] = []

        /// Whether further faults would change nothing. Input of megabytes may have hundreds of thousands.
        var isFull: Bool {
            faults.count > Fault.maximumReported && faults.contains { $0.kind == .malformed }
        }

        /// Keeps one fault more than a response reports, to detect that there are more. The first malformed fault is
        /// always kept, because it changes the status of the response.
        func add(_ fault: Fault) {
            if faults.count <= Fault.maximumReported {
                faults.append(fault)
            } else if fault.kind == .malformed, !faults.contains(where: { $0.kind == .malformed }) {
                faults[Fault.maximumReported - 1] = fault
            }
        }
    }

    public convenience init(_ value: JSONValue, at pointer: String = "") {
        self.init(value, at: pointer, ledger: Ledger())
    }

    private init(_ value: JSONValue, at pointer: String, ledger: Ledger) {
        self.pointer = pointer
        self.ledger = ledger
        if case .object(let members) = value {
            self.members = members
            isObject = true
        } else {
            members = []
            isObject = false
            ledger.add(Fault(.malformed, at: pointer, code: "wrong-type", "An object is expected here."))
        }
    }

    /// The faults found so far by this reader, its parents and its children.
    public var faults: [Fault] { ledger.faults }

    /// Reports members that were never read, here and in nested objects, and returns all faults.
    @discardableResult
    public func finish() -> [Fault] {
        for child in children { child.finish() }
        children = []
        for member in members where readNames.insert(member.name).inserted {
            if ledger.isFull { break }
            fault(.malformed, at: member.name, code: "unknown-field", "There is no such field.")
        }
        return ledger.faults
    }

    /// Adds a fault at a member, or at the object itself if `name` is nil.
    public func fault(_ kind: Fault.Kind = .invalid, at name: String? = nil, code: String, _ detail: String) {
        ledger.add(Fault(kind, at: pointer(to: name), code: code, detail))
    }

    /// Adds faults that were found elsewhere.
    public func add(_ faults: [Fault]) {
        faults.forEach(ledger.add)
    }

    public func pointer(to name: String?) -> String {
        name.map { pointer + JSONPointer.token($0) } ?? pointer
    }

    /// The member's value. Nil if it is missing or null.
    public func value(_ name: String) -> JSONValue? {
        readNames.insert(name)
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else { return nil }
        return value
    }

    public func has(_ name: String) -> Bool { value(name) != nil }

    /// Whether the member is present and null, for callers that distinguish this from missing.
    public func isNull(_ name: String) -> Bool {
        readNames.insert(name)
        return members.contains { $0.name == name && $0.value == .null }
    }

    /// A text without NUL, which PostgreSQL can't store.
    public func string(_ name: String) -> String? {
        guard let text = typed(name, "A text", \.string) else { return nil }
        guard !text.utf8.contains(0) else {
            fault(at: name, code: "nul-character", "A text cannot contain the character NUL.")
            return nil
        }
        return text
    }

    public func bool(_ name: String) -> Bool? { typed(name, "True or false", \.bool) }

    public func array(_ name: String) -> [JSONValue]? { typed(name, "A list", \.array) }

    /// A finite number. Overflow is `out-of-range`.
    public func double(_ name: String) -> Double? {
        guard let value = value(name) else { return nil }
        if let double = value.double { return double }
        if case .number = value {
            fault(at: name, code: "out-of-range", "The number is too large.")
        } else {
            wrongType(name, "A number")
        }
        return nil
    }

    /// A whole number. `3.0` is one, `3.5` is `not-an-integer`.
    public func int(_ name: String) -> Int? {
        guard let value = value(name) else { return nil }
        switch value.integer {
        case .exact(let int): return int
        case .fractional: fault(at: name, code: "not-an-integer", "A whole number is expected here.")
        case .beyondRange: fault(at: name, code: "out-of-range", "The number is too large.")
        case nil: wrongType(name, "A whole number")
        }
        return nil
    }

    /// An RFC 3339 time.
    public func date(_ name: String) -> Date? {
        guard let text = typed(name, "A time", \.string) else { return nil }
        if let date = RFC3339.parse(text) { return date }
        fault(at: name, code: "invalid-time", "A time such as 2026-11-21T09:30:00Z is expected here.")
        return nil
    }

    /// A nested object. Its faults are added to this reader's.
    public func object(_ name: String) -> ObjectReader? {
        value(name).flatMap { child($0, at: pointer(to: name)) }
    }

    /// A list of objects. Elements that are not objects are reported and left out.
    public func objects(_ name: String) -> [ObjectReader]? {
        guard let elements = array(name) else { return nil }
        return elements.enumerated().compactMap { child($1, at: pointer(to: name) + "/\($0)") }
    }

    private func child(_ value: JSONValue, at pointer: String) -> ObjectReader? {
        let reader = ObjectReader(value, at: pointer, ledger: ledger)
        guard reader.isObject else { return nil }
        children.append(reader)
        return reader
    }

    private func typed<T>(_ name: String, _ expected: String, _ read: (JSONValue) -> T?) -> T? {
        guard let value = value(name) else { return nil }
        guard let result = read(value) else {
            wrongType(name, expected)
            return nil
        }
        return result
    }

    private func wrongType(_ name: String, _ expected: String) {
        fault(.malformed, at: name, code: "wrong-type", "\(expected) is expected here.")
    }

    /// Reports a missing member, unless the value is not an object at all.
    public func require(_ name: String) {
        guard isObject, !has(name) else { return }
        fault(at: name, code: "required", "This is required.")
    }
}

/// Readers for required members. A member that is missing or null is reported as `required` (422).
extension ObjectReader {
    public func requiredValue(_ name: String) -> JSONValue? {
        require(name)
        return value(name)
    }

    public func requiredString(_ name: String) -> String? {
        require(name)
        return string(name)
    }

    public func requiredInt(_ name: String) -> Int? {
        require(name)
        return int(name)
    }

    public func requiredDate(_ name: String) -> Date? {
        require(name)
        return date(name)
    }

    public func requiredArray(_ name: String) -> [JSONValue]? {
        require(name)
        return array(name)
    }
}

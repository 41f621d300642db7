#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONValue {
    /// Encodes a value. Members are in the order in which the value encodes them, and dates are RFC 3339 times in UTC.
    ///
    /// `JSONEncoder` orders members by name or at random. But people read responses too, so members keep the order in
    /// which the contract declares them. The members of a dictionary are sorted by name, so that equal values have
    /// equal bytes.
    public init(encoding value: some Encodable) throws {
        let encoder = ValueEncoder()
        try encoder.encode(value)
        self = encoder.node.value
    }
}

/// A value that is being encoded.
private final class Node {
    private enum Content {
        case value(JSONValue)
        case array([Node])
        case object([(name: String, node: Node)])
    }

    private var content: Content?

    /// An object without members if nothing was encoded, as for a struct without properties.
    var value: JSONValue {
        switch content {
        case nil: .object([])
        case .value(let value): value
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members): .object(members.map { JSONValue.Member($0.name, $0.node.value) })
        }
    }

    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    func set(_ value: JSONValue) { content = .value(value) }

    func becomeArray() {
        if case .array = content { return }
        content = .array([])
    }

    func becomeObject() {
        if case .object = content { return }
        content = .object([])
    }

    func append(_ node: Node) {
        guard case .array(var elements) = content else { return }
        content = nil
        elements.append(node)
        content = .array(elements)
    }

    /// Adds a member. If a member with this name exists, its value is replaced.
    func insert(_ node: Node, as name: String) {
        guard case .object(var members) = content else { return }
        content = nil
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].node = node
        } else {
            members.append((name, node))
        }
        content = .object(members)
    }
}

private struct ValueEncoder: Encoder {
    var node = Node()
    var codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(ObjectContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return ArrayContainer(encoder: self)
    }

    public func singleValueContainer() -> any SingleValueEncodingContainer { ScalarContainer(encoder: self) }

    /// Scalars, dates, JSON values and dictionaries are encoded here. All other values encode themselves.
    func encode(_ value: some Encodable) throws {
        switch value {
        case let value as String: node.set(.string(value))
        case let value as Int: node.set(JSONValue(value))
        case let value as Bool: node.set(.bool(value))
        case let value as Double: node.set(JSONValue(value))
        case let value as Float: node.set(JSONValue(Double(value)))
        case let value as Date: node.set(.string(RFC3339.format(value)))
        case let value as JSONValue: node.set(value)
        case let value as any FixedWidthInteger: node.set(.number(String(describing: value)))
        case let value as any EncodableDictionary: try encode(members: value.membersByName)
        default: try value.encode(to: self)
        }
    }

    private func encode(members: [(name: String, value: any Encodable)]) throws {
        node.becomeObject()
        for (name, value) in members {
            let child = child(AnyCodingKey(stringValue: name))
            node.insert(child.node, as: name)
            try child.encode(value)
        }
    }

    func child(_ key: any CodingKey) -> ValueEncoder { ValueEncoder(codingPath: codingPath + [key]) }
}

private protocol EncodableDictionary {
    var membersByName: [(name: String, value: any Encodable)] { get }
}

extension Dictionary: EncodableDictionary where Key == String, Value: Encodable {
    fileprivate var membersByName: [(name: String, value: any Encodable)] {
        sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func add(_ key: any CodingKey) -> ValueEncoder {
        let child = encoder.child(key)
        encoder.node.insert(child.node, as: key.stringValue)
        return child
    }

    func encodeNil(forKey key: Key) { add(key).node.set(.null) }

    func encode(_ value: String, forKey key: Key) { add(key).node.set(.string(value)) }

    func encode(_ value: Int, forKey key: Key) { add(key).node.set(JSONValue(value)) }

    func encode(_ value: some Encodable, forKey key: Key) throws { try add(key).encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        add(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { add(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { add(AnyCodingKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { add(key) }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    private func add() -> ValueEncoder {
        let child = encoder.child(AnyCodingKey(intValue: count))
        encoder.node.append(child.node)
        return child
    }

    func encodeNil() { add().node.set(.null) }

    func encode(_ value: some Encodable) throws { try add().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        add().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { add().unkeyedContainer() }

    func superEncoder() -> any Encoder { add() }
}

private struct ScalarContainer: SingleValueEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.node.set(.null) }

    func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}

/// The name of a member, or the index of an element.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

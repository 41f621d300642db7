import Contract
import Foundation
import StrictJSON

/// The members that a type of the contract has in JSON: what its decoder asks for.
///
/// Unlike the properties of the type, they include those of values that are on the same level in JSON.
indirect enum DecodedShape {
    struct Member {
        var name: String
        /// Whether every body has the member, if only as null.
        var isAlwaysThere: Bool
        var shape: DecodedShape
    }

    case object([Member])
    case array(DecodedShape)
    /// A scalar, or a value whose members the contract does not name.
    case other

    init(of type: any Decodable.Type) throws {
        let recorder = Recorder()
        _ = try recorder.decode(type, as: nil)
        self = recorder.shape
    }
}

/// A wrapper of an optional value that is written as null.
private protocol WrittenAsNull {}
extension ExplicitNull: WrittenAsNull {}

/// A decoder that invents values and records what was asked for.
private final class Recorder: Decoder {
    private(set) var shape = DecodedShape.other
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// - Parameter name: The member that is decoded; `kind` decides about the members of a question's result.
    func decode<Value: Decodable>(_ type: Value.Type, as name: String?) throws -> Value {
        let invented: Any? =
            switch type {
            case is String.Type: name == "kind" ? "rating" : ""
            case is Int.Type: 1
            case is Double.Type: 1.0
            case is Bool.Type: true
            case is Date.Type: Date(timeIntervalSince1970: 0)
            case is ResourceID.Type: ResourceID(UUID())
            case is JSONValue.Type: JSONValue.null
            case is MomentBody.Type: MomentBody.instant(Date(timeIntervalSince1970: 0))
            case is [String: JSONValue].Type: [String: JSONValue]()
            case is [String: Int].Type: [String: Int]()
            default: nil
            }
        return try invented as? Value ?? Value(from: self)
    }

    func record(_ name: String, isAlwaysThere: Bool, _ shape: DecodedShape) {
        var members: [DecodedShape.Member] = []
        if case .object(let known) = self.shape { members = known }
        members.removeAll { $0.name == name }
        self.shape = .object(members + [.init(name: name, isAlwaysThere: isAlwaysThere, shape: shape)])
    }

    func record(element: DecodedShape) { shape = .array(element) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(recorder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(recorder: self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(recorder: self) }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: Recorder
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    private func read<Value: Decodable>(_ type: Value.Type, _ key: Key, isAlwaysThere: Bool) throws -> Value {
        let child = Recorder()
        let value = try child.decode(type, as: key.stringValue)
        recorder.record(key.stringValue, isAlwaysThere: isAlwaysThere, child.shape)
        return value
    }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try read(type, key, isAlwaysThere: true)
    }

    // The standard library has implementations of its own for these types, which a generic one does not replace.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try read(type, key, isAlwaysThere: false)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try read(type, key, isAlwaysThere: false)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try read(type, key, isAlwaysThere: false)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try read(type, key, isAlwaysThere: false)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try read(type, key, isAlwaysThere: type is any WrittenAsNull.Type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> { recorder.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { recorder.unkeyedContainer() }
    func superDecoder() -> any Decoder { recorder }
    func superDecoder(forKey key: Key) -> any Decoder { recorder }
}

/// One element.
private struct Elements: UnkeyedDecodingContainer {
    let recorder: Recorder
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        let child = Recorder()
        let value = try child.decode(type, as: nil)
        recorder.record(element: child.shape)
        return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        recorder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { recorder.unkeyedContainer() }
    func superDecoder() -> any Decoder { recorder }
}

private struct Single: SingleValueDecodingContainer {
    let recorder: Recorder
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.decode(type, as: nil) }
}

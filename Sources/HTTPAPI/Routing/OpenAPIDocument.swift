import Foundation
import NIOCore
import StrictJSON
import YAML

/// The API's public description as YAML and as JSON. Parsed on first use, because parsing takes more memory than
/// everything else at start-up.
public struct OpenAPIDocument: Sendable {
    /// The file that ships with the service is missing or is not YAML.
    public struct Unreadable: Error, CustomStringConvertible {
        public let description: String
    }

    public let yaml: ByteBuffer
    public let json: ByteBuffer
    public let value: JSONValue
    let tag: ETag

    /// Throws if the file is not beside the program.
    static func requireShipped() throws(Unreadable) {
        guard file != nil else { throw Unreadable(description: "openapi.yaml is not beside the program.") }
    }

    private static var file: URL? { Bundle.module.url(forResource: "openapi", withExtension: "yaml") }

    /// The document that ships with the service.
    public static func load() throws(Unreadable) -> OpenAPIDocument { try shipped.get() }

    private static let shipped = Result { () throws(Unreadable) -> OpenAPIDocument in
        guard let file, let data = try? Data(contentsOf: file) else {
            throw Unreadable(description: "openapi.yaml is not beside the program.")
        }
        return try OpenAPIDocument(yaml: String(decoding: data, as: UTF8.self))
    }

    init(yaml text: String) throws(Unreadable) {
        do {
            value = try YAMLNode(parsing: text).map(JSONValue.init) ?? .null
        } catch {
            throw Unreadable(description: "openapi.yaml cannot be read (line \(error.line)): \(error)")
        }
        guard value != .null else { throw Unreadable(description: "openapi.yaml is empty.") }
        yaml = ByteBuffer(string: text)
        json = ByteBuffer(bytes: value.bytes)
        // FNV-1a suffices to distinguish versions of the document.
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        tag = ETag(String(hash, radix: 16), isWeak: true)
    }

    /// The operations under `paths`, each written as `GET /v1/meetings`.
    public var operations: [String] {
        let methods: Set = ["get", "put", "post", "delete", "patch"]
        return (value["paths"]?.members ?? []).flatMap { path in
            (path.value.members ?? []).filter { methods.contains($0.name) }
                .map { "\($0.name.uppercased()) \(path.name)" }
        }
    }
}

extension JSONValue {
    /// Converts a YAML node by the JSON schema (YAML 1.2.2, section 10.2), keeping the order of mappings. Unlike that
    /// schema, `~` and an empty scalar are null, and a plain scalar of no other type is a string.
    fileprivate init(_ node: YAMLNode) {
        switch node {
        case .mapping(let pairs): self = .object(pairs.map { Member($0.key.text ?? "", JSONValue($0.value)) })
        case .sequence(let items): self = .array(items.map { JSONValue($0) })
        case .scalar(let text, isPlain: false): self = .string(text)
        case .scalar("", _), .scalar("~", _), .scalar("null", _): self = .null
        case .scalar("true", _): self = .bool(true)
        case .scalar("false", _): self = .bool(false)
        case .scalar(let text, _):
            if let int = Int(text) {
                self = JSONValue(int)
            } else if let double = Double(text), double.isFinite {
                self = JSONValue(double)
            } else {
                self = .string(text)
            }
        }
    }
}

/// With `Codable`, the order of members is lost, and numbers are integers or doubles, because Swift's coders preserve
/// no more. The parser and the writer of this module preserve both.
extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let keyed = try? decoder.container(keyedBy: AnyCodingKey.self) {
            self = .object(
                try keyed.allKeys.sorted { $0.stringValue < $1.stringValue }
                    .map { Member($0.stringValue, try keyed.decode(JSONValue.self, forKey: $0)) })
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? single.decode(Int.self) {
            self = JSONValue(value)
        } else if let value = try? single.decode(Double.self) {
            self = JSONValue(value)
        } else {
            self = .string(try single.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for member in members { try container.encode(member.value, forKey: AnyCodingKey(stringValue: member.name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .string(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .number(let text):
            var container = encoder.singleValueContainer()
            if let int { return try container.encode(int) }
            guard let double else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "\(text): too large")
                throw EncodingError.invalidValue(text, context)
            }
            try container.encode(double)
        }
    }
}

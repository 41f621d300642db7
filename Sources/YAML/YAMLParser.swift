import CYAML

extension YAMLNode {
    /// The deepest allowed nesting of sequences and mappings.
    static let maxDepth = 64

    /// Parses the first document of a text. Returns nil if there is none. Aliases may not expand the document beyond a
    /// million nodes.
    public init?(parsing text: String) throws(YAMLError) {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else {
            throw YAMLError(line: 1, description: "there is not enough memory")
        }
        defer { yaml_parser_delete(&parser) }
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBufferPointer { input -> Result<YAMLNode?, YAMLError> in
            yaml_parser_set_input_string(&parser, input.baseAddress, input.count)
            yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            var document = yaml_document_t()
            guard yaml_parser_load(&parser, &document) == 1 else { return .failure(Self.error(parser, bytes)) }
            defer { yaml_document_delete(&document) }
            guard let root = yaml_document_get_root_node(&document) else { return .success(nil) }
            var reader = DocumentReader(document: document)
            return Result { () throws(YAMLError) in try reader.node(root.pointee, depth: 0) }
        }
        guard let node = try result.get() else { return nil }
        self = node
    }

    private static func error(_ parser: yaml_parser_t, _ bytes: [UInt8]) -> YAMLError {
        // For invalid characters, libyaml reports a byte offset instead of a line.
        let line =
            parser.error == YAML_READER_ERROR
            ? bytes.prefix(parser.problem_offset).count { $0 == UInt8(ascii: "\n") } : Int(parser.problem_mark.line)
        return YAMLError(
            line: line + 1,
            description: parser.problem.map { String(cString: $0) } ?? "it cannot be read")
    }
}

/// Converts libyaml's document, whose nodes refer to each other by number.
private struct DocumentReader {
    private static let maxNodes = 1_000_000

    let document: yaml_document_t
    var nodeCount = 0

    mutating func node(_ node: yaml_node_t, depth: Int) throws(YAMLError) -> YAMLNode {
        let line = Int(node.start_mark.line) + 1
        nodeCount += 1
        guard depth <= YAMLNode.maxDepth else { throw YAMLError(line: line, description: "it is nested too deeply") }
        guard nodeCount <= Self.maxNodes else {
            throw YAMLError(line: line, description: "its aliases expand to too many nodes")
        }
        switch node.type {
        case YAML_SCALAR_NODE:
            let scalar = node.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_NODE:
            let items = node.data.sequence.items
            var nodes: [YAMLNode] = []
            for number in UnsafeBufferPointer(start: items.start, count: items.top - items.start) {
                nodes.append(try self.node(numbered: number, depth))
            }
            return .sequence(nodes)
        case YAML_MAPPING_NODE:
            let list = node.data.mapping.pairs
            var pairs: [YAMLNode.Pair] = []
            for pair in UnsafeBufferPointer(start: list.start, count: list.top - list.start) {
                let key = try self.node(numbered: pair.key, depth)
                pairs.append(.init(key: key, value: try self.node(numbered: pair.value, depth)))
            }
            return .mapping(pairs)
        default: throw YAMLError(line: line, description: "it has a node of an unknown kind")
        }
    }

    private mutating func node(numbered number: Int32, _ depth: Int) throws(YAMLError) -> YAMLNode {
        try node(document.nodes.start[Int(number) - 1], depth: depth + 1)
    }
}

extension JSONValue {
    /// Reads one JSON text, strictly.
    ///
    /// Refused beyond RFC 8259: duplicate member names (after unescaping), a byte order mark, lone surrogate escapes,
    /// broken UTF-8, and nesting deeper than `maxDepth`.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>, maxDepth: Int = 32) throws(Fault) -> JSONValue {
        var parser = JSONParser(bytes, maxDepth: maxDepth)
        do {
            return try parser.document()
        } catch {
            throw error.fault
        }
    }

    public static func parse(_ bytes: some Collection<UInt8>, maxDepth: Int = 32) throws(Fault) -> JSONValue {
        let result = bytes.withContiguousStorageIfAvailable { read($0, maxDepth) }
        return try (result ?? Array(bytes).withUnsafeBufferPointer { read($0, maxDepth) }).get()
    }

    public static func parse(_ text: String, maxDepth: Int = 32) throws(Fault) -> JSONValue {
        try parse(text.utf8, maxDepth: maxDepth)
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ maxDepth: Int) -> Result<JSONValue, Fault> {
        do {
            return .success(try parse(bytes, maxDepth: maxDepth))
        } catch {
            return .failure(error)
        }
    }
}

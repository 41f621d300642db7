/// The lexical rules of Prometheus' text format 0.0.4.
enum PrometheusText {
    /// The name of a metric or label, with an underscore for each character that is not allowed, and before a leading
    /// digit.
    static func name(_ text: String) -> String {
        // Most names need no replacement, and a service has a thousand series.
        let name = text.utf8.allSatisfy(isPlain) ? text : String(text.map { $0.utf8.allSatisfy(isPlain) ? $0 : "_" })
        return name.utf8.first.map { (0x30...0x39).contains($0) } ?? true ? "_" + name : name
    }

    /// An ASCII letter or digit, or an underscore.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }

    /// `method="GET",route="/v1/meetings"`, in the order of their names.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }.map { "\(name($0.0))=\"\(escape($0.1))\"" }.joined(separator: ",")
    }

    static func escape(_ value: String) -> String {
        // Few values need escaping.
        guard value.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") || $0 == 0x0A })
        else { return value }
        return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// One sample's line.
    static func sample(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map(String.init) ?? value.description
    }
}

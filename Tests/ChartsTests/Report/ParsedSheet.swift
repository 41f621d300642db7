import Foundation

/// The texts of a page, as read by Python's XML parser.
struct ParsedSheet: Decodable {
    struct Text: Decodable {
        var text: String
        var x: Double
        var y: Double
        var anchor: String
        var direction: String
    }

    var texts: [Text]
    /// The right and lower ends of the rectangles.
    var ends: [[Double]]
    var tags: Set<String>

    private static let script = """
        import json, sys
        import xml.etree.ElementTree as tree
        name = lambda e: e.tag.removeprefix("{http://www.w3.org/2000/svg}")
        number = lambda e, key: float(e.get(key) or 0)
        def sheet(root):
            return {
                "texts": [{"text": e.text or "", "x": number(e, "x"), "y": number(e, "y"),
                           "anchor": e.get("text-anchor") or "start", "direction": e.get("direction") or "ltr"}
                          for e in root.iter() if name(e) == "text"],
                "ends": [[number(e, "x") + number(e, "width"), number(e, "y") + number(e, "height")]
                         for e in root.iter() if name(e) == "rect"],
                "tags": sorted({name(e) for e in root.iter()}),
            }
        print(json.dumps([sheet(tree.fromstring(page)) for page in json.load(sys.stdin)]))
        """

    /// Reads all pages of a report.
    static func read(_ pages: [String]) throws -> [ParsedSheet] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(pages))
        try input.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode([ParsedSheet].self, from: data)
    }
}

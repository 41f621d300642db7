import Foundation
import Testing

/// The contents of a chart, as read by Python's XML parser.
struct ParsedPicture: Decodable {
    struct Bucket: Decodable {
        var id: String
        var count: Int
        var title: String
        /// The widths of the bucket's rectangles.
        var widths: [Double]
        /// The heights of the bucket's rectangles.
        var heights: [Double]
        /// The data of the bucket's paths.
        var paths: [String]
    }

    var title: String
    var description: String
    /// All visible texts in document order.
    var texts: [String]
    /// The writing direction of each text.
    var directions: [String]
    var buckets: [Bucket]
    var tags: Set<String>
    var attributes: Set<String>
    var ids: [String]
    /// The ids that `url(#…)` and `aria-labelledby` reference.
    var references: Set<String>
    var role: String
    var width: Double
    var height: Double
    /// The right end of the rightmost rectangle, to detect overflow.
    var furthest: Double
}

extension ParsedPicture {
    private static let script = """
        import json, re, sys
        import xml.etree.ElementTree as tree
        root = tree.fromstring(sys.stdin.buffer.read())
        name = lambda e: e.tag.removeprefix("{http://www.w3.org/2000/svg}")
        everything = list(root.iter())
        text = lambda e, tag: next((c.text or "" for c in e if name(c) == tag), "")
        values = [v for e in everything for v in e.attrib.values()]
        bucket = lambda g: {
            "id": g.get("data-id"), "count": int(g.get("data-count")), "title": text(g, "title"),
            "widths": [float(c.get("width")) for c in g if name(c) == "rect"],
            "heights": [float(c.get("height")) for c in g if name(c) == "rect"],
            "paths": [c.get("d") for c in g if name(c) == "path"],
        }
        print(json.dumps({
            "title": text(root, "title"), "description": text(root, "desc"),
            "texts": [e.text or "" for e in everything if name(e) == "text"],
            "directions": [e.get("direction") or "ltr" for e in everything if name(e) == "text"],
            "buckets": [bucket(e) for e in everything if e.get("class") == "bucket"],
            "tags": sorted({name(e) for e in everything}),
            "attributes": sorted({a for e in everything for a in e.attrib}),
            "ids": [e.get("id") for e in everything if e.get("id")],
            "references": sorted(set(re.findall(r"url\\(#([^)]*)\\)", " ".join(values)))
                | set(root.get("aria-labelledby", "").split())),
            "role": root.get("role"), "width": float(root.get("width")), "height": float(root.get("height")),
            "furthest": max(float(e.get("x") or 0) + float(e.get("width")) for e in everything if name(e) == "rect"),
        }))
        """

    init(_ svg: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(svg.utf8))
        try input.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        self = try JSONDecoder().decode(ParsedPicture.self, from: data)
    }
}

/// An SVG drawing that grows downwards.
struct Canvas {
    enum Weight: String {
        case normal, bold
    }

    /// The part of a text that is at the given x coordinate: its left end, its middle or its right end. The writing
    /// direction does not matter.
    enum Side {
        case left, middle, right
    }

    /// The first two families are common. The others have glyphs for Hangul, Han and other characters.
    private static let fonts =
        "'Noto Sans', 'DejaVu Sans', 'NanumGothic', 'Noto Sans CJK KR', 'Apple SD Gothic Neo', 'Malgun Gothic', "
        + "'Droid Sans Fallback', 'Microsoft YaHei', Symbola, sans-serif"

    let width: Double
    /// The prefix of all ids in the drawing.
    let name: String
    let margin: Double
    /// The top of the next element.
    private(set) var y: Double
    private var body = Markup()
    private var definitions = ""

    init(width: Double, name: String, margin: Double = 20) {
        self.width = width
        self.name = name
        self.margin = margin
        y = margin
    }

    var left: Double { margin }
    var right: Double { width - margin }
    /// The width between the margins.
    var inner: Double { width - 2 * margin }

    /// Leaves a vertical space.
    mutating func space(_ height: Double) { y += height }

    /// Draws text from margin to margin, truncated after the given number of lines.
    mutating func paragraph(
        _ text: String, size: Double, weight: Weight = .normal, color: String, atMost maxLines: Int
    ) {
        let text = plain(text)
        let side: Side = TextFit.isRightToLeft(text) ? .right : .left
        let height = size * 1.3
        // Bold text is about a tenth wider.
        let fittedSize = weight == .bold ? size * 1.1 : size
        for line in TextFit.lines(text, within: inner, size: fittedSize, atMost: maxLines) {
            write(
                line, side == .left ? left : right, y + size, side, size: size, weight: weight, color: color,
                partOf: text)
            y += height
        }
    }

    /// Draws a notice in place of a chart.
    mutating func notice(_ text: String) {
        let lines = TextFit.lines(text, within: inner - 40, size: 14, atMost: 3)
        let height = Double(lines.count) * 20 + 40
        rect(left, y, inner, height, fill: Palette.quiet, stroke: nil)
        for (index, line) in lines.enumerated() {
            write(line, width / 2, y + 34 + Double(index) * 20, .middle, size: 14)
        }
        y += height
    }

    /// Draws a line of text with its baseline at `y`.
    ///
    /// - Parameter fullText: The text to which the line belongs, if it was broken into lines. It determines the writing
    ///   direction.
    mutating func write(
        _ text: String, _ x: Double, _ y: Double, _ side: Side, size: Double, weight: Weight = .normal,
        color: String = Palette.ink, partOf fullText: String? = nil
    ) {
        let isReversed = TextFit.isRightToLeft(fullText ?? text)
        let anchor =
            switch side {
            case .middle: "middle"
            case .left: isReversed ? "end" : "start"
            case .right: isReversed ? "start" : "end"
            }
        body.leaf(
            "text",
            [
                "x": NumberFormat.coordinate(x), "y": NumberFormat.coordinate(y),
                "font-size": NumberFormat.coordinate(size),
                "text-anchor": anchor == "start" ? nil : anchor, "font-weight": weight == .bold ? "bold" : nil,
                "direction": isReversed ? "rtl" : nil, "fill": color,
            ], text)
    }

    mutating func rect(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, stroke: String?
    ) {
        body.leaf(
            "rect",
            [
                "x": NumberFormat.coordinate(x), "y": NumberFormat.coordinate(y),
                "width": NumberFormat.coordinate(width),
                "height": NumberFormat.coordinate(height), "fill": fill, "stroke": stroke,
                "stroke-width": stroke.map { _ in "1.5" },
            ])
    }

    mutating func path(_ data: String, fill: String = "none", stroke: String?, width: Double = 1.5) {
        body.leaf(
            "path",
            [
                "d": data, "fill": fill, "stroke": stroke,
                "stroke-width": stroke.map { _ in NumberFormat.coordinate(width) },
            ])
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: String, width: Double = 1) {
        path(
            "M\(NumberFormat.coordinate(x1)) \(NumberFormat.coordinate(y1))L\(NumberFormat.coordinate(x2)) \(NumberFormat.coordinate(y2))",
            stroke: color, width: width)
    }

    /// Draws one bucket as a group. The group has the bucket's id and count as attributes for programs, and a title for
    /// people.
    mutating func bucket(id: String, count: Int, title: String, _ draw: (inout Canvas) -> Void) {
        body.open("g", ["class": "bucket", "data-id": id, "data-count": String(count)])
        body.leaf("title", [:], title)
        draw(&self)
        body.close("g")
    }

    /// Defines the fill of the bucket at this index, and returns a reference to the fill.
    mutating func fill(at index: Int, color: String) -> String {
        let id = "\(name)-fill-\(index)"
        definitions += FillPattern(at: index).definition(id: id, color: color)
        return "url(#\(id))"
    }

    /// Continues at `y`, unless the drawing already extends below it.
    mutating func descend(to y: Double) { self.y = max(self.y, y) }

    /// The drawing as an SVG file.
    func document(title: String, description: String) -> String {
        let height = (y + margin).rounded(.up)
        var document = Markup()
        document.open(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": NumberFormat.coordinate(width),
                "height": NumberFormat.coordinate(height),
                "viewBox": "0 0 \(NumberFormat.coordinate(width)) \(NumberFormat.coordinate(height))", "role": "img",
                "aria-labelledby": "\(name)-title \(name)-desc", "font-family": Self.fonts,
            ])
        document.leaf("title", ["id": "\(name)-title"], title)
        document.leaf("desc", ["id": "\(name)-desc"], description)
        if !definitions.isEmpty {
            document.open("defs")
            document.append(definitions)
            document.close("defs")
        }
        document.leaf(
            "rect",
            [
                "width": NumberFormat.coordinate(width), "height": NumberFormat.coordinate(height), "rx": "6",
                "fill": Palette.background,
            ])
        document.append(body.text)
        document.close("svg")
        return document.text + "\n"
    }

    /// The drawing as a page of A4 without a background.
    func sheet(title: String) -> String {
        let (width, height) = (NumberFormat.coordinate(self.width), NumberFormat.coordinate(ReportLayout.size.height))
        var document = Markup()
        document.open(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": "210mm", "height": "297mm",
                "viewBox": "0 0 \(width) \(height)", "preserveAspectRatio": "none", "font-family": Self.fonts,
            ])
        document.leaf("title", [:], title)
        document.append(body.text)
        document.close("svg")
        return document.text + "\n"
    }
}

/// The text on one line. Line breaks and control characters become spaces.
func plain(_ text: String) -> String {
    // XML readers refuse noncharacters such as U+FFFE.
    let scalars = text.unicodeScalars.map { $0.properties.isNoncharacterCodePoint ? "\u{FFFD}" : $0 }
    return String(
        String(String.UnicodeScalarView(scalars)).map { character in
            let isControl = character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
            return character.isNewline || isControl ? " " : character
        })
}

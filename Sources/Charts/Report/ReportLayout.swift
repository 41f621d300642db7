/// Arranges a report from top to bottom, and begins a new page where the next element does not fit.
struct ReportLayout {
    /// A4 in pixels of 1/96 inch.
    static let size = (width: 794.0, height: 1123.0)
    static let margin = 60.0
    static let bodySize = 12.5
    static let smallSize = 11.0
    private static let bottom = size.height - margin - 10
    /// The space that a heading needs below it on the same page.
    private static let headingReserve = 100.0

    /// The number of pages after which no further texts and questions begin. 200 texts of 4,000 characters have 160.
    static let maxPages = 200
    /// The number of lines after which those of a text are joined. A text may have thousands of short ones.
    private static let maxLines = 40

    private(set) var pages: [Canvas] = []
    /// Whether texts or questions were left out.
    private var isCut = false
    var canvas = ReportLayout.emptyPage()

    private static func emptyPage() -> Canvas {
        Canvas(width: size.width, name: "page", margin: margin)
    }

    /// The space that is left on the page.
    var remaining: Double { Self.bottom - canvas.y }

    /// Returns all pages.
    consuming func finish() -> [Canvas] { pages + [canvas] }

    /// Begins a new page if less than this height is left.
    mutating func reserve(_ height: Double) {
        guard remaining < height, canvas.y > Self.margin else { return }
        pages.append(canvas)
        canvas = Self.emptyPage()
    }

    mutating func add(_ report: PrintedReport) {
        canvas.paragraph(report.title, size: 24, weight: .bold, color: Palette.ink, atMost: 4)
        canvas.space(2)
        for line in report.lines { add(line, size: Self.bodySize, color: Palette.soft) }
        canvas.space(8)
        add(report.submissions, size: 16, weight: .bold)
        if let responses = report.responses { add(responses, size: Self.bodySize, color: Palette.soft) }
        if let notice = report.notice { add(notice: notice) }
        for section in report.sections where !isFull() { add(section) }
        if isCut, let notice = report.cutNotice { add(notice: notice) }
    }

    /// Whether the report has as many pages as it may have, so that something is left out.
    private mutating func isFull() -> Bool {
        isCut = isCut || pages.count >= Self.maxPages
        return isCut
    }

    private mutating func add(_ section: PrintedReport.Section) {
        canvas.space(14)
        reserve(Self.headingReserve)
        canvas.line(canvas.left, canvas.y, canvas.right, canvas.y, color: Palette.line, width: 0.7)
        canvas.space(8)
        canvas.paragraph(section.title, size: 16, weight: .bold, color: Palette.ink, atMost: 6)
        if !section.facts.isEmpty {
            add(section.facts.joined(separator: " · "), size: Self.bodySize, color: Palette.soft)
        }
        if let notice = section.notice { add(notice: notice) }
        if let summary = section.summary { add(summary, size: 14, weight: .bold) }
        if let details = section.details { add(details, size: Self.bodySize, color: Palette.soft) }
        if let bars = section.bars { add(bars) }
        for table in section.tables { add(table) }
        for text in section.texts where !isFull() { add(text) }
        for note in section.notes { add(note, size: Self.smallSize, color: Palette.soft) }
    }

    /// Adds a text in full, line by line.
    mutating func add(
        _ text: String, size: Double, weight: Canvas.Weight = .normal, color: String = Palette.ink, indent: Double = 0
    ) {
        let height = size * 1.35
        // Bold text is about a tenth wider.
        let fittedSize = weight == .bold ? size * 1.1 : size
        for paragraph in text.split(whereSeparator: \.isNewline).map({ plain(String($0)) }) {
            let isReversed = TextFit.isRightToLeft(paragraph)
            let lines = TextFit.lines(paragraph, within: canvas.inner - indent, size: fittedSize, atMost: .max)
            for line in lines {
                reserve(height)
                canvas.write(
                    line, isReversed ? canvas.right : canvas.left + indent, canvas.y + size,
                    isReversed ? .right : .left, size: size, weight: weight, color: color, partOf: paragraph)
                canvas.space(height)
            }
        }
    }

    private mutating func add(notice: String) {
        canvas.space(4)
        add(notice, size: Self.bodySize, weight: .bold)
        canvas.space(4)
    }

    /// Adds a text answer with a rule at its left. The rule is drawn for each page that the text is on.
    private mutating func add(_ text: PrintedReport.Text) {
        canvas.space(6)
        let paragraphs = text.text.split(whereSeparator: \.isNewline)
        for paragraph in paragraphs.prefix(Self.maxLines) { addQuoted(String(paragraph)) }
        let rest = paragraphs.dropFirst(Self.maxLines)
        if !rest.isEmpty { addQuoted(rest.joined(separator: " / ")) }
        if let note = text.note { add(note, size: Self.smallSize, color: Palette.soft, indent: 12) }
    }

    private mutating func addQuoted(_ paragraph: String) {
        let (page, top) = (pages.count, canvas.y)
        add(paragraph, size: Self.bodySize, indent: 12)
        if pages.count == page {
            addRule(from: top, to: canvas.y, to: &canvas)
            return
        }
        addRule(from: top, to: Self.bottom, to: &pages[page])
        for index in pages.indices.dropFirst(page + 1) {
            addRule(from: Self.margin, to: Self.bottom, to: &pages[index])
        }
        addRule(from: Self.margin, to: canvas.y, to: &canvas)
    }

    private func addRule(from top: Double, to bottom: Double, to canvas: inout Canvas) {
        guard bottom - top > 4 else { return }
        canvas.line(canvas.left + 2, top + 2, canvas.left + 2, bottom, color: Palette.line, width: 2)
    }

    static func addFooter(_ text: String, title: String, to canvas: inout Canvas) {
        let y = size.height - margin / 2
        let room = canvas.inner - TextFit.width(text, size: smallSize) - 20
        let line = TextFit.lines(plain(title), within: room, size: smallSize, atMost: 1).first ?? ""
        canvas.write(line, canvas.left, y, .left, size: smallSize, color: Palette.soft)
        canvas.write(text, canvas.right, y, .right, size: smallSize, color: Palette.soft)
    }
}

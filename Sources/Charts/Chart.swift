import Domain

/// One question's result as a picture: SVG without a script, a font or anything else from elsewhere.
///
/// The same values give the same bytes. Sizes are pixels at the picture's own size; it scales to any other.
public struct Chart: Sendable {
    public enum Shape: String, Sendable, CaseIterable {
        case bars, doughnut
    }

    /// A minimum group holds something back.
    public struct Withheld: Sendable, Equatable {
        public var minimum: Int
        /// How many submissions the state shown has.
        public var shown: Int

        public init(minimum: Int, shown: Int) {
            self.minimum = minimum
            self.shown = shown
        }
    }

    public static let widths = 320...2000
    public static let usualWidth = 640
    /// A doughnut of more parts cannot be read.
    static let doughnutParts = 6

    let result: QuestionResult
    let meeting: String
    let withheld: Withheld?
    let shape: Shape
    let width: Double
    let name: String

    /// The shapes a result can have, the usual one first; a text has none.
    ///
    /// The parts of a doughnut are a whole, which those of a multiple choice are not.
    public static func shapes(of result: QuestionResult) -> [Shape] {
        switch result.kind {
        case .text: []
        case .rating: [.bars]
        case .choice where result.isMultiple: [.bars]
        case .choice: result.labels.count <= doughnutParts ? [.doughnut, .bars] : [.bars, .doughnut]
        }
    }

    /// Nil for a text, and for a shape that the result cannot have.
    ///
    /// - Parameters:
    ///   - meeting: its title.
    ///   - shape: the usual one if it is nil.
    ///   - width: brought into ``widths``.
    ///   - name: stands in every id of the picture, so that several may be in one page.
    public init?(
        of result: QuestionResult, meeting: String, withheld: Withheld? = nil, shape: Shape? = nil,
        width: Int = usualWidth, name: String
    ) {
        let shapes = Self.shapes(of: result)
        guard let shape = shape ?? shapes.first, shapes.contains(shape) else { return nil }
        self.result = result
        self.meeting = meeting
        self.withheld = withheld
        self.shape = shape
        self.width = Double(min(max(width, Self.widths.lowerBound), Self.widths.upperBound))
        self.name = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    }

    /// What the ids of a picture begin with, the same wherever it is made.
    public static func name(of result: QuestionResult, inMeeting id: String) -> String {
        "chart-\(id.lowercased().suffix(12))-\(result.key)"
    }

    public func svg() -> String {
        var canvas = Canvas(width: width, name: name)
        heading(&canvas)
        if isHeldBack {
            canvas.notice(heldBack)
        } else {
            switch (result.kind, shape) {
            case (.rating, _): columns(&canvas)
            case (_, .bars): bars(&canvas)
            case (_, .doughnut): doughnut(&canvas)
            }
        }
        return canvas.document(title: "\(plain(result.title)) – \(plain(meeting))", description: sentence)
    }

    /// Nothing at all is shown, not even how many.
    var isHeldBack: Bool { withheld != nil && result.points.isEmpty }

    private func heading(_ canvas: inout Canvas) {
        canvas.paragraph(result.title, size: 18, weight: .bold, color: Palette.ink, lines: 3)
        canvas.paragraph(meeting, size: 13, color: Palette.soft, lines: 1)
        canvas.space(4)
        if !isHeldBack {
            canvas.paragraph(facts, size: 13, color: Palette.ink, lines: 4)
        }
        if !isHeldBack, withheld != nil {
            canvas.paragraph(partlyHeldBack, size: 12, color: Palette.soft, lines: 3)
        }
        canvas.space(10)
    }
}

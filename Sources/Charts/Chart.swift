import Domain

/// The result of one question as a self-contained SVG image, without scripts, fonts or other external resources.
///
/// The same values produce the same bytes. Sizes are in pixels, but the image can be scaled.
public struct Chart: Sendable {
    public enum Shape: String, Sendable, CaseIterable {
        case bars, doughnut
    }

    /// Describes counts that a minimum group withholds, completely or in part.
    public struct Withheld: Sendable, Equatable {
        public var minimum: Int
        /// The number of released submissions.
        public var shown: Int

        public init(minimum: Int, shown: Int) {
            self.minimum = minimum
            self.shown = shown
        }
    }

    public static let widths = 320...2000
    public static let defaultWidth = 640
    /// The largest number of parts that are readable in a doughnut.
    static let doughnutParts = 6

    let result: QuestionResult
    let meeting: String
    let withheld: Withheld?
    let shape: Shape
    let width: Double
    /// The prefix of all ids in the SVG.
    let name: String

    /// The shapes that a result can have, the default first. A text question has none.
    ///
    /// The parts of a doughnut exclude each other, so a question that allows several options has no doughnut.
    public static func shapes(of result: QuestionResult) -> [Shape] {
        switch result.kind {
        case .text: []
        case .rating: [.bars]
        case .choice where result.isMultiple: [.bars]
        case .choice: result.labels.count <= doughnutParts ? [.doughnut, .bars] : [.bars, .doughnut]
        }
    }

    /// Returns nil for a text question, and for a shape that the result can't have.
    ///
    /// - Parameters:
    ///   - meeting: The meeting's title.
    ///   - shape: The default shape if nil.
    ///   - width: Clamped to ``widths``.
    ///   - name: The prefix of all ids in the SVG, so that one page can contain several charts.
    public init?(
        of result: QuestionResult, meeting: String, withheld: Withheld? = nil, shape: Shape? = nil,
        width: Int = defaultWidth, name: String
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

    /// The name for the chart of a question. It depends only on the meeting's id and the question's key.
    public static func name(of result: QuestionResult, inMeeting id: String) -> String {
        "chart-\(id.lowercased().suffix(12))-\(result.key)"
    }

    public func svg() -> String {
        var canvas = Canvas(width: width, name: name)
        drawHeading(&canvas)
        if isFullyWithheld {
            canvas.notice(withheldNotice)
        } else {
            switch (result.kind, shape) {
            case (.rating, _): columns(&canvas)
            case (_, .bars): bars(&canvas)
            case (_, .doughnut): doughnut(&canvas)
            }
        }
        return canvas.document(title: "\(plain(result.title)) – \(plain(meeting))", description: accessibleDescription)
    }

    /// Whether drawing takes many milliseconds. One version of a question has fewer buckets, all versions together may
    /// have thousands.
    public var isLarge: Bool { result.points.count > 100 }

    /// Whether everything is withheld, even the number of submissions.
    var isFullyWithheld: Bool { withheld != nil && result.points.isEmpty }

    private func drawHeading(_ canvas: inout Canvas) {
        canvas.paragraph(result.title, size: 18, weight: .bold, color: Palette.ink, atMost: 3)
        canvas.paragraph(meeting, size: 13, color: Palette.soft, atMost: 1)
        canvas.space(4)
        if !isFullyWithheld {
            canvas.paragraph(factLine, size: 13, color: Palette.ink, atMost: 4)
        }
        if !isFullyWithheld, withheld != nil {
            canvas.paragraph(partlyWithheldNotice, size: 12, color: Palette.soft, atMost: 3)
        }
        canvas.space(10)
    }
}

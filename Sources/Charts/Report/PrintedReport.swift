/// The results of a meeting as A4 pages, from values that are already words in the reader's language.
///
/// The same values produce the same pages.
public struct PrintedReport: Sendable {
    /// The counts of a question, with a bar for each share.
    public struct Table: Sendable {
        public struct Row: Sendable {
            public var label: String
            /// The label of the lowest or the highest value of a scale.
            public var endLabel: String?
            public var count: String
            /// Empty without answers.
            public var share: String
            /// The length of the bar, of 1 for all answers.
            public var fraction: Double
            /// The interval of the share.
            public var range: String?

            public init(
                label: String, endLabel: String? = nil, count: String, share: String, fraction: Double,
                range: String? = nil
            ) {
                (self.label, self.endLabel, self.count, self.share) = (label, endLabel, count, share)
                (self.fraction, self.range) = (fraction, range)
            }
        }

        public struct Head: Sendable {
            public var answer: String
            public var count: String
            public var share: String
            public var range: String

            public init(answer: String, count: String, share: String, range: String) {
                (self.answer, self.count, self.share, self.range) = (answer, count, share, range)
            }
        }

        public var head: Head
        public var rows: [Row]

        public init(head: Head, rows: [Row]) {
            (self.head, self.rows) = (head, rows)
        }
    }

    /// A text answer, and how many others are equal to it.
    public struct Text: Sendable {
        public var text: String
        public var note: String?

        public init(_ text: String, note: String? = nil) {
            (self.text, self.note) = (text, note)
        }
    }

    /// One question.
    public struct Section: Sendable {
        public var title: String
        /// Short facts below the title, such as the number of answers.
        public var facts: [String] = []
        /// Why numbers are withheld.
        public var notice: String?
        /// The main number, such as the mean.
        public var summary: String?
        /// Intervals and the like, beside the main number.
        public var details: String?
        /// The bars of a grid.
        public var bars: Bars?
        public var tables: [Table] = []
        public var texts: [Text] = []
        /// Sentences at the end.
        public var notes: [String] = []

        public init(title: String) { self.title = title }
    }

    public var title: String
    /// Lines below the title, such as the place and the time.
    public var lines: [String] = []
    /// The number of submissions in words.
    public var submissions: String
    /// How many of those expected have answered.
    public var responses: String?
    /// What is withheld from the whole report.
    public var notice: String?
    public var sections: [Section] = []
    /// Says that texts and questions were left out, for a report with too many pages.
    public var cutNotice: String?
    /// The text at the foot of each page, by its number and the number of pages.
    public var footer: @Sendable (_ page: Int, _ pages: Int) -> String

    public init(title: String, submissions: String, footer: @escaping @Sendable (Int, Int) -> String) {
        (self.title, self.submissions, self.footer) = (title, submissions, footer)
    }

    /// The pages as SVG files of 210 × 297 mm.
    public func pages() -> [String] {
        var layout = ReportLayout()
        layout.add(self)
        let canvases = layout.finish()
        return canvases.enumerated().map { index, canvas in
            var canvas = canvas
            ReportLayout.addFooter(footer(index + 1, canvases.count), title: title, to: &canvas)
            return canvas.sheet(title: title)
        }
    }
}

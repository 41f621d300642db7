import Contract

/// The results of one question on the stage. It shows nothing that participants may not see.
struct StageSlide: TemplateValues {
    /// The number that summarizes the ratings, as large as the wall.
    struct Figure: TemplateValues {
        var number: String
        /// The name of the number.
        var caption: String
        var answered: String
        /// The number of people who abstained, with the label of the abstention.
        var abstained: String?
        var stars: Stars?
        var scaleBar: ScaleBar?
    }

    /// The newest released texts in one of two columns.
    struct Column: TemplateValues {
        struct Text: TemplateValues {
            var id: String
            var text: String
            /// How often the text was sent. Nil if once.
            var times: String?
        }

        var texts: [Text]
    }

    /// Leads from the texts to their words, or back.
    struct WordSwitch: TemplateValues {
        var path: String
        var label: String
    }

    var key: String
    var title: String
    /// Says that the minimum group withholds all numbers. Nil if it does not.
    var withheldNotice: String?
    /// A grid, whose statements are on one slide.
    var gridBars: GridBars?
    var figure: Figure?
    var bars: NumberTable?
    /// The number of people who answered. Nil if the figure has it, and without bars.
    var answered: String?
    /// The change since an earlier round.
    var change: RoundComparison.Sentence?
    /// The largest number of characters of a text that a wall shows.
    private static let maxTextLength = 500
    /// The largest number of texts on a slide.
    static let maxTexts = 60

    /// Empty while the slide shows words.
    var columns: [Column] = []
    var hasTexts = false
    var cloud: WordCloud?
    var wordSwitch: WordSwitch?
    /// Says that nothing can be shown yet. Nil if there are numbers or texts, or if all numbers are withheld.
    var emptyNotice: String?
}

extension StageSlide {
    init(_ grid: GridNumbers) {
        (key, title, emptyNotice) = (grid.gridKey, grid.gridTitle, grid.gridNotice)
        gridBars = grid.picture
    }

    /// - Parameters:
    ///   - cloud: The words that the slide shows instead of the texts.
    ///   - path: The path of the stage.
    init(_ part: ResultsQuestions.Part, _ cloud: WordCloud?, at path: String, _ texts: PageTexts) {
        (key, title) = (part.result.key, part.numbers.title)
        withheldNotice = part.numbers.withheldNotice
        (bars, change) = (part.numbers.table, part.numbers.change)
        if withheldNotice == nil { figure = Figure(part, texts) }
        if figure == nil, bars != nil { answered = part.numbers.answered }
        if !part.readTexts.isEmpty {
            self.cloud = cloud
            if cloud == nil { (columns, hasTexts) = (Self.columns(part), true) }
            wordSwitch =
                cloud == nil
                ? WordSwitch(path: "\(path)?words=\(key)#slide-q-\(key)", label: texts("stage.words"))
                : WordSwitch(path: "\(path)#slide-q-\(key)", label: texts("stage.texts"))
        }
        if withheldNotice == nil, bars == nil, part.readTexts.isEmpty {
            // Unreleased texts are for hosts only, so the audience sees only their number.
            emptyNotice =
                part.result.answered > 0
                ? texts("stage.in-words", ["count": "\(part.result.answered)"]) : texts("stage.no-answers")
        }
    }

    /// The texts in two columns, the newest first. A text keeps its column when newer ones arrive, because the columns
    /// take turns from the oldest answer on. Texts with the same letters are shown once, in the place of the oldest.
    private static func columns(_ part: ResultsQuestions.Part) -> [Column] {
        let places = Dictionary(grouping: part.readTexts.indices) { part.readTexts[$0].text.lowercased() }
        let groups = places.values.sorted { $0[$0.count - 1] < $1[$1.count - 1] }
        // Older texts than these may exist, so their number is unknown.
        let isPart = part.readTexts.count >= maxTexts
        var columns = [Column(texts: []), Column(texts: [])]
        for (index, indices) in groups.enumerated() {
            let oldest = indices[indices.count - 1]
            let turn = max(0, isPart ? part.result.answered - oldest : groups.count - index) % columns.count
            let text = part.readTexts[oldest]
            let isLong = text.text.utf8.count > maxTextLength
            columns[turn].texts.append(
                .init(
                    id: text.id.map { "\($0)" } ?? "",
                    text: isLong ? text.text.shortened(to: maxTextLength) : text.text,
                    times: indices.count > 1 ? "× \(indices.count)" : nil))
        }
        return columns
    }
}

extension StageSlide.Figure {
    /// Nil for a question that has neither a mean nor a net promoter score.
    init?(_ part: ResultsQuestions.Part, _ texts: PageTexts) {
        guard let summary = part.result.summary, let answered = part.numbers.answered else { return nil }
        if let nps = summary.nps {
            (number, caption) = (NumberText.score(nps.score), texts("stage.nps"))
        } else if let mean = summary.mean {
            (number, caption) = (NumberText.decimal(mean, in: texts.language), texts("stage.mean"))
        } else {
            return nil
        }
        self.answered = answered
        abstained = part.numbers.abstained
        (stars, scaleBar) = (part.numbers.stars, part.numbers.scaleBar)
    }
}

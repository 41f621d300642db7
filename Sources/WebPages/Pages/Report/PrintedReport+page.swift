import Charts

extension PrintedReport {
    /// The printed page's own words and numbers.
    init(_ page: ReportPage, _ texts: PageTexts) {
        self.init(title: page.heading, submissions: page.submissions) { number, count in
            texts("charts.page-number", ["number": "\(number)", "count": "\(count)"])
        }
        lines = [[page.subtitle, page.when, page.place].compactMap(\.self).joined(separator: " · "), page.asOf]
        responses = page.ring?.label
        cutNotice = texts("charts.report-cut")
        notice = [page.withheld, page.exceededNotice].compactMap(\.self).joined(separator: "\n").nonEmpty
        let head = Table.Head(
            answer: texts("results.answer"), count: texts("results.count"), share: texts("results.share"), range: "")
        sections =
            page.decisions.map(Section.init)
            + page.questions.flatMap { question in
                [question.grid.map { Section($0) }, Section(question, head, texts)].compactMap(\.self)
            }
    }
}

extension PrintedReport.Section {
    fileprivate init(_ decisions: DecisionList) {
        self.init(title: [decisions.heading, decisions.round?.label].compactMap(\.self).joined(separator: " "))
        texts = decisions.items.map { .init($0.isDone ? "✓ \($0.text)" : $0.text, note: $0.about) }
    }

    fileprivate init(_ grid: GridNumbers) {
        self.init(title: grid.gridTitle)
        facts = [grid.gridDescription].compactMap(\.self)
        (notice, details) = (grid.gridNotice, grid.alpha)
        guard let picture = grid.picture, let table = grid.gridTable else { return }
        bars = PrintedReport.Bars(
            points: table.columns, zero: Double(picture.zero) / 1000,
            rows: zip(table.rows, picture.bars).map { row, bar in
                // Points without answers have no part.
                var parts = bar.parts.makeIterator()
                let ranges = row.cells.map { cell -> ClosedRange<Double> in
                    guard cell.count > 0, let part = parts.next() else { return 0...0 }
                    return Double(part.start) / 1000...Double(part.start + max(0, part.width)) / 1000
                }
                let counts = row.cells.map { "\($0.count) (\($0.share))" }.joined(separator: ", ")
                return .init(
                    label: row.statement, parts: ranges, numbers: "\(counts) · \(table.meanHeader) \(row.mean)")
            })
    }

    fileprivate init(_ question: ResultsQuestions.Values, _ head: PrintedReport.Table.Head, _ texts: PageTexts) {
        let numbers = question.numbers
        self.init(title: numbers.title)
        let counts = [numbers.answered, numbers.abstained, numbers.skipped]
        facts = ([numbers.isRetired ? texts("charts.retired") : nil] + counts).compactMap(\.self)
        (notice, summary) = (numbers.withheldNotice, numbers.summary)
        let change = numbers.change.map {
            [$0.before + $0.round + $0.after, $0.bounds].compactMap(\.self).joined(separator: " ")
        }
        details = [numbers.spread, change].compactMap(\.self).joined(separator: "\n")
        tables = [numbers.table, numbers.scale].compactMap(\.self).map { PrintedReport.Table($0, head) }
        self.texts = question.texts.map { .init($0.text, note: $0.same?.label) }
        notes = (question.changes?.items ?? []) + [question.moreTextsNotice].compactMap(\.self)
    }
}

extension PrintedReport.Table {
    fileprivate init(_ table: NumberTable, _ head: Head) {
        var head = head
        head.range = table.rangeHeader
        self.init(
            head: head,
            rows: table.rows.map { row in
                Row(
                    label: row.label, endLabel: row.endLabel, count: "\(row.count)", share: row.share ?? "",
                    fraction: Double(row.width) / 1000, range: table.hasRanges ? row.range : nil)
            })
    }
}

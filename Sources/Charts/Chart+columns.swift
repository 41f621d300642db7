import Domain

/// The result of a rating question as columns in the order of the scale, with the mean below.
extension Chart {
    private static let height = 170.0
    private static let heightWithoutAnswers = 30.0
    private static let widestSlot = 110.0

    /// The geometry of the columns.
    private struct Plot {
        let slot: Double
        let left: Double
        let base: Double
        let first: Int
        let count: Int

        var right: Double { left + slot * Double(count) }

        /// The centre of a value's column. Works for fractional values and beyond the ends too.
        func x(_ value: Double) -> Double { left + slot * (value - Double(first) + 0.5) }

        /// The same, clamped to the area of the columns.
        func inside(_ value: Double) -> Double { min(max(x(value), left), right) }
    }

    func columns(_ canvas: inout Canvas) {
        let points = result.points
        guard !points.isEmpty else { return }
        let slot = min(canvas.inner / Double(points.count), Self.widestSlot)
        let height = result.answered > 0 ? Self.height : Self.heightWithoutAnswers
        let plot = Plot(
            slot: slot, left: (canvas.width - slot * Double(points.count)) / 2, base: canvas.y + 34 + height,
            first: points[0].value ?? 0, count: points.count)
        let most = max(1, points.map(\.count).max() ?? 1)
        let figures = Figures(points, available: slot - 4)
        for (place, point) in points.enumerated() {
            column(point, at: place, tall: height * Double(point.count) / Double(most), plot, figures, &canvas)
        }
        canvas.line(plot.left, plot.base, plot.right, plot.base, color: Palette.line)
        canvas.descend(to: plot.base + 24)
        ends(plot, &canvas)
        if result.summary?.metric == .nps { groups(plot, &canvas) }
        mean(plot, &canvas)
    }

    /// The numbers above the columns, all in one size and as exact as the space allows.
    private struct Figures {
        let counts: [String]
        let shares: [String]
        let countSize: Double
        let shareSize: Double

        init(_ points: [QuestionResult.Point], available: Double) {
            let whole = points.map { NumberFormat.count($0.count) }
            let fits = whole.allSatisfy { TextFit.width($0, size: 11) <= available }
            counts = fits ? whole : points.map { NumberFormat.compact($0.count) }
            let exact = points.map { $0.share.map(NumberFormat.percent) ?? "" }
            let isExact = exact.allSatisfy { TextFit.width($0, size: 10) <= available }
            shares = isExact ? exact : points.map { $0.share.map(NumberFormat.wholePercent) ?? "" }
            countSize = counts.map { TextFit.size(of: $0, within: available, upTo: 14, atLeast: 7) }.min() ?? 14
            shareSize = shares.map { TextFit.size(of: $0, within: available, upTo: 11, atLeast: 7) }.min() ?? 11
        }
    }

    private func column(
        _ point: QuestionResult.Point, at place: Int, tall: Double, _ plot: Plot, _ figures: Figures,
        _ canvas: inout Canvas
    ) {
        let center = plot.left + plot.slot * (Double(place) + 0.5)
        let wide = plot.slot * 0.68
        let top = plot.base - tall
        let color = color(point)
        let fill = point.count > 0 ? canvas.fill(at: place, color: color) : ""
        canvas.bucket(id: point.id, count: point.count, title: said(point)) { canvas in
            if point.count > 0 {
                canvas.rect(center - wide / 2, top, wide, tall, fill: fill, stroke: color)
            }
            let hasShare = point.share != nil
            canvas.write(
                figures.counts[place], center, top - (hasShare ? 19 : 6), .middle, size: figures.countSize,
                weight: .bold)
            if hasShare {
                canvas.write(
                    figures.shares[place], center, top - 6, .middle, size: figures.shareSize, color: Palette.soft)
            }
            canvas.write(point.label, center, plot.base + 17, .middle, size: 13)
        }
    }

    /// For NPS, a colour for each group. One colour for any other scale.
    private func color(_ point: QuestionResult.Point) -> String {
        guard result.summary?.metric == .nps, let value = point.value else { return Palette.blue }
        return value >= 9 ? Palette.promoters : value >= 7 ? Palette.passives : Palette.detractors
    }

    /// Draws the labels of the two ends of the scale.
    private func ends(_ plot: Plot, _ canvas: inout Canvas) {
        let available = (plot.right - plot.left) / 2 - 8
        var bottom = canvas.y
        for (text, x, side) in [(result.minLabel, plot.left, Canvas.Side.left), (result.maxLabel, plot.right, .right)] {
            guard let text = text.map(plain) else { continue }
            let lines = TextFit.lines(text, within: available, size: 12, most: 2)
            for (index, line) in lines.enumerated() {
                canvas.write(
                    line, x, canvas.y + 12 + Double(index) * 15, side, size: 12, color: Palette.soft, of: text)
            }
            bottom = max(bottom, canvas.y + Double(lines.count) * 15 + 4)
        }
        canvas.descend(to: bottom)
    }

    /// Draws the labels of detractors, passives and promoters below their columns.
    private func groups(_ plot: Plot, _ canvas: inout Canvas) {
        guard let nps = result.summary?.nps, result.answered > 0 else { return }
        let y = canvas.y + 6
        for (name, values, count, color) in [
            ("Detractors", 0...6, nps.detractors, Palette.detractors),
            ("Passives", 7...8, nps.passives, Palette.passives),
            ("Promoters", 9...10, nps.promoters, Palette.promoters),
        ] {
            let (start, end) = (plot.x(Double(values.lowerBound)), plot.x(Double(values.upperBound)))
            let half = plot.slot / 2 - 3
            canvas.line(start - half, y, end + half, y, color: color, width: 3)
            let available = end - start + plot.slot
            let size = TextFit.size(of: name, within: available, upTo: 12, atLeast: 8)
            canvas.write(name, (start + end) / 2, y + 16, .middle, size: size)
            let percent = NumberFormat.percent(Double(count) / Double(result.answered))
            canvas.write(percent, (start + end) / 2, y + 31, .middle, size: 12, color: Palette.soft)
        }
        canvas.descend(to: y + 38)
    }

    /// Draws a diamond at the mean, and its interval as a line, on the scale of the columns.
    private func mean(_ plot: Plot, _ canvas: inout Canvas) {
        guard let summary = result.summary, let mean = summary.mean else { return }
        let y = canvas.y + 12
        canvas.line(plot.left, y, plot.right, y, color: "#c3cbd3")
        var words = "Mean \(NumberFormat.mean(mean))"
        if let interval = result.meanInterval {
            let (low, high) = (plot.inside(interval.low), plot.inside(interval.high))
            canvas.line(low, y, high, y, color: Palette.ink, width: 2)
            for end in [low, high] { canvas.line(end, y - 5, end, y + 5, color: Palette.ink, width: 2) }
            words += ", 95% interval \(NumberFormat.mean(interval.low)) to \(NumberFormat.mean(interval.high))"
        }
        let x = plot.inside(mean)
        let (w, e, n, s) = (
            NumberFormat.coordinate(x - 7), NumberFormat.coordinate(x + 7), NumberFormat.coordinate(y - 7),
            NumberFormat.coordinate(y + 7)
        )
        let (middle, level) = (NumberFormat.coordinate(x), NumberFormat.coordinate(y))
        canvas.path(
            "M\(w) \(level)L\(middle) \(n)L\(e) \(level)L\(middle) \(s)z", fill: Palette.ink,
            stroke: Palette.background)
        let half = TextFit.width(words, size: 12) / 2
        let place = min(max(x, canvas.left + half), max(canvas.right - half, canvas.left + half))
        canvas.write(words, place, y + 24, .middle, size: 12)
        canvas.descend(to: y + 28)
    }
}

import Domain

/// The result of a rating question as columns in the order of the scale, with the mean below.
extension Chart {
    private static let height = 170.0
    private static let heightWithoutAnswers = 30.0
    /// The largest width of a column with its gap.
    private static let maxSlotWidth = 110.0

    /// The geometry of the columns.
    private struct Plot {
        /// The width of a column with its gap.
        let slot: Double
        let left: Double
        /// The y coordinate of the baseline.
        let base: Double
        /// The lowest value of the scale.
        let first: Int
        let count: Int

        var right: Double { left + slot * Double(count) }

        /// The x coordinate of a value: the center of its column. The value may be fractional or outside the scale.
        func x(_ value: Double) -> Double { left + slot * (value - Double(first) + 0.5) }

        /// The x coordinate of a value, clamped to the area of the columns.
        func clampedX(_ value: Double) -> Double { min(max(x(value), left), right) }
    }

    func columns(_ canvas: inout Canvas) {
        let points = result.points
        guard !points.isEmpty else { return }
        let slot = min(canvas.inner / Double(points.count), Self.maxSlotWidth)
        let height = result.answered > 0 ? Self.height : Self.heightWithoutAnswers
        let plot = Plot(
            slot: slot, left: (canvas.width - slot * Double(points.count)) / 2, base: canvas.y + 34 + height,
            first: points[0].value ?? 0, count: points.count)
        let highestCount = max(1, points.map(\.count).max() ?? 1)
        let figures = Figures(points, available: slot - 4)
        for (index, point) in points.enumerated() {
            drawColumn(
                point, at: index, height: height * Double(point.count) / Double(highestCount), plot, figures, &canvas)
        }
        canvas.line(plot.left, plot.base, plot.right, plot.base, color: Palette.line)
        canvas.descend(to: plot.base + 24)
        drawScaleLabels(plot, &canvas)
        if result.summary?.metric == .nps { drawGroups(plot, &canvas) }
        drawMean(plot, &canvas)
    }

    /// The numbers above the columns. All counts have the same size, and so do all shares. They are shortened if the
    /// exact numbers don't fit.
    private struct Figures {
        let counts: [String]
        let shares: [String]
        let countSize: Double
        let shareSize: Double

        init(_ points: [QuestionResult.Point], available: Double) {
            let exactCounts = points.map { NumberFormat.count($0.count) }
            let countsFit = exactCounts.allSatisfy { TextFit.width($0, size: 11) <= available }
            counts = countsFit ? exactCounts : points.map { NumberFormat.compact($0.count) }
            let exactShares = points.map { $0.share.map(NumberFormat.percent) ?? "" }
            let sharesFit = exactShares.allSatisfy { TextFit.width($0, size: 10) <= available }
            shares = sharesFit ? exactShares : points.map { $0.share.map(NumberFormat.wholePercent) ?? "" }
            countSize = counts.map { TextFit.size(of: $0, within: available, upTo: 14, atLeast: 7) }.min() ?? 14
            shareSize = shares.map { TextFit.size(of: $0, within: available, upTo: 11, atLeast: 7) }.min() ?? 11
        }
    }

    private func drawColumn(
        _ point: QuestionResult.Point, at index: Int, height: Double, _ plot: Plot, _ figures: Figures,
        _ canvas: inout Canvas
    ) {
        let center = plot.left + plot.slot * (Double(index) + 0.5)
        let width = plot.slot * 0.68
        let top = plot.base - height
        let color = color(point)
        let fill = point.count > 0 ? canvas.fill(at: index, color: color) : ""
        canvas.bucket(id: point.id, count: point.count, title: sentence(for: point)) { canvas in
            if point.count > 0 {
                canvas.rect(center - width / 2, top, width, height, fill: fill, stroke: color)
            }
            let hasShare = point.share != nil
            canvas.write(
                figures.counts[index], center, top - (hasShare ? 19 : 6), .middle, size: figures.countSize,
                weight: .bold)
            if hasShare {
                canvas.write(
                    figures.shares[index], center, top - 6, .middle, size: figures.shareSize, color: Palette.soft)
            }
            canvas.write(point.label, center, plot.base + 17, .middle, size: 13)
        }
    }

    /// The color of a column. A recommendation (0 to 10) has a color for each group. Any other rating has only one
    /// color.
    private func color(_ point: QuestionResult.Point) -> String {
        guard result.summary?.metric == .nps, let value = point.value else { return Palette.blue }
        return value >= 9 ? Palette.promoters : value >= 7 ? Palette.passives : Palette.detractors
    }

    /// Draws the labels of the two ends of the scale.
    private func drawScaleLabels(_ plot: Plot, _ canvas: inout Canvas) {
        let available = (plot.right - plot.left) / 2 - 8
        var bottom = canvas.y
        for (text, x, side) in [(result.minLabel, plot.left, Canvas.Side.left), (result.maxLabel, plot.right, .right)] {
            guard let text = text.map(plain) else { continue }
            let lines = TextFit.lines(text, within: available, size: 12, atMost: 2)
            for (lineIndex, line) in lines.enumerated() {
                canvas.write(
                    line, x, canvas.y + 12 + Double(lineIndex) * 15, side, size: 12, color: Palette.soft,
                    partOf: text)
            }
            bottom = max(bottom, canvas.y + Double(lines.count) * 15 + 4)
        }
        canvas.descend(to: bottom)
    }

    /// Draws the names and shares of the three groups of a recommendation below their columns.
    private func drawGroups(_ plot: Plot, _ canvas: inout Canvas) {
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

    /// Draws the mean as a diamond and its interval as a line, aligned with the columns.
    private func drawMean(_ plot: Plot, _ canvas: inout Canvas) {
        guard let summary = result.summary, let mean = summary.mean else { return }
        let y = canvas.y + 12
        canvas.line(plot.left, y, plot.right, y, color: "#c3cbd3")
        var label = "Mean \(NumberFormat.mean(mean))"
        if let interval = result.firstMeanInterval {
            let (low, high) = (plot.clampedX(interval.low), plot.clampedX(interval.high))
            canvas.line(low, y, high, y, color: Palette.ink, width: 2)
            for end in [low, high] { canvas.line(end, y - 5, end, y + 5, color: Palette.ink, width: 2) }
            let name = result.room?.first == .certain ? "between" : "95% interval"
            let word = result.room?.first == .certain ? "and" : "to"
            label += ", \(name) \(NumberFormat.mean(interval.low)) \(word) \(NumberFormat.mean(interval.high))"
        }
        let x = plot.clampedX(mean)
        let (w, e, n, s) = (
            NumberFormat.coordinate(x - 7), NumberFormat.coordinate(x + 7), NumberFormat.coordinate(y - 7),
            NumberFormat.coordinate(y + 7)
        )
        let (middle, level) = (NumberFormat.coordinate(x), NumberFormat.coordinate(y))
        canvas.path(
            "M\(w) \(level)L\(middle) \(n)L\(e) \(level)L\(middle) \(s)z", fill: Palette.ink,
            stroke: Palette.background)
        let half = TextFit.width(label, size: 12) / 2
        // Keeps the label within the margins.
        let labelX = min(max(x, canvas.left + half), max(canvas.right - half, canvas.left + half))
        canvas.write(label, labelX, y + 24, .middle, size: 12)
        canvas.descend(to: y + 28)
        guard let statement = roomStatement else { return }
        let size = TextFit.size(of: statement, within: canvas.right - canvas.left, upTo: 12, atLeast: 8)
        canvas.write(statement, (canvas.left + canvas.right) / 2, y + 40, .middle, size: size, color: Palette.soft)
        canvas.descend(to: y + 44)
    }
}

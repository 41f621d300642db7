import Domain
import Foundation
import Testing

@testable import Charts

@Suite struct Pictures {
    /// Labels that could break the markup or the layout.
    private static let hostile = [
        "<script>alert(1)</script>", "\"' onload='x", "&amp; ]]> <!--", "\u{0}\u{8}\u{1B}[31m", "two\r\nlines\ttab",
        "\u{202E}evil 123", String(repeating: "W", count: 300), "", "e\u{301}\u{FFFE}", "데모", "演示", "العرض 12", "🎉👩‍👩‍👧",
    ]

    /// A chart of every kind, with its name for messages.
    private static func everyKind() throws -> [(name: String, svg: String)] {
        let numbers = Array(1...hostile.count)
        var counts = Sample.counts(numbers)
        counts["other"] = 2
        let nps = Question(key: "n", title: hostile[0], kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        let withheld = Chart.Withheld(minimum: 3, shown: 0)
        return [
            ("rating", try Sample.chart(Sample.pace, Sample.paceCounts).svg()),
            ("nps", try Sample.chart(nps, ["0": 1, "9": 4, "#answered": 5], width: 320).svg()),
            ("empty rating", try Sample.chart(Sample.pace, [:]).svg()),
            ("withheld", try Sample.chart(Sample.pace, [:], withheld: withheld).svg()),
            ("bars", try Sample.chart(Sample.choice(hostile, multiple: true, other: true), counts).svg()),
            ("narrow", try Sample.chart(Sample.choice(hostile, multiple: true), counts, width: 320).svg()),
            ("ring", try Sample.chart(Sample.choice(hostile), counts, meeting: hostile[3], shape: .doughnut).svg()),
            ("empty ring", try Sample.chart(Sample.choice(["a", "b"]), [:]).svg()),
        ]
    }

    @Test func picturesAreXMLWithoutScriptsOrExternalResources() throws {
        for (name, svg) in try Self.everyKind() {
            let picture = try ParsedPicture(svg)
            let tags: Set = ["svg", "title", "desc", "defs", "pattern", "rect", "path", "g", "text"]
            #expect(picture.tags.subtracting(tags) == [], "\(name)")
            let unwanted = picture.attributes.filter { $0.hasPrefix("on") || $0.contains("href") || $0 == "style" }
            #expect(unwanted == [], "\(name)")
            #expect(Set(picture.ids).count == picture.ids.count, "\(name)")
            #expect(picture.references.isSubset(of: picture.ids), "\(name)")
            #expect(picture.ids.allSatisfy { $0.hasPrefix("chart-2f6d1c0e8b11-") }, "\(name)")
            #expect(picture.role == "img" && !picture.title.isEmpty && !picture.description.isEmpty, "\(name)")
            #expect(picture.furthest <= picture.width, "\(name)")
        }
    }

    @Test func picturesContainTheCountsOfTheResult() throws {
        let counts = [13, 0, 4, 1_234_567, 18, 2]
        let labels = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        for shape in [Chart.Shape.bars, .doughnut] {
            let picture = try Sample.picture(Sample.choice(labels), Sample.counts(counts), shape: shape)
            #expect(picture.buckets.map(\.count) == counts)
            #expect(picture.buckets.map(\.id) == (0..<6).map { "o\($0)" })
            #expect(picture.texts.contains("1,234,567 (>99.9%)") && picture.texts.contains("0 (0%)"))
            #expect(picture.texts.contains("13 (<0.1%)"))
        }
        let rating = try Sample.picture(Sample.pace, Sample.paceCounts)
        #expect(rating.buckets.map(\.count) == [0, 2, 11, 17, 6])
        for text in ["17", "47.2%", "too slow", "too fast", "Mean 3.75, 95% interval 3.48 to 4.02"] {
            #expect(rating.texts.contains(text), "\(text)")
        }
    }

    @Test func descriptionsContainEveryNumber() throws {
        let rating = try Sample.picture(Sample.pace, Sample.paceCounts)
        #expect(rating.title == "How was the pace? – Retro")
        #expect(
            rating.description
                == "36 answers, 1 skipped. 1: 0 (0%); 2: 2 (5.6%); 3: 11 (30.6%); 4: 17 (47.2%); 5: 6 (16.7%). "
                + "The mean is 3.75 (95% interval 3.48 to 4.02), the median 4.")
        let nps = Question(key: "n", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        let scored = try Sample.picture(nps, ["6": 1, "9": 3, "#answered": 4])
        #expect(scored.description.contains("The net promoter score is 50 (95% interval "))
        #expect(scored.texts.contains("Promoters") && scored.texts.contains("75%"))
    }

    @Test func fillPatternsDistinguishBucketsWithoutColor() throws {
        let patterns = (0..<FillPattern.count).map { FillPattern(at: $0) }
        #expect(FillPattern.count >= 51)
        #expect(Set(patterns.map { $0.definition(id: "p", color: "#000000") }).count == FillPattern.count)
        #expect(FillPattern(at: FillPattern.count) == FillPattern(at: 0))
        let fifty = Sample.choice((1...50).map { "Option \($0)" }, multiple: true, other: true)
        var counts = Sample.counts(Array(1...50))
        counts["other"] = 7
        let picture = try Sample.picture(fifty, counts)
        #expect(picture.buckets.count == 51 && picture.buckets.last?.title.hasPrefix("Other: 7") == true)
        #expect(picture.ids.filter { $0.contains("-fill-") }.count == 51)
    }

    /// Measures the lengths of bars, the heights of columns and the angles of a ring.
    @Test func marksAreProportionalToTheCounts() throws {
        let bars = try Sample.picture(Sample.choice(["a", "b", "c"]), Sample.counts([10, 5, 20]), shape: .bars)
        let lengths = bars.buckets.compactMap(\.widths.first)
        #expect(abs(lengths[0] / lengths[2] - 0.5) < 0.01 && abs(lengths[1] / lengths[2] - 0.25) < 0.01)
        let columns = try Sample.picture(Sample.pace, Sample.paceCounts).buckets.map { $0.heights.first ?? 0 }
        for (height, count) in zip(columns, [0.0, 2, 11, 17, 6]) {
            #expect(abs(height / (columns[3]) - count / 17) < 0.01)
        }
        let ring = try Sample.picture(Sample.choice(["a", "b", "c", "d"]), Sample.counts([1, 2, 0, 5]))
        let starts = ring.buckets.compactMap { $0.paths.first }.map { path -> (Double, Double) in
            let numbers = path.dropFirst().prefix { $0 != "A" }.split(separator: " ").compactMap { Double($0) }
            return (numbers[0], numbers[1])
        }
        #expect(starts.count == 3)
        let center = (x: starts[0].0, y: starts[0].1 + 105)
        for (start, share) in zip(starts, [0, 1.0 / 8, 3.0 / 8]) {
            let angle = atan2(start.0 - center.x, center.y - start.1) / (2 * .pi)
            #expect(abs((angle < 0 ? angle + 1 : angle) - share) < 0.001)
        }
        let full = try Sample.picture(Sample.choice(["a", "b"]), Sample.counts([3, 0]))
        #expect(full.buckets[0].paths.first?.filter { $0 == "M" }.count == 2 && full.buckets[1].paths == [])
        for counts in [[1, 199_999], [199_999, 1], [1, 5_000_000, 1]] {
            let options = ["a", "b", "c"].prefix(counts.count)
            let almostFull = try Sample.picture(Sample.choice(Array(options)), Sample.counts(counts), shape: .doughnut)
            for (bucket, count) in zip(almostFull.buckets, counts) where count > 1 {
                #expect(bucket.paths.first?.filter { $0 == "M" }.count == 2, "\(counts)")
            }
        }
    }

    @Test func emptyAndWithheldResultsAreDescribed() throws {
        let empty = try Sample.picture(Sample.pace, ["#skipped": 3])
        #expect(empty.texts.contains("No answers yet · 3 skipped"))
        #expect(empty.description == "No answers yet, 3 skipped.")
        #expect(!empty.texts.contains { $0.contains("%") || $0.contains("Mean") })
        let withheld = try Sample.picture(Sample.pace, [:], withheld: .init(minimum: 3, shown: 0))
        #expect(withheld.description == "Not shown yet: results appear in groups of at least 3 submissions.")
        #expect(withheld.buckets.isEmpty && withheld.texts.count == 3)
        let partly = try Sample.picture(
            Sample.pace, ["3": 6, "#answered": 6], withheld: .init(minimum: 3, shown: 6))
        let note = "Based on 6 submissions. Newer ones are added in groups of at least 3."
        #expect(partly.texts.contains(note) && partly.description.hasSuffix(note))
    }

    @Test func retiredQuestionsAreMarked() throws {
        var result = QuestionResult.make(question: Sample.pace, counts: Sample.paceCounts)
        result.isRetired = true
        let chart = try #require(Chart(of: result, meeting: "Retro", name: "n"))
        let picture = try ParsedPicture(chart.svg())
        #expect(picture.texts.contains("36 answers · 1 skipped · mean 3.75 · median 4 · no longer asked"))
        #expect(picture.description.hasSuffix("This question is no longer asked."))
    }

    @Test func hostileLabelsAreWrittenAsText() throws {
        let picture = try Sample.picture(
            Sample.choice(Self.hostile, multiple: true), Sample.counts(Array(1...Self.hostile.count)))
        for (label, bucket) in zip(Self.hostile, picture.buckets) {
            let kept = label.unicodeScalars.filter {
                $0.properties.generalCategory != .control && $0.value != 0xFFFE && !(0x2066...0x2069).contains($0.value)
            }
            let written = bucket.title.unicodeScalars.filter { kept.contains($0) }
            #expect(written.count >= kept.count, "\(label)")
        }
        #expect(picture.buckets[6].title.hasPrefix(Self.hostile[6] + ": 7"))
        #expect(picture.texts.contains { $0.hasSuffix("…") && $0.hasPrefix("WWW") })
        let arabic = try #require(picture.texts.firstIndex { $0.hasPrefix("العرض") })
        #expect(picture.directions[arabic] == "rtl" && picture.directions.first == "ltr")
    }

    @Test func sameResultsProduceTheSameBytes() throws {
        let (first, second) = (try Self.everyKind(), try Self.everyKind())
        #expect(first.map(\.svg) == second.map(\.svg))
    }

    /// If `AFTERWORD_WRITE_PICTURES` is set, the test updates the pictures.
    @Test func documentationHasTheCurrentPictures() throws {
        var helped = Sample.counts([13, 20, 4])
        helped["other"] = 3
        helped["#answered"] = 40
        let question = Sample.choice(["The demo", "The talk", "The food"], other: true)
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/pictures")
        for (name, svg) in [
            ("pace", try Sample.chart(Sample.pace, Sample.paceCounts).svg()),
            ("helped", try Sample.chart(question, helped).svg()),
        ] {
            let file = folder.appending(path: "\(name).svg")
            if ProcessInfo.processInfo.environment["AFTERWORD_WRITE_PICTURES"] != nil {
                try Data(svg.utf8).write(to: file)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == svg, "\(name)")
        }
    }

    @Test func shapesDependOnTheQuestion() throws {
        func shapes(_ question: Question) -> [Chart.Shape] {
            Chart.shapes(of: .make(question: question, counts: [:]))
        }
        #expect(shapes(Sample.pace) == [.bars])
        #expect(shapes(Sample.choice(["a", "b"])) == [.doughnut, .bars])
        #expect(shapes(Sample.choice((1...6).map(String.init), other: true)) == [.bars, .doughnut])
        #expect(shapes(Sample.choice(["a"], multiple: true)) == [.bars])
        let text = Question(key: "t", title: "T", kind: .text(maxLength: 9))
        #expect(Chart(of: .make(question: text, counts: [:]), meeting: "M", name: "n") == nil)
        let rating = QuestionResult.make(question: Sample.pace, counts: [:])
        #expect(Chart(of: rating, meeting: "M", shape: .doughnut, name: "n") == nil)
    }
}

import Charts
import Domain
import Testing

/// Pictures of grids.
@Suite struct GridPictures {
    private static func results(
        _ counts: [[Int]], labels: [String]? = ["no", "partly", "yes"],
        titles: [String] = ["Clear", "Useful", "Short"],
        isWithheld: Bool = false
    ) -> [QuestionResult] {
        let grid = Grid(key: "course", title: "The course & <more>")
        return counts.enumerated().map { index, counts in
            let question = Question(
                key: "s\(index)", title: titles[index % titles.count],
                kind: .rating(
                    .init(min: 1, max: counts.count, minLabel: "low", maxLabel: "high", abstain: nil, labels: labels)),
                grid: grid)
            if isWithheld { return QuestionResult.withheld(question: question) }
            var buckets = Dictionary(uniqueKeysWithValues: counts.enumerated().map { ("\($0 + 1)", $1) })
            buckets["#answered"] = counts.reduce(0, +)
            return QuestionResult.make(question: question, counts: buckets)
        }
    }

    private static func picture(
        _ results: [QuestionResult], withheld: Chart.Withheld? = nil,
        _ arrangement: DivergingBars.Arrangement = .split, order: DivergingBars.Order = .form, width: Int = 640
    ) throws -> ParsedPicture {
        let chart = try #require(
            GridChart(
                of: results, meeting: "Retro", withheld: withheld, arrangement: arrangement, order: order,
                width: width, inMeeting: "0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11"))
        #expect(chart.svg() == chart.svg())
        return try ParsedPicture(chart.svg())
    }

    private static let counts = [[1, 2, 3], [4, 0, 1], [0, 5, 5]]

    @Test func pictureHasTheCountsOfEachStatement() throws {
        for arrangement in DivergingBars.Arrangement.allCases {
            let picture = try Self.picture(Self.results(Self.counts), arrangement)
            #expect(picture.buckets.map(\.count) == Self.counts.flatMap(\.self))
            #expect(picture.buckets.map(\.id).prefix(4) == ["s0:1", "s0:2", "s0:3", "s1:1"])
            #expect(picture.title == "The course & <more> – Retro")
            #expect(
                picture.description.contains("Clear: no: 1 (16.7%); partly: 2 (33.3%); yes: 3 (50%); the mean is 2.33.")
            )
            #expect(picture.texts.contains("1 (16.7%), 2 (33.3%), 3 (50%) · mean 2.33"))
            #expect(picture.texts.contains("5 to 10 answers"))
        }
    }

    @Test func statementsAreInTheOrderOfAgreementByChoice() throws {
        let picture = try Self.picture(Self.results(Self.counts), order: .agreement)
        #expect(picture.buckets.map(\.id).filter { $0.hasSuffix(":1") } == ["s2:1", "s0:1", "s1:1"])
    }

    /// Long labels, twenty statements and eleven points do not reach beyond the edge.
    @Test(arguments: [320, 640, 2000]) func everyPictureIsWithinItsWidth(_ width: Int) throws {
        let words = String(repeating: "word ", count: 60)
        let counts = (0..<20).map { row in (0..<11).map { ($0 * row) % 7 * 1000 } }
        let labels = (0..<11).map { "\(words)\($0)" }
        for labels in [labels, nil] {
            let picture = try Self.picture(Self.results(counts, labels: labels, titles: [words]), width: width)
            #expect(picture.furthest <= picture.width && Set(picture.ids).count == picture.ids.count)
            #expect(picture.references.isSubset(of: picture.ids) && picture.role == "img")
        }
    }

    @Test func withheldAndEmptyGridsSaySo() throws {
        let withheld = try Self.picture(
            Self.results(Self.counts, isWithheld: true), withheld: .init(minimum: 3, shown: 0))
        #expect(withheld.buckets.isEmpty && withheld.description.contains("groups of at least 3"))
        let empty = try Self.picture(Self.results([[0, 0, 0]]))
        #expect(empty.texts.contains("No answers yet"))
    }

    @Test func questionsWithoutAGridHaveNoSuchPicture() {
        let rating = QuestionResult.make(question: Sample.pace, counts: Sample.paceCounts)
        #expect(GridChart(of: [rating], meeting: "Retro", inMeeting: "0") == nil)
        #expect(GridChart(of: [], meeting: "Retro", inMeeting: "0") == nil)
        #expect(Question.grids(in: Self.results(Self.counts) + [rating]).map(\.count) == [3])
    }
}

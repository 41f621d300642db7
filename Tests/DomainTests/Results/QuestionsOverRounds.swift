import Domain
import Foundation
import Testing

@Suite struct QuestionsOverRounds {
    private static func rating(_ title: String = "Pace", _ scale: ClosedRange<Int> = 1...5) -> Question {
        Question(key: "q", title: title, kind: .rating(.init(min: scale.lowerBound, max: scale.upperBound)))
    }

    private static func choice(_ options: [String], other: Bool = false, multiple: Bool = false) -> Question {
        Question(
            key: "q", title: "Topics",
            kind: .choice(.init(options: options.map { .init(id: $0, label: $0) }, multiple: multiple, other: other)))
    }

    private static func tally(_ question: Question, _ counts: [String: Int], skipped: Int = 0) -> RoundTally {
        RoundTally(question: question, counts: counts.merging(["#skipped": skipped]) { first, _ in first })
    }

    private static func rounds(
        _ tallies: [RoundTally?], dates: [String?] = [], versions: [[Question?]]? = nil
    ) -> [Trend.Round] {
        tallies.enumerated().map { index, tally in
            let asked = versions?[index] ?? [tally?.question]
            return Trend.Round(
                meetingID: UUID(), round: index + 1, startsAt: nil,
                localDate: dates.indices.contains(index) ? dates[index] : nil, responseRate: nil, tally: tally,
                versions: asked.enumerated().map { ($0 + 1, $1) })
        }
    }

    @Test func roundWithoutAValueIsNullAndChangesSkipIt() throws {
        let asked = Self.rating()
        var hidden = Self.tally(asked, ["#answered": 4, "5": 4])
        hidden.isShown = false
        let trend = try #require(
            Trend(
                of: Self.rounds([
                    Self.tally(asked, ["#answered": 2, "3": 2]), nil, Self.tally(asked, [:], skipped: 3), hidden,
                    Self.tally(asked, ["#answered": 2, "4": 1, "5": 1]),
                ])))
        let points = try #require(trend.lines.first).points
        #expect(trend.lines.map(\.id) == ["mean"])
        #expect(points.map { $0?.value } == [3, nil, nil, nil, 4.5])
        #expect(trend.answers == [2, nil, nil, nil, 2])
        #expect(points[0]?.change == nil && points[4]?.change?.value == 1.5)
        #expect(points[1...3].allSatisfy { $0 == nil })
    }

    @Test func optionThatARoundDidNotOfferIsNull() throws {
        let trend = try #require(
            Trend(
                of: Self.rounds([
                    Self.tally(Self.choice(["a", "b"]), ["#answered": 4, "a": 1, "b": 3]),
                    Self.tally(Self.choice(["b", "c"], other: true), ["#answered": 2, "b": 2]),
                ])))
        let shares = Dictionary(uniqueKeysWithValues: trend.lines.map { ($0.id, $0.points.map { $0?.value }) })
        #expect(trend.lines.map(\.id) == ["b", "c", "a", "other"])
        #expect(shares == ["a": [0.25, nil], "b": [0.75, 1], "c": [nil, 0], "other": [nil, 0]])
        #expect(trend.lines[0].points[1]?.change?.value == 0.25)
    }

    @Test func lineOfATextQuestionIsItsShareOfAnswers() throws {
        let text = Question(key: "q", title: "Why", kind: .text(maxLength: 100))
        let trend = try #require(
            Trend(of: Self.rounds([Self.tally(text, ["#answered": 1], skipped: 3), Self.tally(text, [:])])))
        #expect(trend.lines.map(\.id) == ["answered"] && trend.answers == [4, nil])
        #expect(trend.lines[0].points.map { $0?.value } == [0.25, nil])
    }

    @Test func roundWithADifferentScaleOrKindIsOmittedAndReported() throws {
        let trend = try #require(
            Trend(
                of: Self.rounds([
                    Self.tally(Self.rating("Pace", 0...10), ["#answered": 1, "9": 1]),
                    Self.tally(Self.choice(["a"]), ["#answered": 1, "a": 1]),
                    Self.tally(Self.rating("Tempo"), ["#answered": 1, "4": 1]),
                ])))
        #expect(trend.lines[0].points.map { $0?.value } == [nil, nil, 4] && trend.answers == [nil, nil, 1])
        #expect(trend.leftOut == [1, 2])
        let changes = trend.changes.map {
            "\($0.round) \($0.kind.name) \($0.from ?? "-")→\($0.to ?? "-")"
        }
        #expect(
            changes == [
                "2 kind rating→choice", "2 reworded Pace→Topics", "3 kind choice→rating", "3 reworded Topics→Tempo",
            ])
        let one = try #require(
            Trend(of: Self.rounds([Self.tally(Self.choice(["a"], multiple: true), [:]), trend.rounds[1].tally])))
        #expect(one.leftOut == [1] && one.changes.map(\.kind) == [.edited(.single)])
    }

    @Test func changesBetweenRoundsAndWithinAFormAreReported() throws {
        let first = Self.choice(["a", "b"])
        var second = Self.choice(["a", "c"])
        second.description = "Choose."
        let tallies = [Self.tally(first, [:]), nil, Self.tally(second, [:])]
        let trend = try #require(
            Trend(of: Self.rounds(tallies, versions: [[first, nil, first], [nil], [first, second]])))
        let changes = trend.changes.map {
            "\($0.round).\($0.version) \($0.kind.name) \($0.option ?? "")"
        }
        #expect(
            changes == [
                "1.2 retired ", "1.3 restored ", "2.1 retired ", "3.1 restored ", "3.2 described ",
                "3.2 option-added c", "3.2 option-retired b",
            ])
    }

    @Test func netPromoterScoreHasItsOwnLine() throws {
        let question = Question(key: "q", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        let trend = try #require(
            Trend(
                of: Self.rounds([
                    Self.tally(question, ["#answered": 4, "10": 3, "2": 1]),
                    Self.tally(question, ["#answered": 2, "8": 1, "9": 1]),
                ])))
        #expect(trend.lines.map(\.id) == ["mean", "nps"])
        #expect(trend.lines[1].points.map { $0?.value } == [50, 50])
        #expect(trend.lines[1].points[1]?.change?.value == 0)
    }

    @Test func labelsContainTheRoundAndTheDay() throws {
        func labels(_ dates: [String?]) throws -> [String] {
            try #require(Trend(of: Self.rounds(dates.map { _ in nil }, dates: dates), fallback: Self.rating())).labels
        }
        #expect(try labels(["2026-11-05", nil, "2026-01-31"]) == ["#1 5 Nov", "#2", "#3 31 Jan"])
        #expect(try labels(["2025-11-05", nil, "2026-11-05"]) == ["#1 5 Nov 2025", "#2", "#3 5 Nov 2026"])
        #expect(try labels([nil, nil]) == ["#1", "#2"])
    }

    @Test func periodWithoutTheQuestionHasNullPoints() throws {
        let trend = try #require(Trend(of: Self.rounds([nil, nil]), fallback: Self.choice(["a", "b"])))
        #expect(trend.question.title == "Topics" && trend.answers == [nil, nil] && trend.leftOut == [])
        #expect(trend.lines.map(\.id) == ["a", "b"] && trend.lines.allSatisfy { $0.points == [nil, nil] })
        let quiet = try #require(Trend(of: [], fallback: Self.rating()))
        #expect(quiet.rounds.isEmpty && quiet.lines.map(\.points) == [[]])
    }

    @Test func newestOfManyChangesAreReported() throws {
        let versions = (1...1_002).map { Self.rating("Pace \($0)") as Question? }
        let rounds = Self.rounds([Self.tally(Self.rating(), [:])], versions: [versions])
        let trend = try #require(Trend(of: rounds))
        #expect(trend.changes.count == 1_000 && trend.isTruncated)
        #expect(trend.changes.last?.to == "Pace 1002" && trend.changes.first?.from == "Pace 2")
        let few = Self.rounds([Self.tally(Self.rating(), [:])], versions: [Array(versions.prefix(1_001))])
        #expect(try #require(Trend(of: few)).isTruncated == false)
        #expect(try #require(Trend(of: few, isTruncated: true)).isTruncated)
    }

    @Test func changesOfAllQuestionsAreSortedByVersion() {
        let other = Question(key: "w", title: "Why", kind: .text(maxLength: 100))
        var reworded = other
        reworded.title = "Why not"
        let history = SeriesHistory(
            versions: [
                .init(round: 1, version: 1, questions: [Self.choice(["a"]), other]),
                .init(round: 1, version: 3, questions: [Self.choice(["a"]), reworded]),
                .init(round: 2, version: 1, questions: [Self.choice(["a", "b"])]),
            ], isTruncated: false)
        let (changes, isTruncated) = history.changes(of: ["w", "q"])
        #expect(
            changes.map { "\($0.change.round).\($0.change.version) \($0.key) \($0.change.kind.name)" } == [
                "1.3 w reworded", "2.1 w retired", "2.1 q option-added",
            ])
        #expect(!isTruncated && changes[0].key == "w" && changes[0].change.from == "Why")
        let all = SeriesHistory(
            versions: (0...1_001).map { .init(round: $0 + 1, version: 1, questions: [Self.rating("Pace \($0)")]) },
            isTruncated: false
        ).changes(of: ["q"])
        #expect(all.list.count == 1_000 && all.isTruncated && all.list.last?.change.to == "Pace 1001")
    }

    @Test func questionsAskedInNoRoundHaveNoTrend() {
        #expect(Trend(of: Self.rounds([nil, nil])) == nil)
        #expect(Trend(of: []) == nil)
    }
}

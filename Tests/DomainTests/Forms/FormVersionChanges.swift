import Domain
import Foundation
import Testing

@Suite struct FormVersionChanges {
    private static let firstVersion = [
        Question(key: "pace", title: "Pace", kind: .rating(.init(min: 0, max: 10))),
        Question(
            key: "topics", title: "Topics",
            kind: .choice(
                .init(
                    options: [.init(id: "a", label: "A"), .init(id: "b", label: "B"), .init(id: "c", label: "C")],
                    multiple: true))),
        Question(key: "why", title: "Why", kind: .text(maxLength: 100)),
    ]

    private static func moment(_ version: Int) -> Date { Date(timeIntervalSince1970: Double(version) * 60) }

    private static func history(_ versions: [[Question]], from number: Int = 1, earlier: Set<String> = [])
        -> FormHistory
    {
        var history = FormHistory(
            version: number, definition: FormDefinition(questions: versions[0]), earlier: earlier)
        for (index, questions) in versions.enumerated().dropFirst() {
            let version = number + index
            history.publish(FormDefinition(questions: questions), version: version, at: moment(version))
        }
        return history
    }

    /// The changes of the second version as `key[.option] change from → to`.
    private static func changes(_ change: (inout [Question]) -> Void) -> [String] {
        var next = firstVersion
        change(&next)
        return described(history([firstVersion, next]))
    }

    private static func described(_ history: FormHistory) -> [String] {
        history.changes.map { change in
            let name = change.key + (change.option.map { ".\($0)" } ?? "")
            return "\(name) \(change.kind.rawValue) \(change.from ?? "-") → \(change.to ?? "-")"
        }
    }

    private static func choice(_ question: inout Question, _ change: (inout Question.Choice) -> Void) {
        guard case .choice(var choice) = question.kind else { return }
        change(&choice)
        question.kind = .choice(choice)
    }

    @Test func unchangedQuestionsAreNotReported() {
        #expect(Self.changes { _ in } == [])
        let history = Self.history([Self.firstVersion])
        #expect(history.changes.isEmpty && !history.isTruncated && history.version == 1)
    }

    @Test func rewordedDescribedAndRequiredQuestionsAreReported() {
        let described = Self.changes { next in
            next[0].title = "Tempo"
            next[0].description = "Of today."
            next[0].required = true
        }
        #expect(described == ["pace reworded Pace → Tempo", "pace described - → Of today.", "pace required - → -"])
        var required = Self.firstVersion
        required[0].required = true
        #expect(Self.described(Self.history([required, Self.firstVersion])) == ["pace optional - → -"])
    }

    @Test func changedScaleLabelsAndMetricsAreReported() {
        let described = Self.changes {
            $0[0].kind = .rating(.init(min: 0, max: 10, minLabel: "slow", maxLabel: "fast", metric: .nps))
        }
        #expect(
            described == ["pace min-labelled - → slow", "pace max-labelled - → fast", "pace measured mean → nps"])
    }

    @Test func changedLimitsAreReported() {
        let described = Self.changes { next in
            next[2].kind = .text(maxLength: 500)
            Self.choice(&next[1]) { ($0.minSelections, $0.maxSelections) = (1, 2) }
        }
        #expect(described == ["topics limited 0 or more → 1 to 2", "why limited 100 → 500"])
        #expect(Self.changes { next in Self.choice(&next[1]) { $0.multiple = false } } == ["topics single - → -"])
    }

    @Test func changesOfOptionsAreReported() {
        let described = Self.changes { next in
            Self.choice(&next[1]) { choice in
                choice.options = [.init(id: "c", label: "C"), .init(id: "a", label: "Ah"), .init(id: "d", label: "D")]
                choice.other = true
            }
        }
        #expect(
            described == [
                "topics.a option-reworded A → Ah", "topics.d option-added - → D", "topics.other option-added - → Other",
                "topics.b option-retired B → -", "topics.c option-moved 3 → 1",
            ])
    }

    @Test func movedQuestionDoesNotMoveTheFollowingOnes() {
        #expect(Self.changes { $0.append($0.removeFirst()) } == ["pace moved 1 → 3"])
        #expect(Self.changes { $0.remove(at: 0) } == ["pace retired Pace → -"])
        let added = Question(key: "new", title: "New", kind: .text(maxLength: 9))
        #expect(Self.changes { $0.insert(added, at: 0) } == ["new added - → New"])
    }

    @Test func restoredQuestionsAndOptionsAreReported() {
        var reduced = Self.firstVersion
        reduced.remove(at: 2)
        Self.choice(&reduced[1]) { $0.options.remove(at: 1) }
        var restored = Self.firstVersion
        restored[2].title = "Why then"
        let described = Self.described(Self.history([Self.firstVersion, reduced, restored]))
        #expect(
            described == [
                "topics.b option-retired B → -", "why retired Why → -", "topics.b option-restored - → B",
                "why restored - → Why then", "why reworded Why → Why then",
            ])
        #expect(
            Self.described(Self.history([reduced, restored], from: 7, earlier: ["why"])).contains(
                "why restored - → Why then"))
    }

    @Test func changesNameTheirVersion() {
        var second = Self.firstVersion
        second[0].title = "2"
        var third = second
        third[0].title = "3"
        let history = Self.history([Self.firstVersion, second, third])
        #expect(history.changes.map(\.version) == [2, 3])
        #expect(history.changes.map(\.at) == [Self.moment(2), Self.moment(3)])
        #expect(history.version == 3)
    }

    @Test func newestHundredChangesAreKept() {
        let versions = (0...150).map { number in
            [Question(key: "pace", title: "\(number)", kind: .rating(.init()))]
        }
        let complete = Self.history(Array(versions.prefix(101)))
        #expect(complete.changes.count == 100 && !complete.isTruncated)
        let truncated = Self.history(versions)
        #expect(truncated.changes.count == 100 && truncated.isTruncated)
        #expect(truncated.changes.first?.to == "51" && truncated.changes.last?.to == "150")
        #expect(
            Self.history([versions[0], versions[1]], from: 9).isTruncated,
            "changes before the first version are unknown")
    }
}

import Domain
import Foundation
import Store

/// Compares a file with the stored meetings and series, value by value.
///
/// Values are compared by label and never by option id, so that answers counted for the wrong option are detected.
public struct SourceCheck: Sendable {
    /// A stored number that differs from the file, or a pooled number that differs from the sum over the rounds.
    public struct Difference: Sendable, Equatable {
        public var series: String
        /// Nil for the pooled rounds of a series.
        public var meeting: String?
        /// Nil for the number of submissions.
        public var question: String?
        /// Nil for the number of answers.
        public var value: String?
        public var stored: Int
        /// The number in the file or, for pooled rounds, the sum over the individual rounds.
        public var expected: Int
        public var isMissing = false
    }

    public struct Report: Sendable {
        /// The maximum number of differences that are listed. Further ones are only counted.
        public static let maximumListed = 1_000

        public var rows = 0
        public var series = 0
        public var meetings = 0
        public var questions = 0
        /// The number of invalid rows, which an import rejects.
        public var refused = 0
        public var differenceCount = 0
        public var differences: [Difference] = []

        mutating func add(_ difference: Difference) {
            differenceCount += 1
            if differences.count < Self.maximumListed { differences.append(difference) }
        }
    }

    private typealias Counts = [SourceReader.Value: Int]

    /// The counts of one meeting in the file.
    private struct FileCounts {
        var rows = 0
        /// By question key.
        var answered: [String: Int] = [:]
        var counts: [String: Counts] = [:]
    }

    private let plan: ImportPlan
    private let form: PreparedForm
    private let store: Store

    public init(_ plan: ImportPlan, in store: Store) {
        self.plan = plan
        self.store = store
        form = PreparedForm(questions: plan.questions)
    }

    /// - Parameter progress: Called with the number of rows processed so far.
    public func run(progress: @Sendable (Int) -> Void = { _ in }) async throws -> Report {
        var report = Report()
        var refused = Set(plan.refused.map(\.line))
        for series in plan.series {
            var isStored = false
            report.series += 1
            for meeting in series.meetings where !meeting.rows.isEmpty {
                let file = count(meeting, &refused)
                report.rows += file.rows
                guard let stored = try await store.verification.labeledCounts(of: meeting.id) else {
                    report.add(
                        Difference(
                            series: series.title, meeting: meeting.title, stored: 0, expected: file.rows,
                            isMissing: true))
                    continue
                }
                isStored = true
                report.meetings += 1
                report.questions += plan.sources.count
                compare(file, stored, series.title, meeting.title, &report)
                progress(report.rows)
            }
            if isStored { try await comparePooled(series, &report) }
        }
        report.refused = refused.count
        return report
    }

    private func count(_ meeting: ImportPlan.Meeting, _ refused: inout Set<Int>) -> FileCounts {
        var file = FileCounts()
        for number in meeting.rows {
            let row = plan.row(number)
            guard (try? form.answers(from: row.answers)) != nil else {
                refused.insert(row.line)
                continue
            }
            file.rows += 1
            for source in plan.sources {
                guard let values = source.values(number) else { continue }
                file.answered[source.key, default: 0] += 1
                for value in values { file.counts[source.key, default: [:]][value, default: 0] += 1 }
            }
        }
        return file
    }

    private func compare(
        _ file: FileCounts, _ stored: LabeledCounts, _ series: String, _ meeting: String, _ report: inout Report
    ) {
        var difference = Difference(
            series: series, meeting: meeting, stored: stored.submissions, expected: file.rows)
        if difference.stored != difference.expected { report.add(difference) }
        for source in plan.sources {
            let key = source.key
            difference.question = key
            difference.value = nil
            (difference.stored, difference.expected) = (stored.answered[key] ?? 0, file.answered[key] ?? 0)
            if difference.stored != difference.expected { report.add(difference) }
            guard source.kind != "text" else { continue }
            var expected: Counts = [:]
            for (value, count) in file.counts[key] ?? [:] {
                expected[Self.current(value, in: stored.options[key] ?? []), default: 0] += count
            }
            Self.compare(Self.counts(stored.options[key] ?? []), expected, difference, &report)
        }
    }

    /// Compares the pooled results, which are counted by option id, with the sums over the rounds by label.
    private func comparePooled(_ series: ImportPlan.Series, _ report: inout Report) async throws {
        let pooled = try await store.seriesRounds.pooled(of: series.id) { $0 }
        guard !pooled.rounds.contains(where: { $0.withheld != nil || $0.isHidden }) else { return }
        var rounds: [(round: Int, counts: LabeledCounts)] = []
        for round in pooled.rounds {
            if let counts = try await store.verification.labeledCounts(of: round.meetingID) {
                rounds.append((round.round, counts))
            }
        }
        for source in plan.sources where source.kind != "text" {
            guard let question = pooled.questions.first(where: { $0.result.key == source.key }) else { continue }
            var expected: Counts = [:]
            for (round, counts) in rounds where !question.leftOut.contains(round) {
                expected.merge(Self.counts(counts.options[source.key] ?? []), uniquingKeysWith: +)
            }
            let stored: Counts = Dictionary(
                question.result.points.map { (Self.value($0.label, isOther: $0.id == "other"), $0.count) }
                    + question.result.abstentions,
                uniquingKeysWith: +)
            let difference = Difference(series: series.title, question: source.key, stored: 0, expected: 0)
            Self.compare(stored, expected, difference, &report)
        }
    }

    private static func compare(
        _ stored: Counts, _ expected: Counts, _ difference: Difference, _ report: inout Report
    ) {
        let values = Set(stored.keys).union(expected.keys).sorted {
            $0.text.unicodeScalars.lexicographicallyPrecedes($1.text.unicodeScalars)
        }
        for value in values where stored[value, default: 0] != expected[value, default: 0] {
            var difference = difference
            difference.value = value.text
            (difference.stored, difference.expected) = (stored[value, default: 0], expected[value, default: 0])
            report.add(difference)
        }
    }

    private static func counts(_ options: [LabeledCounts.Option]) -> Counts {
        Dictionary(options.map { (value($0.label, isOther: $0.isOther), $0.count) }, uniquingKeysWith: +)
    }

    private static func value(_ label: String, isOther: Bool) -> SourceReader.Value {
        isOther ? .other : .label(ExactText(label))
    }

    /// The current label of an option that older versions of the form labeled differently.
    private static func current(
        _ value: SourceReader.Value, in options: [LabeledCounts.Option]
    ) -> SourceReader.Value {
        guard case .label(let label) = value, !options.contains(where: { ExactText($0.label) == label }) else {
            return value
        }
        let reworded = options.first { $0.earlierLabels.contains { ExactText($0) == label } }
        return reworded.map { Self.value($0.label, isOther: $0.isOther) } ?? value
    }
}

extension QuestionResult {
    /// The number of abstentions, if the question offers any.
    fileprivate var abstentions: [(SourceReader.Value, Int)] {
        abstain.map { _ in [(.label(ExactText(Limits.abstention)), abstained)] } ?? []
    }
}

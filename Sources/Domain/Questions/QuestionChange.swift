import Foundation
import StrictJSON

/// One difference between a published version and the version before it.
public struct QuestionChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The whole question. `from` and `to` are titles or, for `moved`, positions in the form counted from 1.
        case added, retired, restored, moved, reworded
        /// The description of a question.
        case described
        /// The label of the lowest or the highest rating.
        case minLabelled = "min-labelled"
        case maxLabelled = "max-labelled"
        /// The label of the abstention. `from` or `to` is nil if the question offered none.
        case abstainLabelled = "abstain-labelled"
        /// The labels of the points of a scale, separated by commas.
        case pointsLabelled = "points-labelled"
        /// The title of the grid of a statement. `from` or `to` is nil if it was, or is, a rating of its own.
        case gridTitled = "grid-titled"
        /// The metric of a rating: `mean` or `nps`.
        case measured
        /// The maximum length of a text, or the number of selections, such as `0 to 3` or `1 or more`.
        case limited
        /// Whether a question is required, and whether several options may be chosen. `from` and `to` are nil.
        case required, optional, single, multiple
        /// The condition under which a question is asked. `from` and `to` are conditions as JSON; nil for none.
        case conditioned
        /// An option. `from` and `to` are labels or, for `option-moved`, positions among the options.
        case optionAdded = "option-added"
        case optionRetired = "option-retired"
        case optionRestored = "option-restored"
        case optionMoved = "option-moved"
        case optionReworded = "option-reworded"
    }

    /// The first version with the change, and the time of its publication.
    public var version: Int
    public var at: Date
    public var key: String
    /// The option that changed. `other` stands for the participants' own words.
    public var option: String?
    public var kind: Kind
    public var from: String?
    public var to: String?
}

extension Question {
    /// Returns how this question differs from an older version of it.
    ///
    /// - Parameter retired: The ids of options that a version before `older` had but `older` does not.
    func differences(from older: Question, retired: Set<String>) -> [Difference] {
        var differences: [Difference] = []
        func compare(_ kind: QuestionChange.Kind, _ from: String?, _ to: String?) {
            if from != to { differences.append(Difference(kind: kind, from: from, to: to)) }
        }
        compare(.reworded, older.title, title)
        compare(.described, older.description, description)
        if required != older.required { differences.append(Difference(kind: required ? .required : .optional)) }
        compare(.gridTitled, older.grid?.title, grid?.title)
        compare(.conditioned, older.showIf?.json.text, showIf?.json.text)
        switch (kind, older.kind) {
        case (.text(let new), .text(let old)): compare(.limited, String(old), String(new))
        case (.rating(let new), .rating(let old)):
            compare(.minLabelled, old.minLabel, new.minLabel)
            compare(.maxLabelled, old.maxLabel, new.maxLabel)
            compare(.abstainLabelled, old.abstain, new.abstain)
            compare(.pointsLabelled, old.labels?.joined(separator: ", "), new.labels?.joined(separator: ", "))
            compare(.measured, old.metric.rawValue, new.metric.rawValue)
        case (.choice(let new), .choice(let old)):
            if new.multiple != old.multiple {
                differences.append(Difference(kind: new.multiple ? .multiple : .single))
            } else if new.multiple {
                compare(.limited, old.limits, new.limits)
            }
            differences += new.differences(from: old, retired: retired)
        default: break
        }
        return differences
    }

    /// A change without its version.
    struct Difference: Equatable {
        var option: String?
        var kind: QuestionChange.Kind
        var from: String?
        var to: String?
    }
}

extension Question.Choice {
    fileprivate var limits: String {
        maxSelections.map { "\(minSelections) to \($0)" } ?? "\(minSelections) or more"
    }

    /// The options in order, with the participants' own words last.
    var buckets: [Question.Option] {
        options + (other ? [Question.Option(id: TallyKey.other, label: "Other")] : [])
    }

    fileprivate func differences(from older: Question.Choice, retired: Set<String>) -> [Question.Difference] {
        let (old, new) = (older.buckets, buckets)
        let labels = Dictionary(old.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
        var differences: [Question.Difference] = []
        for option in new {
            if let label = labels[option.id] {
                guard label != option.label else { continue }
                differences.append(.init(option: option.id, kind: .optionReworded, from: label, to: option.label))
            } else {
                let kind: QuestionChange.Kind = retired.contains(option.id) ? .optionRestored : .optionAdded
                differences.append(.init(option: option.id, kind: kind, to: option.label))
            }
        }
        let ids = Set(new.map(\.id))
        differences += old.filter { !ids.contains($0.id) }
            .map { .init(option: $0.id, kind: .optionRetired, from: $0.label) }
        differences += QuestionReorder(from: old.map(\.id), to: new.map(\.id)).moves
            .map { .init(option: $0.element, kind: .optionMoved, from: "\($0.from)", to: "\($0.to)") }
        return differences
    }
}

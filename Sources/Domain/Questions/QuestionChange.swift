#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One thing that a published version asks otherwise than the version before it.
public struct QuestionChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Of a whole question: `from` and `to` are titles, of `moved` places in the form counted from 1.
        case added, retired, restored, moved, reworded
        /// Its description.
        case described
        /// What its ends are called.
        case minLabelled = "min-labelled"
        case maxLabelled = "max-labelled"
        /// The number that sums its ratings up: `mean` or `nps`.
        case measured
        /// How long a text may be, or how many options are chosen: `0 to 3`, `1 or more`.
        case limited
        /// Whether it must be answered, and whether several options may be chosen; without `from` and `to`.
        case required, optional, single, multiple
        /// Of an option: `from` and `to` are labels, of `option-moved` places among the options.
        case optionAdded = "option-added"
        case optionRetired = "option-retired"
        case optionRestored = "option-restored"
        case optionMoved = "option-moved"
        case optionReworded = "option-reworded"
    }

    /// The first version with the change, and when it was published.
    public var version: Int
    public var at: Date
    public var key: String
    /// Of an option's change; `other` is the participants' own words.
    public var option: String?
    public var kind: Kind
    public var from: String?
    public var to: String?
}

extension Question {
    /// What this question is asked otherwise than the last version that asked it.
    ///
    /// - Parameter gone: the ids of options that versions before that one had and it had not.
    func differences(from older: Question, gone: Set<String>) -> [Difference] {
        var found: [Difference] = []
        func note(_ kind: QuestionChange.Kind, _ from: String?, _ to: String?) {
            if from != to { found.append(Difference(kind: kind, from: from, to: to)) }
        }
        note(.reworded, older.title, title)
        note(.described, older.description, description)
        if required != older.required { found.append(Difference(kind: required ? .required : .optional)) }
        switch (kind, older.kind) {
        case (.text(let new), .text(let old)): note(.limited, String(old), String(new))
        case (.rating(let new), .rating(let old)):
            note(.minLabelled, old.minLabel, new.minLabel)
            note(.maxLabelled, old.maxLabel, new.maxLabel)
            note(.measured, old.metric.rawValue, new.metric.rawValue)
        case (.choice(let new), .choice(let old)):
            if new.multiple != old.multiple {
                found.append(Difference(kind: new.multiple ? .multiple : .single))
            } else if new.multiple {
                note(.limited, old.limits, new.limits)
            }
            found += new.differences(from: old, gone: gone)
        default: break
        }
        return found
    }

    /// A change without the version that brought it.
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

    /// Options in order, with the participants' own words as the last.
    var buckets: [Question.Option] {
        options + (other ? [Question.Option(id: TallyKey.other, label: "Other")] : [])
    }

    fileprivate func differences(from older: Question.Choice, gone: Set<String>) -> [Question.Difference] {
        let (old, new) = (older.buckets, buckets)
        let labels = Dictionary(old.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
        var found: [Question.Difference] = []
        for option in new {
            if let label = labels[option.id] {
                guard label != option.label else { continue }
                found.append(.init(option: option.id, kind: .optionReworded, from: label, to: option.label))
            } else {
                let kind: QuestionChange.Kind = gone.contains(option.id) ? .optionRestored : .optionAdded
                found.append(.init(option: option.id, kind: kind, to: option.label))
            }
        }
        let asked = Set(new.map(\.id))
        found += old.filter { !asked.contains($0.id) }
            .map { .init(option: $0.id, kind: .optionRetired, from: $0.label) }
        found += QuestionReorder(from: old.map(\.id), to: new.map(\.id)).moves
            .map { .init(option: $0.element, kind: .optionMoved, from: "\($0.from)", to: "\($0.to)") }
        return found
    }
}

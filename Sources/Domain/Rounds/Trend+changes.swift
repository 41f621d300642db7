extension Trend {
    /// How a question changed, by the version of the round with the change.
    public struct Change: Sendable, Equatable {
        public enum Kind: Sendable, Equatable {
            /// Kinds of change that also occur within a form.
            case edited(QuestionChange.Kind)
            /// From one round to the next: another kind of question, or another scale of a rating.
            case kind, scale

            public var name: String {
                switch self {
                case .edited(let kind): kind.rawValue
                case .kind: "kind"
                case .scale: "scale"
                }
            }
        }

        /// If there are more changes, the newest are returned.
        public static let kept = 1_000

        public var round: Int
        public var version: Int
        public var kind: Kind
        /// The id of the option that changed.
        public var option: String?
        public var from: String?
        public var to: String?
    }

    /// Between versions published one after another, in one round or from one to the next; oldest first.
    static func changes(in versions: [(round: Int, version: Int, question: Question?)]) -> [Change] {
        var changes: [Change] = []
        var last: Question?
        var isAsked = false
        /// Options that existed once, but not in the last version.
        var gone: Set<String> = []
        for (round, version, question) in versions {
            func note(_ kind: Change.Kind, _ from: String?, _ to: String?, option: String? = nil) {
                changes.append(
                    Change(round: round, version: version, kind: kind, option: option, from: from, to: to))
            }
            if let question, let last {
                if !isAsked { note(.edited(.restored), nil, question.title) }
                if question.kind.name != last.kind.name {
                    note(.kind, last.kind.name.rawValue, question.kind.name.rawValue)
                }
                if let (old, new) = Self.scales(last, question), old != new { note(.scale, old, new) }
                for found in question.differences(from: last, gone: gone) {
                    note(.edited(found.kind), found.from, found.to, option: found.option)
                }
                gone = gone.union(last.optionIDs).subtracting(question.optionIDs)
            } else if isAsked, question == nil {
                note(.edited(.retired), last?.title, nil)
            }
            isAsked = question != nil
            last = question ?? last
        }
        return changes
    }

    private static func scales(_ old: Question, _ new: Question) -> (String, String)? {
        guard case .rating(let before) = old.kind, case .rating(let after) = new.kind else { return nil }
        return ("\(before.min)–\(before.max)", "\(after.min)–\(after.max)")
    }
}

extension Question {
    fileprivate var optionIDs: Set<String> {
        guard case .choice(let choice) = kind else { return [] }
        return Set(choice.buckets.map(\.id))
    }
}

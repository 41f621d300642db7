import StrictJSON

/// The labels of a form's options in its published versions.
public struct OptionLabels: Sendable {
    /// By question key, then by option id.
    private var labels: [String: [String: Set<String>]] = [:]

    public init() {}

    public mutating func add(_ label: String, of option: String, in question: String) {
        labels[question, default: [:]][option, default: []].insert(label)
    }

    mutating func add(_ question: Question) {
        guard case .choice(let choice) = question.kind else { return }
        for option in choice.options { add(option.label, of: option.id, in: question.key) }
    }

    /// Returns an error for each known option that is given a label which another option had in any version. The
    /// options were then probably confused, and answers would change their meaning.
    ///
    /// Rewording an option, reusing its own earlier label, and giving an old label to a new option are allowed.
    public func faults(of question: Question, at pointer: String) -> [Fault] {
        guard case .choice(let choice) = question.kind, let known = labels[question.key] else { return [] }
        return choice.options.enumerated().compactMap { index, option in
            guard let ownLabels = known[option.id], !ownLabels.contains(option.label),
                known.contains(where: { $0.key != option.id && $0.value.contains(option.label) })
            else { return nil }
            return Fault(
                .invalid, at: "\(pointer)/options/\(index)/label", code: "label-of-another-option",
                "Another option had this label, so its answers would appear as this one's. Move options together with their ids."
            )
        }
    }
}

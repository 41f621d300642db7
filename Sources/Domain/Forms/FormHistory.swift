import Foundation

/// The changes of a form's questions between its published versions, added version by version.
public struct FormHistory: Sendable {
    /// The maximum number of changes. If there are more, the oldest are dropped.
    public static let maximumCount = 100

    /// Oldest first.
    public private(set) var changes: [QuestionChange] = []
    /// Whether there are older changes, or versions older than the first one that was added.
    public private(set) var isTruncated: Bool
    public private(set) var version: Int
    /// The question keys of the newest version, in its order.
    private var keys: [String]
    /// Every question in its latest wording.
    private var known: [String: Question]
    /// The ids of the options that a question had once, but not in its latest version.
    private var retiredOptions: [String: Set<String>] = [:]
    /// The question keys of versions older than the first one that was added.
    private let earlier: Set<String>

    /// Begins with a version. Of earlier versions, only the question keys are known.
    public init(version: Int, definition: FormDefinition, earlier: Set<String> = []) {
        self.version = version
        self.earlier = earlier
        isTruncated = version > 1
        keys = definition.questions.map(\.key)
        known = Dictionary(definition.questions.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds the next version.
    public mutating func publish(_ definition: FormDefinition, version: Int, at: Date) {
        let (before, now) = (keys, definition.questions.map(\.key))
        func note(_ key: String, _ found: Question.Difference) {
            changes.append(
                QuestionChange(
                    version: version, at: at, key: key, option: found.option, kind: found.kind, from: found.from,
                    to: found.to))
        }
        for question in definition.questions {
            let key = question.key
            let older = known[key]
            if !before.contains(key) {
                let isBack = older != nil || earlier.contains(key)
                note(key, .init(kind: isBack ? .restored : .added, to: question.title))
            }
            for found in older.map({ question.differences(from: $0, retired: retiredOptions[key] ?? []) }) ?? [] {
                note(key, found)
            }
            remember(question)
        }
        for key in before where !now.contains(key) { note(key, .init(kind: .retired, from: known[key]?.title)) }
        for move in QuestionReorder(from: before, to: now).moves {
            note(move.element, .init(kind: .moved, from: "\(move.from)", to: "\(move.to)"))
        }
        keys = now
        self.version = version
        guard changes.count > Self.maximumCount else { return }
        changes.removeFirst(changes.count - Self.maximumCount)
        isTruncated = true
    }

    private mutating func remember(_ question: Question) {
        let key = question.key
        if case .choice(let new) = question.kind, case .choice(let old)? = known[key]?.kind {
            let ids = Set(new.buckets.map(\.id))
            retiredOptions[key] = (retiredOptions[key] ?? []).union(old.buckets.map(\.id)).subtracting(ids)
        }
        known[key] = question
    }
}

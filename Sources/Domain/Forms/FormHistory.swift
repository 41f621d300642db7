import Foundation

/// The changes of a form's questions between its published versions, added version by version.
public struct FormHistory: Sendable {
    /// The maximum number of changes. If there are more, the oldest are dropped.
    public static let maximumCount = 100

    /// Oldest first.
    public private(set) var changes: [QuestionChange] = []
    /// Whether older changes were dropped, or versions older than the first one were not added.
    public private(set) var isTruncated: Bool
    public private(set) var version: Int
    /// The question keys of the newest version, in its order.
    private var keys: [String]
    /// Every question in its latest wording.
    private var latestQuestions: [String: Question]
    /// The ids of the options that a question once had, but does not have in its latest version.
    private var retiredOptions: [String: Set<String>] = [:]
    /// The question keys of versions older than the first one that was added.
    private let earlierKeys: Set<String>

    /// Starts with a version. Of earlier versions, only the question keys are known.
    public init(version: Int, definition: FormDefinition, earlier: Set<String> = []) {
        self.version = version
        earlierKeys = earlier
        isTruncated = version > 1
        keys = definition.questions.map(\.key)
        latestQuestions = Dictionary(definition.questions.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds the next version.
    public mutating func publish(_ definition: FormDefinition, version: Int, at: Date) {
        let (oldKeys, newKeys) = (keys, definition.questions.map(\.key))
        func record(_ key: String, _ difference: Question.Difference) {
            changes.append(
                QuestionChange(
                    version: version, at: at, key: key, option: difference.option, kind: difference.kind,
                    from: difference.from, to: difference.to))
        }
        for question in definition.questions {
            let key = question.key
            let older = latestQuestions[key]
            if !oldKeys.contains(key) {
                let isBack = older != nil || earlierKeys.contains(key)
                record(key, .init(kind: isBack ? .restored : .added, to: question.title))
            }
            for difference in older.map({ question.differences(from: $0, retired: retiredOptions[key] ?? []) }) ?? [] {
                record(key, difference)
            }
            remember(question)
        }
        for key in oldKeys where !newKeys.contains(key) {
            record(key, .init(kind: .retired, from: latestQuestions[key]?.title))
        }
        for move in QuestionReorder(from: oldKeys, to: newKeys).moves {
            record(move.element, .init(kind: .moved, from: "\(move.from)", to: "\(move.to)"))
        }
        keys = newKeys
        self.version = version
        guard changes.count > Self.maximumCount else { return }
        changes.removeFirst(changes.count - Self.maximumCount)
        isTruncated = true
    }

    private mutating func remember(_ question: Question) {
        let key = question.key
        if case .choice(let new) = question.kind, case .choice(let old)? = latestQuestions[key]?.kind {
            let ids = Set(new.buckets.map(\.id))
            retiredOptions[key] = (retiredOptions[key] ?? []).union(old.buckets.map(\.id)).subtracting(ids)
        }
        latestQuestions[key] = question
    }
}

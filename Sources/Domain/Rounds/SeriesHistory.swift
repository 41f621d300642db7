/// The questions of a series from round to round. The oldest versions may be missing (`isTruncated`).
public struct SeriesHistory: Sendable {
    /// A published version whose questions differ from those of the version before it.
    public struct Version: Sendable {
        public var round: Int
        public var version: Int
        public var questions: [Question]

        public init(round: Int, version: Int, questions: [Question]) {
            self.round = round
            self.version = version
            self.questions = questions
        }
    }

    /// A change of the question with this key.
    public struct Change: Sendable, Equatable {
        public var key: String
        public var change: Trend.Change
    }

    /// The versions in the order of publication.
    public var versions: [Version]
    /// Whether older versions exist.
    public var isTruncated: Bool

    public init(versions: [Version], isTruncated: Bool) {
        self.versions = versions
        self.isTruncated = isTruncated
    }

    /// Returns the changes of these questions, oldest first, and whether older changes were left out.
    public func changes(of keys: [String]) -> (list: [Change], isTruncated: Bool) {
        let questionsByKey = versions.map { version in
            Dictionary(version.questions.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let allChanges = keys.enumerated().flatMap { position, key in
            Trend.changes(in: zip(versions, questionsByKey).map { ($0.round, $0.version, $1[key]) })
                .map { (position: position, change: Change(key: key, change: $0)) }
        }
        func sortKey(_ entry: (position: Int, change: Change)) -> (Int, Int, Int) {
            (entry.change.change.round, entry.change.change.version, entry.position)
        }
        // Changes of one question in one version keep their order.
        let sorted = allChanges.enumerated().sorted {
            let (left, right) = (sortKey($0.element), sortKey($1.element))
            return left == right ? $0.offset < $1.offset : left < right
        }
        let recent = sorted.suffix(Trend.Change.maximumCount).map(\.element.change)
        return (recent, isTruncated || recent.count < allChanges.count)
    }
}

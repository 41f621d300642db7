/// The questions of a series' rounds, as far back as they were read.
public struct SeriesHistory: Sendable {
    /// A published version whose questions differ from the one before it.
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

    /// A change with its question.
    public struct Change: Sendable, Equatable {
        public var key: String
        public var change: Trend.Change
    }

    /// In the order of publication.
    public var versions: [Version]
    /// Whether older versions exist.
    public var isCut: Bool

    public init(versions: [Version], isCut: Bool) {
        self.versions = versions
        self.isCut = isCut
    }

    /// Returns how these questions changed, oldest first, and whether there is more.
    public func changes(of keys: [String]) -> (list: [Change], isCut: Bool) {
        let asked = versions.map { version in
            Dictionary(version.questions.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let all = keys.enumerated().flatMap { place, key in
            Trend.changes(in: zip(versions, asked).map { ($0.round, $0.version, $1[key]) })
                .map { (place: place, change: Change(key: key, change: $0)) }
        }
        func order(_ found: (place: Int, change: Change)) -> (Int, Int, Int) {
            (found.change.change.round, found.change.change.version, found.place)
        }
        // Changes of one question in one version keep their order.
        let sorted = all.enumerated().sorted {
            let (left, right) = (order($0.element), order($1.element))
            return left == right ? $0.offset < $1.offset : left < right
        }
        let recent = sorted.suffix(Trend.Change.kept).map(\.element.change)
        return (recent, isCut || recent.count < all.count)
    }
}

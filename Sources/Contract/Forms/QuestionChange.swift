#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One thing that a published version of a form asks otherwise than the version before it.
public struct QuestionChange: Codable, Sendable, Equatable {
    /// The first version with the change, and when it was published.
    public var version: Int
    public var at: Date
    public var key: String
    /// The option's id, where the change is an option's.
    @ExplicitNull public var option: String?
    /// `added`, `retired`, `reworded`, `option-added` …
    public var change: String
    /// Titles, labels, descriptions, or places counted from 1, as the change is.
    @ExplicitNull public var from: String?
    @ExplicitNull public var to: String?

    public init(version: Int, at: Date, key: String, option: String?, change: String, from: String?, to: String?) {
        self.version = version
        self.at = at
        self.key = key
        self.option = option
        self.change = change
        self.from = from
        self.to = to
    }
}

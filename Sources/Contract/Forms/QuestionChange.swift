import Foundation

/// One difference between a published version of a form and the version before it.
public struct QuestionChange: Codable, Sendable, Equatable {
    /// The first version with the change.
    public var version: Int
    public var at: Date
    public var key: String
    /// The option's id, if an option changed.
    @ExplicitNull public var option: String?
    /// `added`, `retired`, `reworded`, `option-added` …
    public var change: String
    /// Titles, labels, descriptions, or positions counted from 1, depending on `change`.
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

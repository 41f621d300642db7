import StrictJSON

/// A participant's answer to one question; a skipped question has none.
public enum Answer: Sendable, Equatable {
    /// Option ids in the order they were sent, and the participant's own words.
    case choice([String], other: String?)
    case rating(Int)
    case text(String)
}

import Foundation

/// What hosts decided at a meeting, in a few words. The next rounds of the series show it.
public struct Decision: Codable, Sendable, Equatable, Hashable {
    /// At most 500 characters.
    public var text: String
    /// The key of the question whose answers led to it. Nil if it belongs to none.
    public var question: String?
    /// Nil counts as false.
    public var done: Bool?
    /// Whether the participants of the next rounds see it, on the form and on the stage. Nil counts as false.
    public var shown: Bool?

    public init(text: String, question: String? = nil, done: Bool? = nil, shown: Bool? = nil) {
        self.text = text
        self.question = question
        self.done = done
        self.shown = shown
    }
}

/// The decisions of a meeting. They replace those that it had.
public struct DecisionsRequest: Codable, Sendable, Equatable {
    /// At most 20.
    public var items: [Decision]

    public init(items: [Decision]) { self.items = items }
}

/// The decisions of a meeting, and those of the last round before it at which something was decided.
public struct Decisions: Codable, Sendable, Equatable {
    /// The decisions of an earlier round.
    public struct OfRound: Codable, Sendable, Equatable {
        public var meetingId: ResourceID
        public var round: Int
        public var title: String
        @ExplicitNull public var startsAt: Date?
        public var items: [Decision]

        public init(meetingId: ResourceID, round: Int, title: String, startsAt: Date?, items: [Decision]) {
            self.meetingId = meetingId
            self.round = round
            self.title = title
            self.startsAt = startsAt
            self.items = items
        }
    }

    public var items: [Decision]
    /// Nil if nothing was decided at the rounds before.
    @ExplicitNull public var previous: OfRound?

    public init(items: [Decision], previous: OfRound? = nil) {
        self.items = items
        self.previous = previous
    }
}

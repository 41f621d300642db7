import Foundation

/// A ticket, valid for 60 seconds, that opens an event stream where no bearer token can be sent.
public struct LiveTicket: Codable, Sendable, Equatable {
    @Confidential public var ticket: String
    public var expiresAt: Date

    public init(ticket: String, expiresAt: Date) {
        self.ticket = ticket
        self.expiresAt = expiresAt
    }
}

/// The counters of the current meetings, as `GET /v1/live` sends them in one event.
public struct LiveMeetings: Codable, Sendable, Equatable {
    public struct Counters: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var title: String
        public var round: Int
        /// `upcoming`, `running` or `ended`. Nil if the meeting has no date.
        @ExplicitNull public var state: String?
        public var formState: String
        public var attended: Int
        public var submissions: Int
        @ExplicitNull public var headcount: Int?

        public init(
            id: ResourceID, title: String, round: Int, state: String? = nil, formState: String, attended: Int,
            submissions: Int, headcount: Int? = nil
        ) {
            self.id = id
            self.title = title
            self.round = round
            self.state = state
            self.formState = formState
            self.attended = attended
            self.submissions = submissions
            self.headcount = headcount
        }
    }

    public var items: [Counters]

    public init(items: [Counters]) {
        self.items = items
    }
}

/// What a host's remote shows on all open stages of a meeting. Event streams send it as `stage`.
public struct StageView: Codable, Sendable, Equatable {
    /// `code`, `end`, or `q-` and the key of a question.
    public var slide: String
    /// Whether the screen is blank.
    public var blank: Bool
    /// Whether numbers are shown with their change since an earlier round.
    public var comparing: Bool
    /// Whether the slide of a text question shows the most frequent words instead of the texts.
    public var words: Bool

    public init(slide: String, blank: Bool = false, comparing: Bool = false, words: Bool = false) {
        self.slide = slide
        self.blank = blank
        self.comparing = comparing
        self.words = words
    }
}

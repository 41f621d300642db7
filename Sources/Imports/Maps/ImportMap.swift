/// How the columns of a wide CSV file become series, meetings and answers.
public struct ImportMap: Sendable {
    /// Rows with the same value of `by` are one series; without `by` all rows are.
    public struct SeriesRule: Sendable {
        public var by: String?
        public var title: TitleTemplate

        init(by: String? = nil, title: TitleTemplate) {
            self.by = by
            self.title = title
        }
    }

    /// Rows of a series with the same value of `by` are one meeting, and the values' order is that of the rounds.
    public struct MeetingRule: Sendable {
        public enum Order: String, Sendable, CaseIterable {
            case ascending
            case descending
        }

        public var by: String?
        public var order: Order
        public var title: TitleTemplate
        /// Columns with RFC 3339 times, both or none; without them meetings are undated.
        public var startsAt: String?
        public var endsAt: String?
        /// An IANA name for all meetings.
        public var timeZone: String

        init(
            by: String? = nil, order: Order = .ascending, title: TitleTemplate, startsAt: String? = nil,
            endsAt: String? = nil, timeZone: String = "UTC"
        ) {
            self.by = by
            self.order = order
            self.title = title
            self.startsAt = startsAt
            self.endsAt = endsAt
            self.timeZone = timeZone
        }
    }

    public var series: SeriesRule
    public var meeting: MeetingRule
    /// The column with each row's RFC 3339 time.
    public var submittedAt: String?
    /// Texts that stand for no value.
    public var missing: Set<String>
    /// Whether columns without a word of their own were guarded against formulas by the export.
    public var guarded: Bool
    public var questions: [ImportQuestion]
}

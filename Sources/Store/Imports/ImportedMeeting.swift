import Foundation

/// A meeting that rows of a file belong to; its ids are derived, so that every run names the same.
public struct ImportedMeeting: Sendable {
    public var id: UUID
    public var seriesID: UUID
    public var series: String
    /// Where it stands in its series, unless that place is taken.
    public var round: Int
    public var title: String
    public var startsAt: Date?
    public var endsAt: Date?
    public var timeZone: String
    /// A digest of the meeting's rows in the file.
    public var source: String

    public init(
        id: UUID, seriesID: UUID, series: String, round: Int, title: String, startsAt: Date?, endsAt: Date?,
        timeZone: String, source: String = ""
    ) {
        self.id = id
        self.seriesID = seriesID
        self.series = series
        self.round = round
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.source = source
    }
}

/// The form of an imported meeting, ready to take rows.
public struct ImportPlace: Sendable {
    public let formID: UUID
    /// Whether this run made the meeting.
    public internal(set) var isNew = false
    /// The published version that the rows answer.
    var version: Int
    /// By question key, the form's ids of options by the file's, where they differ.
    var optionIds: [String: [String: String]] = [:]
    let keys: FormKeys
}

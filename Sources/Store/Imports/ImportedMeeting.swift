import Domain
import Foundation

/// A meeting to which rows of a file belong; its ids are derived, so that they are the same in every run.
public struct ImportedMeeting: Sendable {
    public var id: UUID
    public var seriesID: UUID
    public var series: String
    /// The round number in its series, unless that is taken.
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

/// The form of an imported meeting, ready to accept rows.
public struct ImportPlace: Sendable {
    public let formID: UUID
    /// Whether this run created the meeting.
    public internal(set) var isNew = false
    /// The published version that the rows answer.
    var version: Int
    /// By question key, the form's option ids for the file's option ids, where they differ.
    var optionIds: [String: [String: String]] = [:]
    let keys: FormKeys
}

/// A validated row of a file.
public struct ImportedRow: Sendable {
    public var place: ImportPlace
    /// Identifies the row among all rows of its form, in this run and in later ones.
    public var key: String
    public var answers: Answers
    /// The time of the submission; nil means the time of the import.
    public var submittedAt: Date?

    public init(place: ImportPlace, key: String, answers: Answers, submittedAt: Date?) {
        self.place = place
        self.key = key
        self.answers = answers
        self.submittedAt = submittedAt
    }
}

/// The outcome of importing a row, or the expected one.
public enum ImportOutcome: Sendable, Equatable {
    case created
    case alreadyThere
    case refused(Problem)
}

/// An existing meeting whose form has other questions than the file's map.
public struct ImportMismatch: Error, Sendable, Equatable, CustomStringConvertible {
    public var series: String
    public var meeting: String
    /// The keys of the questions that differ.
    public var keys: [String]

    public var description: String {
        "The meeting “\(meeting)” of the series “\(series)” already exists, and its questions differ from the map's "
            + "(\(keys.joined(separator: ", "))): import with the map that created it, or give the map's series another "
            + "title or column."
    }
}

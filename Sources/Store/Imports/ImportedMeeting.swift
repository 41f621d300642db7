import Domain
import Foundation

/// A meeting to which rows of a file belong. Its ids are derived from the file, so that they are the same in each run.
public struct ImportedMeeting: Sendable {
    public var id: UUID
    public var seriesID: UUID
    /// The title of the series.
    public var series: String
    /// The preferred round number. If another meeting of the series has it, the meeting gets the next free number.
    public var round: Int
    public var title: String
    public var startsAt: Date?
    public var endsAt: Date?
    /// Whether the meeting may be at the same time as others of its host.
    public var allowsOverlap: Bool
    public var timeZone: String
    /// A digest of the meeting's rows in the file.
    public var source: String
    /// Whether the map names the series by its id. The import does not make such a series, and new rounds get numbers
    /// after its last one.
    public var isInExistingSeries: Bool

    public init(
        id: UUID, seriesID: UUID, series: String, round: Int, title: String, startsAt: Date?, endsAt: Date?,
        allowsOverlap: Bool = false, timeZone: String, source: String = "", isInExistingSeries: Bool = false
    ) {
        self.id = id
        self.seriesID = seriesID
        self.series = series
        self.round = round
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.allowsOverlap = allowsOverlap
        self.timeZone = timeZone
        self.source = source
        self.isInExistingSeries = isInExistingSeries
    }
}

/// The form of an imported meeting, ready to accept rows.
public struct ImportTarget: Sendable {
    public let formID: UUID
    /// Whether this run created the meeting.
    public internal(set) var isNew = false
    /// The published version that the rows answer.
    var version: Int
    /// Translates the option ids of the file to those of the form, by question key. Contains only ids that differ.
    var optionIds: [String: [String: String]] = [:]
    let keys: FormKeys
}

/// A validated row of a file.
public struct ImportedRow: Sendable {
    public var target: ImportTarget
    /// Identifies the row among all rows of its form, in this run and in later ones.
    public var key: String
    public var answers: Answers
    /// The time of the submission; nil means the time of the import.
    public var submittedAt: Date?

    public init(target: ImportTarget, key: String, answers: Answers, submittedAt: Date?) {
        self.target = target
        self.key = key
        self.answers = answers
        self.submittedAt = submittedAt
    }
}

/// The outcome of importing a row; in a dry run, the predicted outcome.
public enum ImportOutcome: Sendable, Equatable {
    case created
    /// An earlier run has imported the row.
    case alreadyThere
    case refused(Problem)
}

/// The error for an existing meeting whose form asks different questions from the map of the import.
public struct ImportMismatch: Error, Sendable, Equatable, CustomStringConvertible {
    public var series: String
    public var meeting: String
    /// The keys of the questions that differ.
    public var keys: [String]

    public var description: String {
        "The meeting “\(meeting)” of the series “\(series)” already exists, but its questions differ from those "
            + "of the map (\(keys.joined(separator: ", "))). Use the map with which the meeting was created, or change the "
            + "series title or column in the map."
    }
}

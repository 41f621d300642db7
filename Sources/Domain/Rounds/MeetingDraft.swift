import Foundation
import StrictJSON

/// A host's request for a meeting, validated except for the rules that need the database.
public struct MeetingDraft: Sendable, Equatable {
    public var title: String
    public var startsAt: Date?
    public var endsAt: Date?
    /// An IANA name. The store checks that it exists.
    public var timeZone: String
    public var place: String?
    public var headcount: Int?
    public var lateAfterMinutes: Int
    public var allowOverlap: Bool
    public var questions: [Question]
    public var repetition: Repetition?

    public init(
        title: String, startsAt: Date? = nil, endsAt: Date? = nil, timeZone: String = "UTC", place: String? = nil,
        headcount: Int? = nil, lateAfterMinutes: Int = 0, allowOverlap: Bool = false, questions: [Question] = [],
        repetition: Repetition? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.headcount = headcount
        self.lateAfterMinutes = lateAfterMinutes
        self.allowOverlap = allowOverlap
        self.questions = questions
        self.repetition = repetition
    }

    /// Parses the body of `POST /v1/meetings`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> MeetingDraft {
        let reader = ObjectReader(body)
        var draft = MeetingDraft(title: reader.requiredText("title", atMost: 300) ?? "")
        draft.startsAt = reader.second("startsAt")
        draft.endsAt = reader.second("endsAt")
        draft.place = place(of: reader)
        draft.headcount = reader.int("headcount", in: headcounts)
        draft.lateAfterMinutes = reader.int("lateAfterMinutes", in: lateMinutes) ?? 0
        draft.allowOverlap = reader.bool("allowOverlap") ?? false
        draft.checkTimes(reader)
        if let zone = reader.string("timeZone") {
            draft.timeZone = zone
        } else if draft.startsAt != nil {
            _ = reader.requiredString("timeZone")
        }
        draft.questions = questions(of: reader) ?? []
        draft.repetition = Repetition.read("repeat", of: reader, isDated: reader.has("startsAt"), until: draft.endsAt)
        try reader.requireNoFaults()
        return draft
    }

    /// From the year 2 to the end of the year 9997. A form's times can be up to a year before or after the meeting, and
    /// their years must have four digits in every time zone.
    static let times = Date(timeIntervalSince1970: -62_104_060_800)..<Date(timeIntervalSince1970: 253_339_228_800)
    static let headcounts = 0...1_000_000
    static let lateMinutes = 0...1440

    /// Reads the place. A blank text is read as nil.
    static func place(of reader: ObjectReader) -> String? {
        reader.text("place", atMost: 300).flatMap { Limits.isBlank($0) ? nil : $0 }
    }

    static func questions(of reader: ObjectReader) -> [Question]? {
        reader.has("questions") ? Question.read("questions", of: reader) : nil
    }

    func checkTimes(_ reader: ObjectReader) {
        guard let startsAt, let endsAt else {
            if startsAt != nil && !reader.has("endsAt") {
                reader.fault(at: "endsAt", code: "required", "A meeting with a start also needs an end.")
            }
            if endsAt != nil && !reader.has("startsAt") {
                reader.fault(at: "startsAt", code: "required", "A meeting with an end also needs a start.")
            }
            return
        }
        if startsAt >= endsAt {
            reader.fault(at: "endsAt", code: "ends-before-start", "A meeting must end after it starts.")
        } else if endsAt.timeIntervalSince(startsAt) > 366 * 86_400 {
            reader.fault(at: "endsAt", code: "too-long", "A meeting lasts at most 366 days.")
        }
        if startsAt < Self.times.lowerBound {
            reader.fault(at: "startsAt", code: "too-early", "A meeting must start after the year 1.")
        }
        if endsAt >= Self.times.upperBound {
            reader.fault(at: "endsAt", code: "too-far", "A meeting must end before the year 9998.")
        }
    }
}

extension MeetingDraft {
    /// Parses an edit of a meeting. Missing members leave fields unchanged, and null clears optional fields.
    ///
    /// The resulting meeting is validated, so that the end can be changed without the start.
    public static func read(_ edit: JSONValue, changing current: MeetingDraft) throws(Problem) -> MeetingDraft {
        let reader = ObjectReader(edit)
        for name in ["title", "timeZone", "lateAfterMinutes", "allowOverlap"] where reader.isNull(name) {
            reader.fault(at: name, code: "required", "This cannot be empty.")
        }
        var draft = current
        draft.change(by: reader)
        try reader.requireNoFaults()
        return draft
    }

    mutating func change(by reader: ObjectReader) {
        if reader.has("title") { title = reader.requiredText("title", atMost: 300) ?? title }
        startsAt = reader.isNull("startsAt") ? nil : reader.second("startsAt") ?? startsAt
        endsAt = reader.isNull("endsAt") ? nil : reader.second("endsAt") ?? endsAt
        timeZone = reader.string("timeZone") ?? timeZone
        if reader.has("place") || reader.isNull("place") { place = Self.place(of: reader) }
        headcount =
            reader.isNull("headcount") ? nil : reader.int("headcount", in: Self.headcounts) ?? headcount
        lateAfterMinutes = reader.int("lateAfterMinutes", in: Self.lateMinutes) ?? lateAfterMinutes
        allowOverlap = reader.bool("allowOverlap") ?? allowOverlap
        checkTimes(reader)
    }
}

import Domain
import Foundation
import Store
import StrictJSON

/// Maps the columns of a wide CSV file to series, meetings and answers.
public struct ImportMap: Sendable {
    /// Rows with the same value in the column `by` form a series. Without `by`, all rows form one series.
    public struct SeriesRule: Sendable {
        /// An existing series that gets all rows. The rule then has no `by`, and its title is that of the series.
        public var id: UUID?
        public var by: String?
        public var title: TitleTemplate
    }

    /// Rows of a series with the same value in the column `by` form a meeting. The rounds are in the order of these
    /// values.
    public struct MeetingRule: Sendable {
        public enum Order: String, Sendable, CaseIterable {
            case ascending
            case descending
        }

        public var by: String?
        public var order = Order.ascending
        public var title: TitleTemplate
        /// The columns with the RFC 3339 times of the meetings. Either both or neither is set. Without them, meetings
        /// have no date.
        public var startsAt: String?
        public var endsAt: String?
        /// Whether a meeting is dated by its rows: it begins with the hour of the first one, and lasts an hour.
        public var isDatedByRows = false
        /// An IANA time zone for all meetings.
        public var timeZone = "UTC"
    }

    public var series: SeriesRule
    public var meeting: MeetingRule
    /// The column with the RFC 3339 time of each row.
    public var submittedAt: String?
    /// How the file writes its times, if not as RFC 3339.
    public var times: TimeFormat?
    /// The texts that stand for a missing value.
    public var missing: Set<String>
    /// Whether the file was exported with guards against formulas. Questions can override it.
    public var guarded: Bool
    public var questions: [ImportQuestion]
}

extension ImportMap {
    /// Finds the series that the map names by its id, for its title. Throws `ImportAccessDenied` if the account may not
    /// edit it, or if it is in the trash or does not exist.
    public mutating func findSeries(for principal: Principal, in store: Store) async throws {
        guard let id = series.id else { return }
        let target = try await store.importableSeries.require(id, for: principal, withQuestions: false)
        series.title = TitleTemplate(literal: target.name.title)
    }

    /// Reads a map from JSON, strictly. Throws all faults at once, each with a pointer.
    ///
    /// - Parameter file: The path of the CSV file. The name in it becomes the title of a series or meeting that the map
    ///   does not describe.
    public static func read(
        _ bytes: some Collection<UInt8>, file: String = "-"
    ) throws(Problem) -> ImportMap {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw Problem([error])
        }
        let reader = ObjectReader(value)
        let unnamed = TitleTemplate(literal: title(ofFile: file))
        let series = reader.has("series") ? reader.object("series").flatMap(seriesRule) : SeriesRule(title: unnamed)
        var meeting =
            reader.has("meeting") ? reader.object("meeting").flatMap(meetingRule) : MeetingRule(title: unnamed)
        let submittedAt = reader.string("submittedAt")
        if meeting?.isDatedByRows == true, submittedAt == nil {
            reader.fault(at: "submittedAt", code: "required", "Meetings that are dated by their rows need their times.")
            meeting = nil
        }
        let times = reader.has("times") ? reader.object("times").flatMap(timeFormat) : nil
        let missing = missing(reader)
        let guarded = reader.bool("guarded") ?? false
        let questions = questions(reader, guarded: guarded)
        let faults = reader.finish()
        guard faults.isEmpty, let series, let meeting, let questions else { throw Problem(faults) }
        return ImportMap(
            series: series, meeting: meeting, submittedAt: submittedAt, times: times, missing: missing,
            guarded: guarded, questions: questions)
    }

    /// The file's name without folder and extension, or `Imported` for standard input and for a blank name.
    public static func title(ofFile path: String) -> String {
        var name = path.split(separator: "/").last ?? ""
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = name[..<dot] }
        // The title is cut by code points. It never has more characters than code points.
        let title = String(String.UnicodeScalarView(name.unicodeScalars.prefix(MeetingPlan.maximumTitleLength)))
        return path == "-" || title.allSatisfy(\.isWhitespace) ? "Imported" : title
    }

    private static func seriesRule(_ reader: ObjectReader) -> SeriesRule? {
        if reader.has("id") { return existingSeries(reader) }
        let by = reader.string("by")
        guard let title = title(reader) else { return nil }
        return SeriesRule(by: by, title: title)
    }

    private static func existingSeries(_ reader: ObjectReader) -> SeriesRule? {
        for name in ["by", "title"] where reader.has(name) {
            reader.fault(
                at: name, code: "existing-series", "A series that is named by its id has neither by nor title.")
        }
        guard let text = reader.string("id") else { return nil }
        guard let id = UUID(uuidString: text) else {
            reader.fault(at: "id", code: "invalid-id", "The id of a series is expected, as in the address of its page.")
            return nil
        }
        return SeriesRule(id: id, title: TitleTemplate(literal: id.lowercased))
    }

    private static func meetingRule(_ reader: ObjectReader) -> MeetingRule? {
        let by = reader.string("by")
        let orderText = reader.string("order")
        let order = orderText.map(MeetingRule.Order.init) ?? .ascending
        if order == nil {
            reader.fault(at: "order", code: "unknown-value", "The order must be ascending or descending.")
        }
        let startsAt = reader.string("startsAt")
        let endsAt = reader.string("endsAt")
        if (startsAt == nil) != (endsAt == nil) {
            reader.fault(
                at: startsAt == nil ? "startsAt" : "endsAt", code: "required",
                "A meeting has both a start and an end, or neither.")
        }
        let isDatedByRows = reader.bool("datedByRows") ?? false
        if isDatedByRows, startsAt != nil || endsAt != nil {
            reader.fault(
                at: "datedByRows", code: "two-sources",
                "A meeting has either columns with its times or those of its rows.")
        }
        let timeZone = reader.string("timeZone") ?? "UTC"
        guard let title = title(reader), let order else { return nil }
        return MeetingRule(
            by: by, order: order, title: title, startsAt: startsAt, endsAt: endsAt, isDatedByRows: isDatedByRows,
            timeZone: timeZone)
    }

    private static func timeFormat(_ reader: ObjectReader) -> TimeFormat? {
        let order = reader.requiredString("order").flatMap(TimeFormat.Order.init)
        if order == nil, reader.has("order") {
            reader.fault(at: "order", code: "unknown-value", "The order must be ymd, dmy or mdy.")
        }
        let name = reader.string("timeZone") ?? "UTC"
        guard let zone = TimeZone(identifier: name) else {
            reader.fault(at: "timeZone", code: "unknown-time-zone", "There is no time zone “\(name)”.")
            return nil
        }
        return order.map { TimeFormat(order: $0, timeZone: zone) }
    }

    private static func title(_ reader: ObjectReader) -> TitleTemplate? {
        guard let text = reader.requiredString("title") else { return nil }
        guard let template = TitleTemplate(text) else {
            reader.fault(
                at: "title", code: "broken-template", "A title names columns as {column}, without other braces.")
            return nil
        }
        guard template.columns.count <= TitleTemplate.maxColumns else {
            reader.fault(
                at: "title", code: "too-many-columns", "A title names at most \(TitleTemplate.maxColumns) columns.")
            return nil
        }
        return template
    }

    private static func missing(_ reader: ObjectReader) -> Set<String> {
        guard let values = reader.array("missing") else { return [""] }
        for (index, value) in values.enumerated() where value.string == nil {
            let pointer = reader.pointer(to: "missing") + "/\(index)"
            reader.add([Fault(.malformed, at: pointer, code: "wrong-type", "A text is expected here.")])
        }
        return Set(values.compactMap(\.string))
    }

    private static func questions(_ reader: ObjectReader, guarded: Bool) -> [ImportQuestion]? {
        guard let elements = reader.requiredArray("questions") else { return nil }
        var faults: [Fault] = []
        var definitions: [JSONValue] = []
        var questions: [ImportQuestion] = []
        for (index, element) in elements.enumerated() {
            let pointer = reader.pointer(to: "questions") + "/\(index)"
            if let grid = ImportGrid(element) {
                definitions.append(grid.definition)
                questions += grid.statements(at: pointer, guarded: guarded, faults: &faults)
                continue
            }
            let question = ImportQuestion.read(element, at: pointer, guarded: guarded, faults: &faults)
            definitions.append(question?.definition ?? element)
            if let question { questions.append(question) }
        }
        do {
            _ = try FormDefinition.readQuestions(
                .array(definitions), at: reader.pointer(to: "questions"), isExpanded: true)
        } catch {
            faults += error.faults
        }
        reader.add(faults)
        return questions
    }
}

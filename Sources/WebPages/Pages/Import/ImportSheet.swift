import Domain
import Foundation
import Imports

/// What a host has chosen for an import, as the fields of its form.
struct ImportSheet: Sendable {
    /// The largest number of columns for which the page has fields.
    static let maxColumns = 200
    /// The size of the longest heading. The page repeats each heading several times.
    static let maxHeadingBytes = 1_000

    /// The size of the largest map, as a file or as a field.
    static let maxMapBytes = 256 << 10

    var delimiter: UInt8?
    var encoding: TextEncoding?
    /// The number of columns for which the form had fields.
    var columnCount: Int?
    var uses: [ColumnUse]
    var titles: [String]
    /// The existing series that gets the rows. Nil for a new one.
    var seriesID: UUID?
    /// Whether the columns were shown for another series, so that their questions are not matched yet.
    var hasOtherSeries: Bool
    var seriesTitle: String
    var meetingTitle: String
    var timeZone: String
    var order: TimeFormat.Order?
    /// Whether meetings are dated by the times of their rows.
    var isDated: Bool
    /// The text of an uploaded map, which replaces the choices for columns.
    var map: String?

    init(_ fields: FormFields) {
        delimiter = fields["delimiter"].flatMap { name in CSVSample.delimiters.first { Self.name(of: $0) == name } }
        encoding = fields["encoding"].flatMap { TextEncoding(named: $0) }
        columnCount = fields["columns"].flatMap { Int($0) }
        let count = min(max(columnCount ?? 0, 0), Self.maxColumns)
        uses = (0..<count).map { fields["use.\($0)"].flatMap(ColumnUse.init(name:)) ?? .skip }
        titles = (0..<count).map { (fields["title.\($0)"] ?? "").trimmingCharacters(in: .whitespaces) }
        seriesID = fields["into"].flatMap { UUID(uuidString: $0) }
        hasOtherSeries = fields["shown"] ?? "" != seriesID?.lowercased ?? ""
        seriesTitle = (fields["series"] ?? "").trimmingCharacters(in: .whitespaces)
        meetingTitle = (fields["meeting"] ?? "").trimmingCharacters(in: .whitespaces)
        timeZone = (fields["zone"] ?? "").trimmingCharacters(in: .whitespaces)
        order = fields["order"].flatMap(TimeFormat.Order.init)
        isDated = fields["dated"] != nil
        map = fields["map"]
    }

    /// Replaces the choices for columns by those that the file and the questions of the series suggest.
    mutating func propose(_ sample: CSVSample, _ known: KnownQuestions?) {
        let proposal = ColumnProposal(sample)
        columnCount = sample.header.count
        uses = proposal.uses
        titles = sample.header.enumerated().map { MapDraft.title(of: $1, use: proposal.uses[$0], position: $0) }
        order = proposal.order
        isDated = proposal.uses.contains(.submittedAt)
        if let known { match(known, sample.header) }
    }

    /// Gives the columns that seem to continue questions of a series the titles and uses of these questions.
    mutating func match(_ known: KnownQuestions, _ header: [String]) {
        for index in uses.indices where uses[index].isQuestion && header.indices.contains(index) {
            guard let question = known.question(titled: titles[index]) ?? known.question(ofColumn: header[index])
            else { continue }
            titles[index] = question.title
            uses[index] = uses[index].fitted(to: question)
        }
    }

    /// The map with these choices as text.
    func text(of header: [String], addingTo known: KnownQuestions?) -> String {
        if let map { return map }
        let columns = header.enumerated().map { index, name in
            MapDraft.Column(
                name: name, use: uses.indices.contains(index) ? uses[index] : .skip,
                title: titles.indices.contains(index) ? titles[index] : "")
        }
        return MapDraft(
            columns: columns, seriesTitle: seriesTitle, meetingTitle: meetingTitle, timeZone: timeZone, order: order,
            isDatedByRows: isDated, addingTo: known
        ).text
    }

    /// The name of a delimiter in forms.
    static func name(of delimiter: UInt8) -> String {
        switch delimiter {
        case UInt8(ascii: ";"): "semicolon"
        case UInt8(ascii: "\t"): "tab"
        case UInt8(ascii: "|"): "bar"
        default: "comma"
        }
    }
}

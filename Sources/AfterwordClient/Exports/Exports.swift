import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let exportMeeting = Endpoint("GET", "/v1/meetings/{id}/export/{file}")
    static let exportSeries = Endpoint("GET", "/v1/series/{id}/export/{file}")
    static let exportAll = Endpoint("GET", "/v1/admin/export/{file}")

    static let exports = [exportMeeting, exportSeries, exportAll]
}

/// The kind of an exported table, named after what a row describes.
public enum ExportTable: String, Sendable, CaseIterable {
    /// An option or a rating of a question, with its count.
    case summary
    case questions
    case meetings
    /// A submission. The request fails with `anonymous-form` if a form is anonymous.
    case submissions
    case answers
    /// An attendee. Requires access to the attendee list.
    case attendance
}

/// The format of a table and its options.
public struct ExportStyle: Sendable, Equatable {
    public enum Format: String, Sendable, CaseIterable {
        case csv, ndjson, xlsx

        var mediaType: String {
            switch self {
            case .csv: "text/csv"
            case .ndjson: "application/x-ndjson"
            case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            }
        }
    }

    public var format: Format
    /// Whether the file starts with a byte order mark, by which Excel recognizes UTF-8.
    public var bom: Bool
    /// The character between two fields. A comma if nil.
    public var delimiter: String?
    /// Whether the header has the columns' titles instead of their names.
    public var titles: Bool
    /// Whether to leave out the guard before text that a spreadsheet would run as a formula.
    public var raw: Bool
    /// Whether submissions and answers have the stars and tags of texts.
    public var marks: Bool
    /// Whether summaries and questions have further columns about the people in the room.
    public var room: Bool
    /// Whether summaries and questions have further columns with the grids of statements.
    public var grids: Bool

    public init(
        _ format: Format = .csv, bom: Bool = false, delimiter: String? = nil, titles: Bool = false, raw: Bool = false,
        marks: Bool = false, room: Bool = false, grids: Bool = false
    ) {
        self.format = format
        self.bom = bom
        self.delimiter = delimiter
        self.titles = titles
        self.raw = raw
        self.marks = marks
        self.room = room
        self.grids = grids
    }

    public static let csv = ExportStyle(.csv)
    public static let ndjson = ExportStyle(.ndjson)
    /// A workbook. Of the options, only `titles`, `marks`, `room` and `grids` apply.
    public static let xlsx = ExportStyle(.xlsx)
}

extension Afterword.Host {
    /// Streams a table about one meeting.
    public func export(
        _ table: ExportTable, of meeting: ResourceID, as style: ExportStyle = .csv
    ) async throws -> ExportDownload {
        try await export(.exportMeeting, [meeting.description], table, style)
    }

    /// Streams a table about the rounds of a series, optionally only those that start within a period.
    public func export(
        _ table: ExportTable, ofSeries series: ResourceID, as style: ExportStyle = .csv, from: Date? = nil,
        to: Date? = nil
    ) async throws -> ExportDownload {
        try await export(.exportSeries, [series.description], table, style, from: from, to: to)
    }

    /// Streams a table about all meetings of the service. Admins only.
    public func exportAll(
        _ table: ExportTable, as style: ExportStyle = .csv, from: Date? = nil, to: Date? = nil
    ) async throws -> ExportDownload {
        try await export(.exportAll, [], table, style, from: from, to: to)
    }

    private func export(
        _ endpoint: Endpoint, _ parameters: [String], _ table: ExportTable, _ style: ExportStyle, from: Date? = nil,
        to: Date? = nil
    ) async throws -> ExportDownload {
        let request = try request(
            endpoint, parameters + ["\(table.rawValue).\(style.format.rawValue)"],
            query: [
                "bom": style.bom ? "true" : nil, "delimiter": style.delimiter, "titles": style.titles ? "true" : nil,
                "raw": style.raw ? "true" : nil, "marks": style.marks ? "true" : nil,
                "room": style.room ? "true" : nil, "grids": style.grids ? "true" : nil,
                "from": from.map(RFC3339.format), "to": to.map(RFC3339.format),
            ])
        let response = try await connection.stream(request, endpoint.idempotency)
        guard response.headers["content-type"]?.hasPrefix(style.format.mediaType) == true else {
            throw AfterwordError.unexpected(status: response.status, "The response is not a table.")
        }
        return ExportDownload(response)
    }
}

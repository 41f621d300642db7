import Contract
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Endpoint {
    static let exportMeeting = Endpoint("GET", "/v1/meetings/{id}/export/{file}")
    static let exportSeries = Endpoint("GET", "/v1/series/{id}/export/{file}")
    static let exportAll = Endpoint("GET", "/v1/admin/export/{file}")

    static let exports = [exportMeeting, exportSeries, exportAll]
}

/// What a row of an exported table is about.
public enum ExportTable: String, Sendable, CaseIterable {
    /// A question's option or rating.
    case summary
    case questions
    case meetings
    /// Not of anonymous forms.
    case submissions
    case answers
    /// A person on a meeting's list; for who may see the list.
    case attendance
}

/// How a table is written.
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
    /// A byte order mark first, by which Excel knows UTF-8.
    public var bom: Bool
    /// A comma if it is nil.
    public var delimiter: String?
    /// The columns' titles instead of their names.
    public var titles: Bool
    /// No guard before what a spreadsheet would run.
    public var raw: Bool

    public init(
        _ format: Format = .csv, bom: Bool = false, delimiter: String? = nil, titles: Bool = false, raw: Bool = false
    ) {
        self.format = format
        self.bom = bom
        self.delimiter = delimiter
        self.titles = titles
        self.raw = raw
    }

    public static let csv = ExportStyle(.csv)
    public static let ndjson = ExportStyle(.ndjson)
    /// A workbook; of the options it takes the titles.
    public static let xlsx = ExportStyle(.xlsx)
}

extension Afterword.Host {
    /// A table about one meeting, streamed.
    public func export(
        _ table: ExportTable, of meeting: ResourceID, as style: ExportStyle = .csv
    ) async throws -> ExportDownload {
        try await export(.exportMeeting, [meeting.description], table, style)
    }

    /// A table about the rounds of a series that start in a period.
    public func export(
        _ table: ExportTable, ofSeries series: ResourceID, as style: ExportStyle = .csv, from: Date? = nil,
        to: Date? = nil
    ) async throws -> ExportDownload {
        try await export(.exportSeries, [series.description], table, style, from: from, to: to)
    }

    /// A table about everything on the service; for admins.
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
                "raw": style.raw ? "true" : nil, "from": from.map(RFC3339.format), "to": to.map(RFC3339.format),
            ])
        let response = try await connection.stream(request, endpoint.repetition)
        guard response.headers["content-type"]?.hasPrefix(style.format.mediaType) == true else {
            throw AfterwordError.unexpected(status: response.status, "The answer is no table.")
        }
        return ExportDownload(response)
    }
}

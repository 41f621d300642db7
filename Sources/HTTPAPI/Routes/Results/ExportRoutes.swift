import Cryptography
import Domain
import Exports
import Foundation
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// Export files of a meeting, a series or the whole service, streamed with the number of rows and a digest as trailers.
struct ExportRoutes: Sendable {
    let store: Store
    /// The longest time of a download. A longer one would keep forms from becoming final.
    private static let timeLimit = Duration.seconds(15 * 60)

    var routes: [Route] {
        let options = ["bom", "delimiter", "titles", "raw", "marks", "room", "grids"]
        let files = ExportFormat.allCases.map(\.mediaType)
        return [
            Route(
                .get, "/v1/meetings/{id}/export/{file}", access: .account(.readExports), query: options,
                produces: files, streamed: true, handler: meeting),
            Route(
                .get, "/v1/series/{id}/export/{file}", access: .account(.readExports),
                query: options + ["from", "to"], produces: files, streamed: true, handler: series),
            Route(
                .get, "/v1/admin/export/{file}", access: .admin(.readExports), query: options + ["from", "to"],
                produces: files, streamed: true, handler: wholeService),
        ]
    }

    private func meeting(_ request: APIRequest) async throws -> APIResponse {
        let caller = try request.requireCaller()
        let meeting = try await store.meetings.require(request.uuid("id"), by: caller)
        let series = try await store.series.require(meeting.seriesID, by: caller)
        return try await respond(
            to: request, ExportScope(.meeting(meeting.id)), includesAttendees: series.access.includesAttendees,
            title: "\(meeting.title) #\(meeting.round)")
    }

    private func series(_ request: APIRequest) async throws -> APIResponse {
        let id = try request.uuid("id")
        let series = try await store.series.require(id, by: request.requireCaller())
        return try await respond(
            to: request, ExportScope(.series(id)), includesAttendees: series.access.includesAttendees,
            title: series.title)
    }

    private func wholeService(_ request: APIRequest) async throws -> APIResponse {
        try await respond(to: request, ExportScope(.all), includesAttendees: true)
    }

    private func respond(
        to request: APIRequest, _ unlimited: ExportScope, includesAttendees: Bool, title: String? = nil
    ) async throws -> APIResponse {
        let (kind, format) = try Self.file(request.parameter("file"))
        let (scope, options) = try request.query { reader in
            var scope = unlimited
            if request.route.query.contains("from") {
                (scope.from, scope.to) = reader.period()
            }
            let options = try ExportOptions(
                format: format, bom: reader.string("bom"), delimiter: reader.string("delimiter"),
                titles: reader.string("titles"), raw: reader.string("raw"),
                marks: reader.string("marks"), room: reader.string("room"), grids: reader.string("grids"))
            return (scope, options)
        }
        let name = DownloadName(file: "\(kind.rawValue)\(scope.periodName).\(format.rawValue)", title: title)
        let export = try await Export.prepare(
            kind, of: scope, for: request.requireCaller().account.id, includesAttendees: includesAttendees,
            options: options, from: store, disconnect: { [channel = request.channel] in channel.close(promise: nil) })
        return .stream(as: format.mediaType, trailers: [.rows, .reprDigest]) { writer in
            let totals = try await export.write(within: Self.timeLimit) { bytes in
                try await writer.write(ByteBuffer(bytes: bytes))
            }
            let digest = Data(totals.digest).base64EncodedString()
            return [.rows: String(totals.rows), .reprDigest: "sha-256=:\(digest):"]
        }.with(.contentDisposition, name.disposition)
    }

    /// Splits a name such as `summary.csv` into kind and format; throws 404 for any other name.
    private static func file(_ name: String) throws -> (ExportKind, ExportFormat) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let kind = ExportKind(rawValue: parts[0]), let format = ExportFormat(rawValue: parts[1])
        else { throw Problem(.notFound, "There is no such export.") }
        return (kind, format)
    }
}

extension ExportScope {
    /// The period in a file name, such as `-2026-11-01-to-2026-11-30`: its first and last day in UTC.
    fileprivate var periodName: String {
        let first = from.map(Self.day)
        let last = to.map { Self.day($0.addingTimeInterval(-0.001)) }
        return switch (first, last) {
        case (nil, nil): ""
        case (let first?, nil): "-from-\(first)"
        case (nil, let last?): "-to-\(last)"
        case (let first?, let last?): first == last ? "-\(first)" : "-\(first)-to-\(last)"
        }
    }

    private static func day(_ date: Date) -> String { String(RFC3339.format(date).prefix(10)) }
}

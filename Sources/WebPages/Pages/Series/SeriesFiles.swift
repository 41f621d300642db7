import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import HummingbirdCore
import NIOCore

/// What of a series can be taken away: its tables, and the picture of each trend.
struct SeriesFiles: Sendable {
    /// Workbooks of these stand on the page; the rest are a meeting's own.
    static let tables = ["summary", "questions", "meetings", "attendance"]
    /// Of a picture without a legend, and what each of its lines takes.
    private static let (height, lineHeight) = (260, 18)

    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/series/{id}/export/{file}", get: export),
            PageRoute("/series/{id}/trends/{file}", get: picture),
        ]
    }

    static func exports(_ page: PageRequest, canEdit: Bool) -> [[String: Any]] {
        tables.filter { canEdit || $0 != "attendance" }.map {
            Exports.value($0, "charts.export-\($0)", page)
        }
    }

    private func export(_ page: PageRequest) async throws -> PageAnswer {
        let file = MeetingPages.word(page.parameter("file"))
        return try await page.relay(
            "\(SeriesPages.source(page))/export/\(file)", as: HostSession(page).authorization)
    }

    private func picture(_ page: PageRequest) async throws -> PageAnswer {
        let reader = try await HostSession(page).reader()
        let file = MeetingPages.word(page.parameter("file"))
        guard file.hasSuffix(".svg"),
            let trend = try await SeriesTrends.one(
                String(file.dropLast(".svg".count)), of: reader.series(SeriesPages.id(page)).access, reader, page),
            let chart = trend["chart"] as? [String: Any]
        else { throw PageError.notFound }
        let legend = (chart["hasLegend"] as? Bool == true ? chart["legend"] : nil) as? [[String: Any]] ?? []
        var values: [String: Any] = [
            "title": trend["title"] ?? "", "label": chart["label"] ?? "", "chart": chart,
            "height": Self.height + legend.count * Self.lineHeight,
        ]
        values["rows"] = legend.enumerated().map { place, line in
            line.merging(["y": Self.height + place * Self.lineHeight]) { $1 }
        }
        let body = ByteBuffer(string: kit.render("trend-picture", values, for: page))
        let headers: HTTPFields = [
            .contentType: "image/svg+xml", .contentLength: String(body.readableBytes), .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(file)\"", .xContentTypeOptions: "nosniff",
        ]
        return PageAnswer(relayed: Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body)))
    }
}

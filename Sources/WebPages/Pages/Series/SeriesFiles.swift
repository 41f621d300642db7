import HTTPAPI
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The downloads of a series: tables, and a picture of each trend.
struct SeriesFiles: Sendable {
    /// The height of a picture without its legend, and that of each line of the legend.
    private static let (height, lineHeight) = (260, 18)

    var routes: [PageRoute] {
        [
            PageRoute("/series/{id}/export/{file}", get: export, isStreamed: true),
            PageRoute("/series/{id}/trends/{file}", get: picture),
        ]
    }

    static func exports(_ page: PageRequest, canEdit: Bool) -> [Exports.Line] {
        (["summary", "questions", "meetings"] + (canEdit ? ["attendance"] : [])).map {
            Exports.line($0, "charts.export-\($0)", page)
        }
    }

    private func export(_ page: PageRequest) async throws -> PageResponse {
        try await page.relay(
            "\(SeriesPages.source(page))/export/\(page.safeFileName)", as: HostSession(page).authorization)
    }

    private func picture(_ page: PageRequest) async throws -> PageResponse {
        let reader = try await HostSession(page).reader()
        let file = page.safeFileName
        guard file.hasSuffix(".svg"),
            let trend = try await SeriesTrends.one(
                String(file.dropLast(".svg".count)), of: reader.series(page.id()).access, reader, page),
            let chart = trend.chart
        else { throw PageError.notFound }
        let legend = chart.hasLegend ? chart.legend : []
        let picture = TrendPicture(
            title: trend.title, label: chart.label, height: Self.height + legend.count * Self.lineHeight,
            drawing: chart.drawing,
            rows: legend.enumerated().map { index, line in
                .init(class: line.class, label: line.label, y: Self.height + index * Self.lineHeight)
            })
        let body = ByteBuffer(string: page.kit.render(picture, for: page))
        let headers: HTTPFields = [
            .contentType: MediaType.svg, .contentLength: String(body.readableBytes), .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(file)\"",
            .contentSecurityPolicy: ResponsePolicy.chart,
        ]
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        return PageResponse(relayed: page.kit.secured(response))
    }
}

/// The picture of a trend as an SVG file.
struct TrendPicture: PageModel {
    struct Row: TemplateValues {
        var `class`: String
        var label: String
        var y: Int
    }

    static let template = "trend-picture"
    var title: String
    var label: String
    var height: Int
    var drawing: TrendDrawing
    /// The lines of the legend.
    var rows: [Row]
}

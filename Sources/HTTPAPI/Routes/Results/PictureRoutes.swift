import Charts
import Domain
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// The results of a question as an SVG chart.
struct PictureRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        [
            Route(
                .get, "/v1/meetings/{id}/results/{picture}", access: .account(.readResults),
                query: ["shape", "width"], produces: [MediaType.svg], handler: picture)
        ]
    }

    /// The tag is the digest of the bytes, so it changes only when the picture does.
    private func picture(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let name = try request.parameter("picture")
        guard name.hasSuffix(".svg") else { throw Problem(.notFound) }
        let results = try await store.results.read(meeting.form.id)
        let key = name.dropLast(4)
        guard let result = results.questions.first(where: { $0.key == key }) else {
            throw Problem(.notFound, "The form has no such question.")
        }
        let shapes = Chart.shapes(of: result)
        guard !shapes.isEmpty else {
            throw Problem(.notFound, "A text question has no picture: read its answers at results/\(key)/answers.")
        }
        let (shape, width) = try request.query { reader in
            let shape = reader.choice("shape", of: Chart.Shape.self)
            if let shape, !shapes.contains(shape) {
                reader.refuse("shape", "shape-not-fitting", "Only a single choice can be drawn as a doughnut.")
            }
            return (shape, reader.int("width", in: Chart.widths))
        }
        let chart = Chart(
            of: result, meeting: meeting.title,
            withheld: results.withheld.map { Chart.Withheld(minimum: $0.minimum, shown: $0.shown) }, shape: shape,
            width: width ?? Chart.defaultWidth, name: Chart.name(of: result, inMeeting: meeting.id.lowercased))
        guard let chart else { throw Problem(.notFound) }
        let bytes = Array(chart.svg().utf8)
        return .bytes(ByteBuffer(bytes: bytes), as: MediaType.svg).tagged(ETag(digestOfBytes: bytes))
            .with(.contentSecurityPolicy, ResponsePolicy.chart)
    }
}

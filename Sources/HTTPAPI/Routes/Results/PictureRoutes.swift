import Charts
import Domain
import Foundation
import HTTPTypes
import NIOCore
import Store

/// The results of a question as an SVG chart, drawn once for each query and state of the results.
struct PictureRoutes: Sendable {
    private struct Picture: Sendable {
        var tag: ETag
        var body: KeptBody
    }

    private struct Key: Hashable, Sendable {
        var formID: UUID
        var name: String
        var query: String?
    }

    let store: Store
    let meetings: MeetingReads
    private let drawing = ChartDrawing()
    private let pictures = StateCache<Key, Picture>(capacity: 500, maxBytes: 8 << 20)
    /// The results of forms, which their pictures share.
    private let formResults = StateCache<UUID, FormResults>(capacity: 100, maxBytes: 16 << 20)

    init(store: Store, meetings: MeetingReads) {
        (self.store, self.meetings) = (store, meetings)
    }

    var routes: [Route] {
        [
            Route(
                .get, "/v1/meetings/{id}/results/{picture}", access: .account(.readResults),
                query: ["shape", "width", "bars", "order"], produces: [MediaType.svg], handler: picture)
        ]
    }

    /// The tag is the digest of the bytes, so it changes only when the picture does.
    private func picture(_ request: APIRequest) async throws -> APIResponse {
        let caller = try request.requireCaller()
        let meeting = try await meetings.require(request.uuid("id"), by: caller)
        let name = try request.parameter("picture")
        guard name.hasSuffix(".svg") else { throw Problem(.notFound) }
        let key = Key(formID: meeting.form.id, name: name, query: request.rawQuery)
        let picture = try await store.largeResults.admitted(to: meeting.form.id) {
            try await pictures.value(of: key, in: ResultsState(meeting)) {
                let results = try await results(of: meeting)
                let name = String(name.dropLast(4))
                let svg =
                    if let grid = try Self.gridChart(of: name, in: results, of: meeting, request) { grid.svg() } else {
                        try await drawing.svg(
                            of: Self.chart(of: name, in: results, of: meeting, request), for: caller.account.id)
                    }
                let bytes = Array(svg.utf8)
                let picture = Picture(tag: ETag(digestOfBytes: bytes), body: KeptBody(ByteBuffer(bytes: bytes)))
                return .init(
                    value: picture, state: ResultsState(meeting, revision: results.revision),
                    bytes: picture.body.byteCount + (key.query?.utf8.count ?? 0))
            }
        }
        return .kept(picture.body, as: MediaType.svg, tag: picture.tag)
            .with(.contentSecurityPolicy, ResponsePolicy.chart)
    }

    private func results(of meeting: StoredMeeting) async throws -> FormResults {
        let id = meeting.form.id
        return try await formResults.value(of: id, in: ResultsState(meeting)) { [store] in
            try await store.largeResults.make(from: id) {
                guard let results = try await store.results.read([id])[id] else { throw Problem(.notFound) }
                return results
            } _: { results, _ in
                let bytes = results.questions.reduce(512) { bytes, question in
                    question.points.reduce(bytes + 512) { $0 + 2 * $1.label.utf8.count + 256 }
                }
                return .init(
                    value: results, state: ResultsState(meeting, revision: results.revision), bytes: bytes)
            }
        }
    }

    /// Nil if the form has no such grid.
    private static func gridChart(
        of key: String, in results: FormResults, of meeting: StoredMeeting, _ request: APIRequest
    ) throws -> GridChart? {
        guard let statements = Question.grids(in: results.questions).first(where: { $0[0].grid?.key == key }) else {
            return nil
        }
        let (bars, order, width) = try request.query { reader in
            if reader.string("shape") != nil {
                reader.refuse("shape", "shape-not-fitting", "The bars of a grid are chosen by the parameter bars.")
            }
            return (
                reader.choice("bars", of: DivergingBars.Arrangement.self),
                reader.choice("order", of: DivergingBars.Order.self), reader.int("width", in: Chart.widths)
            )
        }
        return GridChart(
            of: statements, meeting: meeting.title,
            withheld: results.withheld.map { Chart.Withheld(minimum: $0.minimum, shown: $0.shown) },
            arrangement: bars ?? .split, order: order ?? .form, width: width ?? Chart.defaultWidth,
            inMeeting: meeting.id.lowercased)
    }

    private static func chart(
        of question: String, in results: FormResults, of meeting: StoredMeeting, _ request: APIRequest
    ) throws -> Chart {
        guard let result = results.questions.first(where: { $0.key == question }) else {
            throw Problem(.notFound, "The form has no such question.")
        }
        let shapes = Chart.shapes(of: result)
        guard !shapes.isEmpty else {
            throw Problem(
                .notFound, "A text question has no picture: read its answers at results/\(question)/answers.")
        }
        let (shape, width) = try request.query { reader in
            for name in ["bars", "order"] where reader.string(name) != nil {
                reader.refuse(name, "not-a-grid", "Only the picture of a grid has this parameter.")
            }
            let shape = reader.choice("shape", of: Chart.Shape.self)
            if let shape, !shapes.contains(shape) {
                reader.refuse("shape", "shape-not-fitting", "Only a single choice can be drawn as a doughnut.")
            }
            return (shape, reader.int("width", in: Chart.widths))
        }
        let chart = Chart(
            of: result.placed(in: meeting.room), meeting: meeting.title,
            withheld: results.withheld.map { Chart.Withheld(minimum: $0.minimum, shown: $0.shown) }, shape: shape,
            width: width ?? Chart.defaultWidth, name: Chart.name(of: result, inMeeting: meeting.id.lowercased))
        guard let chart else { throw Problem(.notFound) }
        return chart
    }
}

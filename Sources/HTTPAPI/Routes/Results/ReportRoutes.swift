import Contract
import HTTPTypes
import NIOCore
import Store

/// The report of a meeting as a PDF file: what the page for printing shows.
struct ReportRoutes: Sendable {
    let store: Store
    let writer: ReportWriter
    private let cache = HostReadingCache()

    init(store: Store, writer: ReportWriter) {
        (self.store, self.writer) = (store, writer)
    }

    var routes: [Route] {
        [
            Route(
                .get, "/v1/meetings/{id}/report.pdf", access: .account(.readResults), query: ["lang"],
                produces: [MediaType.pdf], handler: report)
        ]
    }

    private func report(_ request: APIRequest) async throws -> APIResponse {
        let reader = HostReader(try request.requireCaller(), in: store, cache: cache)
        // Checked before the report waits for others.
        let meeting = try await reader.meeting(ResourceID(request.uuid("id"))).meeting
        let language = try language(of: request)
        let bytes = try await writer.pdf(of: meeting.id.uuid, for: reader, in: language)
        let name = DownloadName(file: "report.pdf", title: "\(meeting.title) #\(meeting.round)")
        return .bytes(ByteBuffer(bytes: bytes), as: MediaType.pdf)
            .with(.contentDisposition, name.disposition).with(.contentLanguage, language)
            .with(.vary, "Accept-Language").unstored
    }

    /// The language in the query, or else the one that the client prefers.
    private func language(of request: APIRequest) throws -> String {
        let named = try request.query { reader -> String? in
            guard let text = reader.string("lang") else { return nil }
            if !writer.languages.contains(text) {
                let all = writer.languages.sorted().joined(separator: ", ")
                reader.refuse("lang", "unknown-choice", "This must be one of: \(all).")
            }
            return text
        }
        return named ?? AcceptedLanguage.best(of: writer.languages, in: request.headers[.acceptLanguage])
            ?? ReportWriter.defaultLanguage
    }
}

import Contract
import Exports
import HTTPAPI
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The personal links of everyone on a meeting's list, to be copied, printed or downloaded.
struct PersonalLinksPage: PageModel {
    struct Line: TemplateValues {
        var name: String
        var email: String
        var url: String
    }

    static let template = "personal-links"
    var title: String
    var meetingTitle: String
    var peoplePath: String
    var lines: [Line]
    /// All lines with tabs between the columns, as spreadsheets paste them.
    var table: String
    var rows: Int
    var unreachable: UnreachableAddress?
    var script: String

    init(_ links: [HostReader.HeldLink], _ context: MeetingContext) {
        let page = context.page
        title = page.texts("people.all-links")
        meetingTitle = context.meeting.title
        peoplePath = context.path + "/people"
        lines = links.map { Line(name: $0.name, email: $0.email ?? "", url: Self.url($0, page)) }
        // Names are one line of text without tabs.
        table = lines.map { "\($0.name)\t\($0.email)\t\($0.url)" }.joined(separator: "\n")
        rows = min(max(lines.count, 2), 12)
        unreachable = page.unreachable
        script = page.kit.files.address("once.js")
    }

    private static func url(_ link: HostReader.HeldLink, _ page: PageRequest) -> String {
        link.url(under: page.kit.options.publicURL)
    }

    /// The links as a CSV file that spreadsheet programs open.
    static func file(_ links: [HostReader.HeldLink], _ context: MeetingContext) -> PageResponse {
        func cell(_ text: String) -> String {
            // Visitors choose their names, which a spreadsheet must not run.
            "\"" + (FormulaGuard.guards(text) ? "'" : "") + text.replacing("\"", with: "\"\"") + "\""
        }
        let page = context.page
        let header = ["check-in.name", "check-in.email", "people.link"].map { page.texts($0) }
        let rows = [header] + links.map { [$0.name, $0.email ?? "", url($0, page)] }
        let body = ByteBuffer(string: "\u{FEFF}" + rows.map { $0.map(cell).joined(separator: ",") + "\r\n" }.joined())
        let headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8", .contentLength: String(body.readableBytes),
            .cacheControl: "no-store", .contentDisposition: "attachment; filename=\"personal-links.csv\"",
        ]
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        return PageResponse(relayed: page.kit.secured(response))
    }
}

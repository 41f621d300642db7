import Store
import TestSupport

/// A kind of caller of a route.
enum Caller: String, CaseIterable {
    case anonymous, stranger, viewer, editor, owner, admin, disabled
    /// The owner, with a token that has every scope except the route's.
    case otherScope
}

/// The expected status of one route for each caller, and how to call it.
struct AccessRow: Sendable {
    /// Creates what a call needs and returns replacements for path fragments, such as `["/tokens/{id}":
    /// "/tokens/01…"]`.
    typealias Preparation = @Sendable (AccessStage) async throws -> [String: String]

    /// The expected status for each caller, in the order of `Caller.allCases`.
    var statuses: [Int]
    var query = ""
    var body: String?
    var headers: [String: String] = [:]
    /// Rows with a higher turn run later: deletions run after the reads.
    var turn = 0
    var preparation: Preparation?

    init(_ statuses: Int...) { self.statuses = statuses }

    /// No account is required; the status is the same for all callers.
    static func all(_ status: Int) -> AccessRow { AccessRow(repeating: status) }
    /// Any signed-in account, with a token that has the scope.
    static func signedIn(_ status: Int) -> AccessRow {
        AccessRow(401, status, status, status, status, status, 401, 403)
    }
    /// Any signed-in account, with any token.
    static func anyToken(_ status: Int) -> AccessRow {
        AccessRow(401, status, status, status, status, status, 401, status)
    }
    /// Viewers, editors and the owner of the series, and admins.
    static func viewers(_ status: Int) -> AccessRow { AccessRow(401, 404, status, status, status, status, 401, 403) }
    /// Editors and the owner of the series, and admins.
    static func editors(_ status: Int) -> AccessRow { AccessRow(401, 404, 403, status, status, status, 401, 403) }
    /// The owner of the series, and admins.
    static func owners(_ status: Int) -> AccessRow { AccessRow(401, 404, 403, 403, status, status, 401, 403) }
    static func admins(_ status: Int) -> AccessRow { AccessRow(401, 403, 403, 403, 403, status, 401, 403) }

    private init(repeating status: Int) { statuses = Caller.allCases.map { _ in status } }

    func sending(_ body: String, headers: [String: String] = [:]) -> AccessRow {
        var row = self
        row.body = body
        row.headers = headers
        return row
    }

    func with(query: String) -> AccessRow {
        var row = self
        row.query = query
        return row
    }

    func turn(_ turn: Int) -> AccessRow {
        var row = self
        row.turn = turn
        return row
    }

    func preparing(_ preparation: @escaping Preparation) -> AccessRow {
        var row = self
        row.preparation = preparation
        return row
    }
}

/// What exists before the calls of one caller: an open meeting of `service.host` with one submission.
struct AccessStage: Sendable {
    let service: TestService
    let meeting: TestMeeting
    let submissionID: String
    /// The caller's account; nil for the anonymous caller.
    let principal: Principal?

    /// A route's path with its parameters filled in; longer fragments are replaced first.
    func path(_ template: String, _ row: AccessRow) async throws -> String {
        var fragments = [
            "/meetings/{id}": "/meetings/\(meeting.id)", "/series/{id}": "/series/\(meeting.seriesID)",
            "/submissions/{id}": "/submissions/\(submissionID)", "/forms/{code}": "/forms/\(meeting.code)",
            "{key}": "better", "{file}": "summary.csv",
        ]
        if let preparation = row.preparation {
            fragments.merge(try await preparation(self)) { $1 }
        }
        var path = template
        for (fragment, value) in fragments.sorted(by: { ($0.key.count, $0.key) > ($1.key.count, $1.key) }) {
            path = path.replacing(fragment, with: value)
        }
        return row.query.isEmpty ? path : path + "?" + row.query
    }
}

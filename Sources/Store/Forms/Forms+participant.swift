import Domain
import Foundation
import Postgres
import StrictJSON

/// A form as visible with its code: the newest published version, and only the title of a draft.
public struct PublicForm: Sendable {
    public var code: String
    public var title: String
    public var version: Int
    public var state: FormState
    public var opensAt: Date?
    public var closesAt: Date?
    /// Nil before the first publication.
    public var definition: FormDefinition?
}

/// A participant's name for a form: its code, or its join code as typed.
struct FormName {
    private let code: String
    let isJoinCode: Bool

    /// Throws 404 for a text that can be neither.
    init(_ text: String) throws(Problem) {
        code = text.utf8.count == 8 ? FormCode.typed(text) : text
        isJoinCode = FormCode.isPlausibleJoinCode(code)
        guard isJoinCode || FormCode.isPlausible(code) else { throw Problem(.notFound) }
    }

    /// A condition on `form f`.
    var condition: Statement { isJoinCode ? "f.join_code = \(code)" : "f.code = \(code)" }

    /// Throws if a join code is used while the form is not open.
    func check(_ state: FormState) throws(Problem) {
        guard !isJoinCode || state == .open else { throw Problem.nothingBehindKnownCode }
    }
}

extension Forms {
    /// Finds a form by its code, or by its join code while it is open; throws 404 otherwise and in the trash.
    public func find(code: String) async throws -> PublicForm {
        let name = try FormName(code)
        let rows = try await pool.query(
            """
            SELECT f.code, m.title, f.version, v.definition, fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes,
                clock_timestamp()
            FROM form f JOIN form_state fs ON fs.form_id = f.id JOIN meeting m ON m.id = f.meeting_id
                LEFT JOIN form_version v ON v.form_id = f.id AND v.version = f.version
            WHERE \(fragment: name.condition) AND NOT fs.trashed
            """)
        var columns = Columns(try rows.found())
        let (found, meetingTitle): (String, String) = (try columns.next(), try columns.next())
        let version: Int = try columns.next()
        let stored: String? = try columns.next()
        let definition = try stored.map { try FormDefinition(json: StoredJSON.parse($0)) }
        let life = FormLife(
            stored: FormLife.Stored(rawValue: try columns.next()) ?? .draft, opensAt: try columns.next(),
            closesAt: try columns.next(), graceMinutes: try columns.next())
        let state = life.state(at: try columns.next())
        try name.check(state)
        let title = definition.map(\.title).flatMap { $0.isEmpty ? nil : $0 } ?? meetingTitle
        return PublicForm(
            code: found, title: title, version: version, state: state, opensAt: life.opensAt,
            closesAt: life.closesAt, definition: definition)
    }
}

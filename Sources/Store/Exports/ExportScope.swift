import Domain
import Foundation
import Postgres

/// The meetings of an export, never including the trash.
public struct ExportScope: Sendable {
    public enum Extent: Sendable {
        case meeting(UUID)
        case series(UUID)
        case all
    }

    public var extent: Extent
    /// If set, only meetings that start at this time or later. Undated meetings are included only if neither `from` nor
    /// `to` is set.
    public var from: Date?
    /// If set, only meetings that start before this time.
    public var to: Date?

    public init(_ extent: Extent, from: Date? = nil, to: Date? = nil) {
        self.extent = extent
        self.from = from
        self.to = to
    }

    var condition: Statement {
        var condition: Statement = "m.deleted_at IS NULL"
        switch extent {
        case .meeting(let id): condition += " AND m.id = \(id)"
        case .series(let id): condition += " AND m.series_id = \(id)"
        case .all: break
        }
        if let from { condition += " AND m.starts_at >= \(from)" }
        if let to { condition += " AND m.starts_at < \(to)" }
        return condition
    }
}

/// Reads the data of exports, a page or a chunk at a time.
///
/// It has its own connections, so that a client that downloads a file slowly does not occupy a connection that other
/// requests need.
public struct ExportReader: Sendable {
    /// The maximum number of concurrent exports; each uses one connection at a time.
    static let maxConcurrent = 3

    let source: ReadSource
    private let pool: Pool
    let results: Results
    let keys: KeyRing
    /// Each account has one place fewer than there are, so that no account can block the exports of others.
    let places = ExportPlaces(maxConcurrent, perAccount: maxConcurrent - 1, stallLimit: .seconds(4))

    init(_ configuration: PostgresConfiguration, replica: Replica?, keys: KeyRing) {
        pool = Pool(configuration, size: Self.maxConcurrent)
        source = ReadSource(primary: pool, replica: replica)
        self.keys = keys
        results = Results(source: source, histories: FormHistories(pool: pool), releaseLog: ReleaseLog(pool: pool))
    }

    func close() async {
        await source.close()
        await pool.close()
    }

    /// Waits for a permit for one export. Throws 503 if it gets no place before the timeout.
    ///
    /// - Parameters:
    ///   - account: The requesting account; nil for the command line.
    ///   - disconnect: Ends the connection to the reader. Called if the reader takes nothing while other exports wait.
    public func admit(
        for account: UUID? = nil, within timeout: Duration = .seconds(5), disconnect: (@Sendable () -> Void)? = nil
    ) async throws -> ExportPermit {
        try await places.acquire(for: account, within: timeout, disconnect: disconnect)
    }

    /// Returns whether the meeting or series exists outside the trash.
    public func exists(_ extent: ExportScope.Extent) async throws -> Bool {
        let statement: Statement =
            switch extent {
            case .meeting(let id): "SELECT EXISTS (SELECT FROM meeting WHERE id = \(id) AND deleted_at IS NULL)"
            case .series(let id): "SELECT EXISTS (SELECT FROM series WHERE id = \(id) AND deleted_at IS NULL)"
            case .all: "SELECT true"
            }
        return try await source.query(statement).single().decode(Bool.self)
    }

    /// Returns meetings ordered by series and round, starting after the given one.
    public func meetings(in scope: ExportScope, after last: Meeting?, limit: Int) async throws -> [Meeting] {
        var statement = Meeting.select() + "\nWHERE \(fragment: scope.condition)"
        if let last { statement += " AND (m.series_id, m.round) > (\(last.seriesID), \(last.round))" }
        let rows = try await source.query(statement + "\nORDER BY m.series_id, m.round LIMIT \(limit)")
        return try rows.map(Meeting.read)
    }

    public func results(of meetings: [Meeting]) async throws -> [UUID: FormResults] {
        try await results.read(meetings.map(\.form.id))
    }

    /// Returns every question of the scope's forms, ordered by series, round and position in the form. A question that
    /// is the same in several forms is returned once. Also returns whether any form is anonymous, and whether any form
    /// has the identity `attendee`.
    public func questions(
        in scope: ExportScope
    ) async throws -> (questions: [Question], hasAnonymousForm: Bool, hasAttendeeForm: Bool) {
        let rows = try await source.query(
            """
            SELECT q.definition FROM question q JOIN form f ON f.id = q.form_id JOIN meeting m ON m.id = f.meeting_id
            WHERE \(fragment: scope.condition) ORDER BY m.series_id, m.round, q.last_version DESC, q.position, q.key
            """)
        let kinds = try await source.query(
            """
            SELECT coalesce(bool_or((f.definition->>'anonymous')::boolean), false),
                coalesce(bool_or(f.definition->>'identity' = 'attendee'), false)
            FROM form f JOIN meeting m ON m.id = f.meeting_id WHERE \(fragment: scope.condition)
            """)
        let (hasAnonymousForm, hasAttendeeForm) = try kinds.single().decode(Bool.self, Bool.self)
        // Rounds often ask the same questions.
        var definitions: Set<String> = []
        let questions = try rows.compactMap { row -> Question? in
            let definition = try row.decode(String.self)
            return definitions.insert(definition).inserted ? try Question(stored: definition) : nil
        }
        return (questions, hasAnonymousForm, hasAttendeeForm)
    }

    /// Returns a form's questions of all versions, for reading stored answers.
    public func form(_ formID: UUID) async throws -> PreparedForm {
        PreparedForm(questions: try await source.read { try await Forms.questions(of: formID, on: $0) })
    }
}

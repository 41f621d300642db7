import Cryptography
import Domain
import Foundation
import Logging
import Postgres
import Store
import StrictJSON

/// A store on a new, migrated database, with a host and an admin.
public struct TestStore: Sendable {
    public static let password = "correct horse battery"

    public let database: TestDatabase
    public let store: Store
    public let keys: KeyRing
    /// The bytes of the only key in the secret file.
    public let secret: [UInt8]
    public let host: Principal
    public let admin: Principal

    private static let template = "afterword_template"
    /// The pool and the lanes of a store have ten connections, and the cluster allows two hundred.
    private static let turnstile = Turnstile(width: 12)
    /// Password hashing is slow by design, so all test accounts share one hash.
    private static let passwordHash = try? PasswordHash.make(password)
    private static let timeZones = Task { try await Store.timeZones(url: TestCluster.url()) }

    /// Runs a test on a fresh store and ends with a recount of every tally, then drops the database.
    ///
    /// - Parameters:
    /// - maxWaitingSubmissions: The maximum number of waiting submissions.
    /// - lanes: The number of connections that write submissions.
    /// - maxBatchSize: The maximum number of submissions in a commit.
    /// - lockTimeout: How many seconds a batch waits for the lock of a form.
    public static func run<Value: Sendable>(
        maxWaitingSubmissions: Int = 4096, lanes: Int = 2, maxBatchSize: Int = 256, lockTimeout: Int = 1,
        _ body: (TestStore) async throws -> Value
    ) async throws -> Value {
        await turnstile.enter()
        do {
            let value = try await use(
                try await database(), maxWaitingSubmissions: maxWaitingSubmissions, lanes: lanes,
                maxBatchSize: maxBatchSize, lockTimeout: lockTimeout, body)
            await turnstile.leave()
            return value
        } catch {
            await turnstile.leave()
            throw error
        }
    }

    /// A migrated, empty database.
    public static func database() async throws -> TestDatabase {
        try await TestCluster.template(named: template) { url in try await Migrator().migrate(url: url) }
        return try await TestCluster.database(template: template)
    }

    /// Runs a test on a store of an existing, migrated database.
    public static func use<Value: Sendable>(
        _ database: TestDatabase, maxWaitingSubmissions: Int = 4096, lanes: Int = 2, maxBatchSize: Int = 256,
        lockTimeout: Int = 1,
        _ body: (TestStore) async throws -> Value
    ) async throws -> Value {
        StatementCheck.begin()
        let secret = RandomBytes.make(32)
        guard let keys = KeyRing(keys: [1: secret]) else { throw Missing("a key ring") }
        var configuration = Store.Configuration(
            url: database.url, poolSize: 8, lanes: lanes, maxWaitingSubmissions: maxWaitingSubmissions,
            maxBatchSize: maxBatchSize)
        configuration.lockTimeout = lockTimeout
        // On a busy machine a page of texts still has to be complete; other tests cover the time limit.
        configuration.texts.timeLimit = .seconds(2)
        configuration.timeZones = try await timeZones.value
        configuration.poolerURL = try await TestCluster.poolerURL(of: database)
        configuration.replicaURL = try await TestCluster.replicaURL(of: database)
        configuration.workerURLs = TestCluster.usesWorkers ? database.workerURLs : []
        if TestCluster.usesCitus, lockTimeout != 1 {
            // There the timeout is a setting of the function.
            try await Connection.with(PostgresConfiguration(url: database.url)) { connection in
                try await connection.script("ALTER FUNCTION ingest SET lock_timeout = '\(lockTimeout)s'")
            }
        }
        let store = try await Store.open(configuration, keys: keys, logger: silentLogger)
        do {
            let fixture = TestStore(
                database: database, store: store, keys: keys, secret: secret,
                host: try await account("host@example.org", "Hanna Host", .host, in: store),
                admin: try await account("admin@example.org", "Ada Admin", .admin, in: store))
            let value = try await body(fixture)
            let report = try await store.verification.run(meeting: nil, repair: false) { _, _ in }
            await store.close()
            try await database.drop()
            guard report.differences.isEmpty else { throw Missing("tallies equal to a recount: \(report.differences)") }
            try StatementCheck.check()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    /// Opens a second store on the same database, like that of another instance.
    public func secondStore(texts: TextBounds = TextBounds(), workerURLs: [String] = []) async throws -> Store {
        var configuration = Store.Configuration(url: database.url)
        configuration.texts = texts
        configuration.workerURLs = workerURLs
        configuration.poolerURL = try await TestCluster.poolerURL(of: database)
        configuration.replicaURL = try await TestCluster.replicaURL(of: database)
        return try await Store.open(configuration, keys: keys, logger: Self.silentLogger)
    }

    public static func account(
        _ email: String, _ name: String, _ role: Account.Role, in store: Store
    ) async throws -> Principal {
        guard let address = EmailAddress(email), let passwordHash else {
            throw Missing("an address and a password hash")
        }
        let account = try await store.pool.transaction { connection in
            try await Accounts.insert(
                email: address, name: name, role: role, passwordHash: passwordHash, on: connection)
        }
        let session = try await store.tokens.createSession(for: account)
        guard let principal = try await store.tokens.find(session.token) else { throw Missing("a session") }
        return principal
    }

    /// A meeting without times, whose draft form has these questions, given as JSON of the contract.
    public func meeting(_ questions: String = "[]", title: String = "A meeting", by owner: Principal? = nil)
        async throws -> Meeting
    {
        let body = "{\"title\": \(JSONValue.string(title).text), \"questions\": \(questions)}"
        let draft = try MeetingDraft.read(JSONValue.parse(Array(body.utf8)))
        let created = try await store.meetings.create(draft, by: owner ?? host, once: nil) { meeting in
            Array(meeting.id.uuidString.utf8)
        }
        guard let id = UUID(uuidString: String(decoding: created.body, as: UTF8.self)) else { throw Missing("an id") }
        return try await store.meetings.require(id, by: owner ?? host)
    }

    /// A meeting whose form is open.
    public func openMeeting(_ questions: String = TestStore.questions, settings: String? = nil) async throws -> Meeting
    {
        let meeting = try await meeting(questions)
        if let settings { try await edit(meeting, settings: settings, questions: questions) }
        _ = try await store.forms.publish(meetingID: meeting.id, by: host.account.id)
        return try await store.meetings.require(meeting.id, by: host)
    }

    /// Saves the form with further members before its questions, such as `"cap": 5`.
    @discardableResult
    public func edit(_ meeting: Meeting, settings: String, questions: String) async throws -> Form {
        let prefix = settings.isEmpty ? "" : settings + ", "
        let definition = try FormDefinition(json: JSONValue.parse(Array("{\(prefix)\"questions\": \(questions)}".utf8)))
        return try await store.forms.save(definition, meetingID: meeting.id, by: host.account.id) { _ in }
    }

    public func submit(
        _ answers: String, to meeting: Meeting, key: String? = nil, version: Int? = nil, respondent: String? = nil,
        through store: Store? = nil
    ) async throws -> SubmissionReceipt {
        try await (store ?? self.store).submissions.submit(
            SubmissionRequest(
                version: version, answers: JSONValue.parse(Array(answers.utf8)), body: Array(answers.utf8),
                idempotencyKey: key, respondent: respondent),
            code: meeting.form.code)
    }

    /// The number of submissions according to the results, and the number of stored rows.
    public func counts(of meeting: Meeting) async throws -> (counted: Int, stored: Int) {
        let results = try await store.results.read(meeting.form.id)
        let rows = try await store.pool.query(
            "SELECT count(*) FROM submission WHERE form_id = \(meeting.form.id) AND NOT withdrawn")
        guard let row = rows.first else { throw Missing("a count") }
        return (results.submissions, try row.decode(Int.self))
    }

    public static let questions = """
        [{"key": "pace", "kind": "rating", "title": "How was the pace?"},
         {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": true, "maxSelections": 2,
          "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The talk"}], "other": true},
         {"key": "better", "kind": "text", "title": "What should change?", "maxLength": 200}]
        """

    public static let silentLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    public struct Missing: Error, CustomStringConvertible {
        public let description: String

        public init(_ what: String) { description = "missing: \(what)" }
    }
}

/// The problem that `body` throws; nil if it succeeds.
public func problem(_ body: () async throws -> Void) async throws -> Problem? {
    do {
        try await body()
        return nil
    } catch let problem as Problem {
        return problem
    }
}

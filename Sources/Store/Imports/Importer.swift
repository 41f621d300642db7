import Domain
import Foundation
import Logging
import Postgres
import StrictJSON

/// Imports answers that were collected elsewhere. Creates meetings with closed forms, and writes their submissions in
/// batches.
///
/// The ids of all rows are derived from the file, so a second run adds nothing. An importer must be closed after use.
public struct Importer: Sendable {
    /// The number of meetings created in one transaction.
    public static let meetingsPerTransaction = 200
    /// The number of rows written in one commit.
    public static let rowsPerCommit = 1_000

    /// The host who imports in the browser, and who needs access to each series that exists already. Nil for the
    /// commands of an operator, who has access to all series.
    let principal: Principal?
    let pool: Pool
    let keys: KeyRing
    let forms: Forms
    private let writer: BatchWriter

    init(
        for principal: Principal?, pool: Pool, keys: KeyRing, forms: Forms, configuration: PostgresConfiguration,
        logger: Logger
    ) throws(PostgresError) {
        self.principal = principal
        self.pool = pool
        self.keys = keys
        self.forms = forms
        writer = try BatchWriter(configuration: configuration, logger: logger)
    }

    /// Writes the rows and returns the outcome of each after COMMIT. Throws if a row was refused because of an error in
    /// the database or in this program.
    ///
    /// The rows of a host are written while the series are locked, so that no row is written after the host's access
    /// has ended.
    ///
    /// - Parameter form: The form that was used to validate the rows.
    public func write(_ rows: [ImportedRow], of form: PreparedForm) async throws -> [ImportOutcome] {
        guard principal != nil else { return try await store(rows, of: form) }
        return try await pool.transaction { connection in
            try await lockSeries(ofForms: Array(Set(rows.map(\.target.formID))), on: connection)
            return try await store(rows, of: form)
        }
    }

    private func store(_ rows: [ImportedRow], of form: PreparedForm) async throws -> [ImportOutcome] {
        // Forms are locked in the order of their ids, as by every other writer.
        let order = Self.order(rows)
        let offers = order.map { rows[$0].offer(form) }
        let written = await writer.write(offers, imported: true)
        var outcomes = [ImportOutcome](repeating: .alreadyThere, count: rows.count)
        for (index, outcome) in zip(order, written) {
            switch outcome {
            case .created: outcomes[index] = .created
            case .replayed: outcomes[index] = .alreadyThere
            case .refused(let problem) where problem.code.status >= 500: throw problem
            case .refused(let problem): outcomes[index] = .refused(problem)
            }
        }
        return outcomes
    }

    /// Returns the outcomes that `write` would return, without writing.
    public func predict(_ rows: [ImportedRow], of form: PreparedForm) async throws -> [ImportOutcome] {
        let offers = rows.map { $0.offer(form) }
        let stored = try await pool.query(
            """
            SELECT s.form_id, s.id, s.withdrawn, s.key_mac, s.body_mac
            FROM unnest(\(offers.map(\.formID)), \(offers.map(\.id))) AS o (form_id, id)
            JOIN submission s ON s.form_id = o.form_id AND s.id = o.id
            """)
        var earlier: [[UUID]: (withdrawn: Bool, key: [UInt8]?, body: [UInt8]?)] = [:]
        for row in stored {
            let (formID, id, withdrawn, key, body) = try row.decode(
                UUID.self, UUID.self, Bool.self, [UInt8]?.self, [UInt8]?.self)
            earlier[[formID, id]] = (withdrawn, key, body)
        }
        return offers.map { offer in
            guard let earlier = earlier[[offer.formID, offer.id]] else { return .created }
            if earlier.withdrawn { return .refused(Problem(.withdrawn)) }
            if earlier.key != offer.keyMAC { return .refused(Problem(.alreadySubmitted)) }
            return earlier.body == offer.bodyMAC ? .alreadyThere : .refused(Problem(.idempotencyConflict))
        }
    }

    public func close() async {
        await writer.close()
    }

    /// Returns the indices of the rows, sorted by form.
    private static func order(_ rows: [ImportedRow]) -> [Int] {
        rows.indices.sorted { left, right in
            let (a, b) = (rows[left].target.formID, rows[right].target.formID)
            return a == b ? left < right : a < b
        }
    }
}

extension ImportedRow {
    fileprivate func offer(_ form: PreparedForm) -> Offer {
        let answers = answers.renamed(target.optionIds)
        let text = answers.text
        return Offer(
            formID: target.formID, id: target.keys.id(idempotencyKey: key), version: target.version, answers: text,
            increments: form.increments(answers), keyMAC: target.keys.mac(idempotencyKey: key),
            bodyMAC: target.keys.mac(body: Array(text.utf8)), submittedAt: submittedAt)
    }
}

extension Store {
    /// An importer for the commands of an operator.
    public var importer: Importer {
        get throws { try importer(for: nil) }
    }

    /// An importer for a host, who needs access as an editor to each series that exists already.
    public func importer(for principal: Principal?) throws -> Importer {
        try Importer(
            for: principal, pool: pool, keys: keys, forms: forms, configuration: sessionConfiguration, logger: logger)
    }
}

import Contract
import Store

extension Contract.AuditEntry {
    init(_ entry: StoredAuditEntry) {
        self.init(
            id: ResourceID(entry.id), at: entry.at, accountId: ResourceID(entry.accountID), act: entry.action,
            subjectId: ResourceID(entry.subjectID), detail: entry.detail,
            about: entry.subject.map { Contract.AuditSubject($0) })
    }
}

extension Contract.AuditSubject {
    init(_ subject: StoredAuditSubject) {
        self.init(
            kind: subject.kind.rawValue, id: ResourceID(subject.id), name: subject.name, round: subject.round,
            deletedAt: subject.deletedAt, person: subject.person)
    }
}

extension Contract.Erasure {
    init(_ erasure: StoredErasure) {
        self.init(
            id: ResourceID(erasure.id),
            erased: Dictionary(erasure.counts.map { ($0.name, $0.count) }, uniquingKeysWith: { first, _ in first }))
    }
}

extension Contract.Storage {
    init(_ reading: DatabaseUsage.Reading) {
        self.init(
            program: ProgramVersion.current, postgres: reading.postgres, databaseBytes: reading.databaseBytes,
            tables: reading.tables.map { Table(name: $0.name, bytes: $0.bytes, rows: $0.rows) },
            outbox: Queue(reading.outbox), deliveries: Queue(reading.deliveries),
            submissions: Submissions(count: reading.submissions.count, exact: reading.submissions.isExact),
            meetings: reading.meetings)
    }
}

extension Contract.Storage.Queue {
    fileprivate init(_ queue: DatabaseUsage.Queue) {
        self.init(waiting: queue.waiting, oldest: queue.oldest)
    }
}

import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// Whatever happens to a form, no answer is lost, moved or counted differently.
@Suite(.timeLimit(.minutes(15))) struct AnswersThroughEdits {
    @Test(
        arguments: [1, 2, 3, SeededNumbers.freshSeed(), SeededNumbers.freshSeed(), SeededNumbers.freshSeed()],
        [false, true])
    func answersSurviveAnyOrderOfEdits(_ seed: UInt64, conditions: Bool) async throws {
        try await TestStore.run { fixture in
            var random = SeededNumbers(seed: seed)
            let form = try await EditedForm(fixture, random.definition(conditions: conditions), conditions: conditions)
            // Some properties become fixed with the first answer.
            try await form.submit(&random)
            for _ in 0..<40 {
                try await form.applyRandomChange(&random)
                try await form.expectStoredAnswersAndCounts()
            }
            try await form.expectReceiptsReturnTheirAnswers()
        }
    }

    @Test(arguments: [1, 746_531_759, SeededNumbers.freshSeed()], [false, true])
    func answersSurviveConcurrentEdits(_ seed: UInt64, conditions: Bool) async throws {
        try await TestStore.run { fixture in
            var random = SeededNumbers(seed: seed)
            let form = try await EditedForm(fixture, random.definition(conditions: conditions), conditions: conditions)
            try await form.submit(&random)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var random = SeededNumbers(seed: seed &+ 1_000)
                    for _ in 0..<25 {
                        try await random.chance() ? form.edit(&random) : form.attemptForbiddenEdit(&random)
                    }
                }
                group.addTask { for _ in 0..<100 { try await form.expectConsistentBuckets() } }
                for participant in 0..<6 as Range<UInt64> {
                    group.addTask {
                        var random = SeededNumbers(seed: seed &+ participant)
                        for _ in 0..<20 {
                            guard let own = try await form.submit(&random) else { continue }
                            switch random.int(0...3) {
                            case 0: try await form.correct(own, &random)
                            case 1: try await form.withdraw(own)
                            default: break
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await form.expectStoredAnswersAndCounts()
            try await form.expectReceiptsReturnTheirAnswers()
        }
    }
}

/// A published form with its ledger, changed randomly through the store.
private struct EditedForm: Sendable {
    let fixture: TestStore
    let meeting: Meeting
    let ledger: AnswerLedger
    /// Whether questions may depend on answers.
    let conditions: Bool

    init(_ fixture: TestStore, _ definition: FormDefinition, conditions: Bool) async throws {
        (self.fixture, self.conditions) = (fixture, conditions)
        meeting = try await fixture.openMeeting(JSONValue.array(Question.documents(definition.questions)).text)
        ledger = AnswerLedger(definition)
    }

    private var code: String { meeting.form.code }
    private var state: AnswerLedger.State { ledger.state.withLock { $0 } }

    func applyRandomChange(_ random: inout SeededNumbers) async throws {
        let remaining = state.entries.values.filter { $0.answers != nil }.sorted {
            $0.receipt.id.uuidString < $1.receipt.id.uuidString
        }
        switch random.int(0...9) {
        case 0...2: try await edit(&random)
        case 3: try await attemptForbiddenEdit(&random)
        case 4 where !remaining.isEmpty: try await correct(random.one(of: remaining), &random)
        case 5 where !remaining.isEmpty: try await withdraw(random.one(of: remaining))
        case 6: try await closeOrReopen()
        default: try await submit(&random)
        }
    }

    func edit(_ random: inout SeededNumbers) async throws {
        let definition = random.edited(
            state.definition, retired: state.known.values.sorted { $0.key < $1.key }, conditions: conditions)
        let form = try await fixture.store.forms.save(definition, meetingID: meeting.id, by: fixture.host.account.id) {
            _ in
        }
        ledger.recordVersion(definition, form.version)
    }

    /// Checks that a forbidden edit is refused and changes nothing.
    func attemptForbiddenEdit(_ random: inout SeededNumbers) async throws {
        let retired = state.known.values.sorted { $0.key < $1.key }
        guard let definition = random.forbiddenEdit(state.definition, retired: retired) else { return }
        let before = try await storedDefinitions()
        let refusal = try await problem {
            _ = try await fixture.store.forms.save(
                definition, meetingID: meeting.id, by: fixture.host.account.id
            ) { _ in }
        }
        #expect(refusal?.code == .validationFailed, "\(definition.json.text)")
        #expect(try await storedDefinitions() == before)
    }

    /// Returns nil if the form is closed.
    @discardableResult func submit(_ random: inout SeededNumbers) async throws -> AnswerLedger.Entry? {
        let (version, answers) = randomAnswers(&random)
        do {
            let receipt = try await fixture.submit(answers.text, to: meeting, version: version)
            return try await recordAcknowledged(receipt, version, answers)
        } catch let problem as Problem where !state.isOpen && problem.code == .formClosed {
            return nil
        }
    }

    func correct(_ own: AnswerLedger.Entry, _ random: inout SeededNumbers) async throws {
        let (version, answers) = randomAnswers(&random)
        let refusal = try await problem {
            _ = try await fixture.store.submissions.correct(
                own.receipt.id, code: code, receipt: own.receipt.receipt, version: version, answers: answers)
            try await recordAcknowledged(own.receipt, version, answers)
        }
        #expect(refusal?.code == (state.isOpen ? nil : .formClosed))
    }

    func withdraw(_ own: AnswerLedger.Entry) async throws {
        let refusal = try await problem {
            try await fixture.store.submissions.withdraw(own.receipt.id, code: code, receipt: own.receipt.receipt)
            ledger.record(AnswerLedger.Entry(receipt: own.receipt, version: own.version))
        }
        #expect(refusal?.code == (state.isOpen ? nil : .formClosed))
    }

    private func closeOrReopen() async throws {
        if state.isOpen {
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        } else {
            _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
        }
        ledger.state.withLock { $0.isOpen.toggle() }
    }

    /// Answers to a random published version.
    private func randomAnswers(_ random: inout SeededNumbers) -> (version: Int, answers: JSONValue) {
        let versions = state.versions
        let version = random.one(of: versions.keys.sorted())
        return (version, random.answers(to: versions[version] ?? FormDefinition()))
    }

    @discardableResult private func recordAcknowledged(
        _ receipt: SubmissionReceipt, _ version: Int, _ answers: JSONValue
    ) async throws -> AnswerLedger.Entry {
        let entry = AnswerLedger.Entry(
            receipt: receipt, version: version, answers: AnswerLedger.countedAnswers(answers),
            stored: try await storedSubmissions()[receipt.id]?.answers)
        ledger.record(entry)
        return entry
    }

    private func storedSubmissions() async throws -> [UUID: (version: Int, answers: String?)] {
        let rows = try await fixture.store.pool.query(
            "SELECT id, version, answers::text FROM submission WHERE form_id = \(meeting.form.id)")
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let (id, version, answers) = try row.decode(UUID.self, Int.self, String?.self)
                return (id, (version, answers))
            })
    }

    /// The definition, its versions and its questions as stored.
    private func storedDefinitions() async throws -> [String] {
        try await fixture.store.pool.query(
            """
            SELECT f.definition::text FROM form f WHERE f.id = \(meeting.form.id)
            UNION ALL SELECT v.version || v.definition::text FROM form_version v WHERE v.form_id = \(meeting.form.id)
            UNION ALL SELECT q::text FROM question q WHERE q.form_id = \(meeting.form.id) ORDER BY 1
            """
        ).map { try $0.decode(String.self) }
    }

    /// Checks that a concurrent read finds every answer in a bucket.
    func expectConsistentBuckets() async throws {
        for question in try await fixture.store.results.read(meeting.form.id).questions {
            let sum = question.points.reduce(0) { $0 + $1.count }
            switch question.kind {
            case .rating: #expect(sum == question.answered)
            case .choice: #expect(sum >= question.answered)
            case .text: break
            }
        }
    }

    func expectStoredAnswersAndCounts() async throws {
        let state = state
        let stored = try await storedSubmissions()
        #expect(Set(stored.keys) == Set(state.entries.keys))
        for (id, entry) in state.entries {
            #expect(stored[id]?.answers == entry.stored, "stored byte for byte as acknowledged")
            if entry.answers != nil { #expect(stored[id]?.version == entry.version) }
        }
        ledger.expect(try await fixture.store.results.read(meeting.form.id))
        let report = try await fixture.store.verification.run(meeting: meeting.id) { _, _ in }
        #expect(report.differences.isEmpty)
    }

    func expectReceiptsReturnTheirAnswers() async throws {
        for entry in state.entries.values {
            let refusal = try await problem {
                let found = try await fixture.store.submissions.find(
                    entry.receipt.id, code: code, receipt: entry.receipt.receipt)
                let answers = Dictionary(
                    uniqueKeysWithValues: (found.answers.members ?? []).map { ($0.name, $0.value) })
                #expect(answers == entry.answers, "version \(entry.version)")
                #expect(found.version == entry.version)
            }
            #expect(refusal?.code == (entry.answers == nil ? .withdrawn : nil))
        }
    }
}

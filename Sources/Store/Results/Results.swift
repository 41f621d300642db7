import Domain
import Foundation
import Postgres
import StrictJSON

/// Reads results from the maintained tallies. The cost depends on the number of buckets, not on the number of
/// submissions.
public struct Results: Sendable {
    let source: ReadSource
    let histories: FormHistories
    let releaseLog: ReleaseLog

    /// Returns one form's results, with the changes between its versions.
    public func read(_ formID: UUID) async throws -> FormResults {
        guard var results = try await read([formID])[formID] else { throw Problem(.notFound) }
        results.changes = try await histories.changes(of: formID, upTo: results.version)
        return results
    }

    /// Returns the results of many forms, by form. One statement reads all counts, so that they come from one snapshot.
    public func read(_ formIDs: [UUID]) async throws -> [UUID: FormResults] {
        try await releaseLog.recordingReads {
            let results = try await source.read { try await Self.read(formIDs, on: $0) }
            return (results, results.mapValues(\.snapshot))
        }
    }

    /// Reads results without recording them in the release log. They are for internal decisions only and must not be
    /// shown to anyone.
    static func read(_ formIDs: [UUID], on connection: Connection) async throws -> [UUID: FormResults] {
        // The counts are read before the questions, so that the question of each bucket is found. An edit between the
        // two statements can only add a question without answers.
        let counts = try await counts(of: formIDs, on: connection)
        let questions = try await questions(of: formIDs, on: connection)
        return counts.mapValues { $0.results(questions[$0.formID] ?? []) }
    }

    private static func counts(of formIDs: [UUID], on connection: Connection) async throws -> [UUID: Counts] {
        // A form that was often edited has many question sets. Their counts of answers are added up here, because
        // transferring them would take four times as long.
        let rows = try await connection.query(
            """
            SELECT fs.form_id, fs.revision, fs.updated_at, \(fragment: ShownState.columns), fs.released,
                t.question, t.bucket, t.question_set, t.count, t.shown, \(fragment: ShownState.shownCount)
            FROM form_state fs LEFT JOIN (
                SELECT t.form_id, t.question, t.bucket, t.question_set, t.count, t.shown
                FROM tally t WHERE t.form_id = ANY (\(formIDs)) AND \(fragment: ShownState.countsSubmissions)
                UNION ALL
                SELECT t.form_id, t.question, t.bucket, 0, sum(t.count)::bigint, sum(t.shown)::bigint
                FROM tally t WHERE t.form_id = ANY (\(formIDs)) AND NOT \(fragment: ShownState.countsSubmissions)
                GROUP BY t.form_id, t.question, t.bucket) t ON t.form_id = fs.form_id
            WHERE fs.form_id = ANY (\(formIDs))
            """)
        var counts: [UUID: Counts] = [:]
        for row in rows { try Counts.add(row, to: &counts) }
        return counts
    }

    /// Returns each form's questions: those of the newest version in its order, then the retired ones.
    private static func questions(
        of formIDs: [UUID], on connection: Connection
    ) async throws -> [UUID: [AskedQuestion]] {
        let rows = try await connection.query(
            """
            SELECT q.form_id, q.definition, q.first_version, q.last_version, f.version
            FROM question q JOIN form f ON f.id = q.form_id
            WHERE q.form_id = ANY (\(formIDs))
            ORDER BY q.form_id, q.last_version DESC, q.position, q.key
            """)
        var questions: [UUID: [AskedQuestion]] = [:]
        for row in rows {
            let (formID, definition, first, last, version) = try row.decode(
                UUID.self, String.self, Int.self, Int.self, Int.self)
            questions[formID, default: []].append(
                AskedQuestion(
                    question: try Question(stored: definition), versions: first...max(first, last),
                    formVersion: version))
        }
        return questions
    }
}

/// A question of some version of a form.
private struct AskedQuestion {
    var question: Question
    /// The first and the last version that contain the question.
    var versions: ClosedRange<Int>
    /// The form's newest version.
    var formVersion: Int
}

/// The counts of one form, before they become its results.
private struct Counts {
    var formID: UUID
    var revision: Int
    var updatedAt: Date
    var state: ShownState
    /// The keys of the questions whose texts are released.
    var releasedKeys: [String] = []
    /// The released counts of each question's buckets, over all versions.
    var shownCounts: [String: [String: Int]] = [:]

    static func add(_ row: Row, to countsByForm: inout [UUID: Counts]) throws {
        var columns = Columns(row)
        let formID: UUID = try columns.next()
        var counts = Counts(
            formID: formID, revision: try columns.next(), updatedAt: try columns.next(),
            state: try ShownState.read(&columns))
        counts.releasedKeys = try columns.next([String]?.self) ?? []
        let (question, bucket): (String?, String?) = (try columns.next(), try columns.next())
        guard let question, let bucket else {
            countsByForm[formID] = counts
            return
        }
        let (questionSet, count, shown): (Int, Int, Int) = (try columns.next(), try columns.next(), try columns.next())
        if question.isEmpty {
            countsByForm[formID, default: counts].state.add(
                bucket: bucket, questionSet: questionSet, count: count, shown: shown)
        } else {
            countsByForm[formID, default: counts]
                .shownCounts[question, default: [:]][bucket, default: 0] += try columns.next(Int.self)
        }
    }

    func results(_ asked: [AskedQuestion]) -> FormResults {
        let questions = asked.map { askedQuestion in
            let question = askedQuestion.question
            var result =
                state.isHidden
                ? QuestionResult.withheld(question: question)
                : QuestionResult.make(question: question, counts: shownCounts[question.key] ?? [:])
            result.isReleased = releasedKeys.contains(question.key)
            result.versions = askedQuestion.versions
            result.isRetired = askedQuestion.versions.upperBound < askedQuestion.formVersion
            return result
        }
        return FormResults(
            formID: formID, version: asked.first?.formVersion ?? 0, revision: revision, updatedAt: updatedAt,
            submissions: state.submissions, withheld: state.withheld, visible: state.visible,
            isSettled: state.isSettled, questions: questions, snapshot: state.snapshot)
    }
}

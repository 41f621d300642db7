import Foundation
import Postgres

/// In an order that tells nothing of who wrote what and when.
///
/// Submissions' ids are as good as random. Those that begin with the same bits are a group, of about 4,096 to 8,191
/// answers of this question, or all of them where there are fewer than 8,192; groups follow each other by their bits,
/// and within a group answers stand by a keyed hash that is the question's own. So what the place of an answer tells is
/// at most its group, and only one group is read for a page, however many submissions there are.
///
/// Whatever is written meanwhile, a submission keeps its place: nothing is skipped or repeated. And the list has an end:
/// it has the groups it began with, and an order of a group that was found since serves until the group is read.
struct ShuffledTexts: TextSteps {
    let question: TextQuestion
    let names: QuestionNames
    let orders: AnswerOrders
    /// Answers that a group has at least, as expected.
    let group: Int
    let connection: Connection

    func take(_ size: Int, after position: TextPosition?, hidden: Bool) async throws -> TextStep {
        var (place, number, bits, since): (UInt128?, UInt64, UInt8, Int) = (nil, 0, groupBits, question.revision)
        // A list goes on in the groups that it began with, however many answers come meanwhile.
        if case .place(let past, let group, let count, let start) = position {
            // Results that came back from a backup may be at an earlier revision than they were.
            (place, number, bits, since) = (past, group, count, min(start, question.revision))
        }
        let key = AnswerOrders.Key(
            formID: question.formID, question: question.key, group: number, bits: bits, hasSalt: question.hasSalt)
        let here = TextPosition.place(place, group: number, bits: bits, since: since)
        guard let order = try await order(key, since: since, size: size) else { return TextStep(reached: here) }
        let rest = order[order.firstIndex(after: place)...].prefix(size)
        var step = TextStep(texts: try await texts(of: rest, key, since: since, hidden: hidden))
        if let last = rest.last, rest.endIndex < order.endIndex {
            step.reached = .place(last.place, group: number, bits: bits, since: since)
        } else if number + 1 < 1 << bits {
            step.reached = .place(nil, group: number + 1, bits: bits, since: since)
        }
        return step
    }

    private var groupBits: UInt8 {
        let groups = question.answered / max(group, 1)
        return groups > 1 ? UInt8(min(Int.bitWidth - 1 - groups.leadingZeroBitCount, 40)) : 0
    }

    /// The answers of a group in their order; nil while not all of its submissions have been looked at.
    private func order(_ key: AnswerOrders.Key, since: Int, size: Int) async throws -> [AnswerOrders.Entry]? {
        var draft = orders.find(key, since: since, revision: question.revision)
        if draft.isComplete { return draft.entries }
        let (first, last) = key.ids
        var statement: Statement = """
            SELECT s.id, NOT s.withdrawn AND s.answers->>\(question.key) IS NOT NULL AND \(fragment: question.isTold)
            FROM submission s WHERE s.form_id = \(question.formID) AND s.id <= \(last)
            """
        statement += draft.reached.map { " AND s.id > \($0)" } ?? " AND s.id >= \(first)"
        let rows = try await connection.query(statement + " ORDER BY s.id LIMIT \(size)")
        for row in rows {
            let (id, isAnswered) = try row.decode(UUID.self, Bool.self)
            if isAnswered { draft.entries.append(AnswerOrders.Entry(place: names.place(of: id), submissionID: id)) }
            draft.reached = id
        }
        if rows.count < size { draft.complete() }
        orders.keep(draft, for: key)
        return draft.isComplete ? draft.entries : nil
    }

    /// Asked for one by one, in one pipeline: for many ids at once a planner that has not yet heard of a form thinks its
    /// few submissions quicker read than looked up, and reads a million.
    private func texts(
        of entries: ArraySlice<AnswerOrders.Entry>, _ key: AnswerOrders.Key, since: Int, hidden: Bool
    ) async throws -> [FoundText] {
        let question = question.key
        let answers = try await connection.pipeline(
            entries.map { entry in
                """
                SELECT s.answers->>\(question) FROM submission s
                WHERE s.form_id = \(key.formID) AND s.id = \(entry.submissionID) AND NOT s.withdrawn
                    AND (\(question) = ANY (coalesce(s.hidden, '{}'))) = \(hidden)
                    AND s.answers->>\(question) IS NOT NULL
                """
            })
        return try zip(entries, answers).compactMap { entry, answer in
            try answer.first.map { row in
                FoundText(
                    submissionID: entry.submissionID, text: try row.decode(String.self),
                    position: .place(entry.place, group: key.group, bits: key.bits, since: since))
            }
        }
    }
}

import Foundation
import Postgres

/// Texts in an order that reveals nothing about authors and times.
///
/// The ids of submissions are effectively random. Those with the same first bits form a group of about 4,096 to 8,191
/// answers to the question, or of all answers if there are fewer than 8,192. Groups follow each other by these bits,
/// and within a group answers are ordered by a keyed hash of the question. So the position of an answer reveals at most
/// its group, and a page reads one group, however many submissions there are.
///
/// A submission keeps its position whatever is written meanwhile: nothing is skipped or repeated. The list also has an
/// end: it keeps the groups it began with, and the order of a group, once found, is used until the group has been read.
struct ShuffledTexts: TextSteps {
    let question: TextQuestion
    let names: QuestionNames
    let orders: AnswerOrders
    /// The expected least number of answers in a group.
    let group: Int
    /// The largest number of answers that a group may have grown to since the list was begun: it is read and cached as
    /// a whole.
    let largestGroup: Int
    let long: LongAnswers
    let connection: Connection

    func take(
        _ size: Int, after position: TextPosition?, hidden: Bool, until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        var (place, number, bits, since): (UInt128?, UInt64, UInt8, Int) = (nil, 0, groupBits, question.revision)
        // A list keeps the groups that it began with, however many answers arrive meanwhile.
        if case .place(let past, let group, let count, let start) = position {
            guard question.answered >> count <= largestGroup else { throw TextCursor.refusal }
            // Results restored from a backup may be at an earlier revision than before.
            (place, number, bits, since) = (past, group, count, min(start, question.revision))
        }
        let key = AnswerOrders.Key(
            formID: question.formID, question: question.key, group: number, bits: bits, hasSalt: question.hasSalt)
        let here = TextPosition.place(place, group: number, bits: bits, since: since)
        guard let order = try await order(key, since: since, size: size, until: end) else {
            return TextStep(reached: here)
        }
        let rest = order[order.firstIndex(after: place)...].prefix(size)
        var step = try await texts(of: rest, key, since: since, hidden: hidden, until: end)
        if step.looked == rest.count, rest.endIndex == order.endIndex {
            step.reached = number + 1 < 1 << bits ? .place(nil, group: number + 1, bits: bits, since: since) : nil
        }
        return step
    }

    private var groupBits: UInt8 {
        let groups = question.answered / max(group, 1)
        return groups > 1 ? UInt8(min(Int.bitWidth - 1 - groups.leadingZeroBitCount, 40)) : 0
    }

    /// Returns the answers of a group in their order; nil while some of its submissions have not been processed.
    private func order(
        _ key: AnswerOrders.Key, since: Int, size: Int, until end: ContinuousClock.Instant?
    ) async throws -> [AnswerOrders.Entry]? {
        var draft = orders.find(key, since: since, revision: question.revision)
        if draft.isComplete { return draft.entries }
        let (first, last) = key.ids
        // Whether a long answer is present is only known after decompression.
        var statement: Statement = """
            SELECT s.id, NOT s.withdrawn AND \(fragment: question.isVisible),
                CASE WHEN s.withdrawn OR \(fragment: LongAnswers.isShort)
                    THEN coalesce(s.answers->>\(question.key) IS NOT NULL, false) END
            FROM submission s WHERE s.form_id = \(question.formID) AND s.id <= \(last)
            """
        statement += draft.reached.map { " AND s.id > \($0)" } ?? " AND s.id >= \(first)"
        let rows = try await connection.query(statement + " ORDER BY s.id LIMIT \(size)").map { row in
            try row.decode(UUID.self, Bool.self, Bool?.self)
        }
        let unknown = rows.filter { $0.1 && $0.2 == nil }.map(\.0)
        let known = unknown.isEmpty ? [] : try await long.answered(unknown, until: end)
        var (rest, looked) = (known[...], 0)
        for (id, isVisible, isAnswered) in rows {
            guard let isAnswered = isAnswered ?? (isVisible ? rest.popFirst() : false) else { break }
            if isVisible, isAnswered {
                draft.entries.append(AnswerOrders.Entry(place: names.place(of: id), submissionID: id))
            }
            draft.reached = id
            looked += 1
        }
        if rows.count < size, looked == rows.count { draft.complete() }
        orders.keep(draft, for: key)
        return draft.isComplete ? draft.entries : nil
    }

    /// Requested one by one in one pipeline: for many ids together, a planner without statistics of a form expects few
    /// submissions, chooses to scan them, and reads a million.
    private func texts(
        of entries: ArraySlice<AnswerOrders.Entry>, _ key: AnswerOrders.Key, since: Int, hidden: Bool,
        until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        let columns = TextCandidate.columns(question, hidden: hidden)
        let answers = try await connection.pipeline(
            entries.map { entry in
                """
                SELECT \(fragment: columns) FROM submission s
                WHERE s.form_id = \(key.formID) AND s.id = \(entry.submissionID)
                """
            })
        let candidates = try zip(entries, answers).map { entry, answer in
            let (text, isLong) = try answer.first?.decode(String?.self, Bool.self) ?? (nil, false)
            return TextCandidate(
                submissionID: entry.submissionID, text: text, isLong: isLong,
                position: .place(entry.place, group: key.group, bits: key.bits, since: since))
        }
        return try await TextStep(candidates, reading: long, until: end)
    }
}

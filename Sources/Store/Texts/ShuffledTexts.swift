import Foundation
import Postgres

/// Texts in an order that reveals nothing about authors and times.
///
/// The ids of submissions are effectively random. The submissions whose ids have the same leading bits form a group.
/// The number of bits is chosen so that a group has about 4,096 to 8,191 answers to the question; if there are fewer
/// than 8,192 answers, all belong to one group. Groups are sorted by these bits, and the answers of a group by a hash
/// of the submission's id with a key of the question. So the position of an answer reveals at most its group, and a
/// page reads only one group, however many submissions there are.
///
/// The position of an answer does not depend on other submissions. Therefore nothing is skipped or repeated if
/// submissions arrive while the list is read. The list also ends, because the number of groups does not change while it
/// is read, and the order of a group, once computed, is used until the reader has reached the end of the group.
struct ShuffledTexts: TextSteps {
    let question: TextQuestion
    let answerKeys: AnswerKeys
    let orders: ShuffledOrderCache
    /// The smallest expected number of answers in a group, if the question has that many.
    let smallestGroup: Int
    /// The maximum expected number of answers in a group. A group may grow while a list is read, but it is processed
    /// and cached as one unit.
    let largestGroup: Int
    let long: LongAnswers
    let connection: Connection

    func take(
        _ size: Int, after position: TextPosition?, of filter: TextFilter, until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        var (last, number, bits, since): (UInt128?, UInt64, UInt8, Int) = (nil, 0, groupBits, question.revision)
        // A list keeps the number of groups that it started with, however many answers arrive meanwhile.
        if case .shuffled(let previous, let group, let count, let start) = position {
            guard question.answered >> count <= largestGroup else { throw TextCursor.refusal }
            // The results may have been restored from a backup, with a revision lower than `start`.
            (last, number, bits, since) = (previous, group, count, min(start, question.revision))
        }
        let key = ShuffledOrderCache.Key(
            formID: question.formID, question: question.key, group: number, bits: bits, hasSalt: question.hasSalt)
        let currentPosition = TextPosition.shuffled(last, group: number, bits: bits, since: since)
        guard let order = try await order(key, since: since, size: size, until: end) else {
            return TextStep(reached: currentPosition)
        }
        let remaining = order[order.firstIndex(after: last)...].prefix(size)
        var step = try await texts(of: remaining, key, since: since, of: filter, until: end)
        if step.processed == remaining.count, remaining.endIndex == order.endIndex {
            step.reached = number + 1 < 1 << bits ? .shuffled(nil, group: number + 1, bits: bits, since: since) : nil
        }
        return step
    }

    /// The number of leading bits of an id that determine its group, for a list that starts now.
    private var groupBits: UInt8 {
        let groups = question.answered / max(smallestGroup, 1)
        return groups > 1 ? UInt8(min(Int.bitWidth - 1 - groups.leadingZeroBitCount, 40)) : 0
    }

    /// Returns the answers of a group in their order. Processes at most `size` submissions of the group per call, and
    /// returns nil until all have been processed.
    private func order(
        _ key: ShuffledOrderCache.Key, since: Int, size: Int, until end: ContinuousClock.Instant?
    ) async throws -> [ShuffledOrderCache.Entry]? {
        var draft = orders.find(key, since: since, revision: question.revision)
        if draft.isComplete { return draft.entries }
        let (first, last) = key.ids
        // The last column is null for a long submission, because only decompression shows whether it answers the
        // question.
        var statement: Statement = """
            SELECT s.id, NOT s.withdrawn AND \(fragment: question.isVisible),
                CASE WHEN s.withdrawn OR \(fragment: LongAnswers.isShort)
                    THEN coalesce(\(fragment: question.text) IS NOT NULL, false) END
            FROM submission s WHERE s.form_id = \(question.formID) AND s.id <= \(last)
            """
        statement += draft.lastProcessedID.map { " AND s.id > \($0)" } ?? " AND s.id >= \(first)"
        let rows = try await connection.query(statement + " ORDER BY s.id LIMIT \(size)").map { row in
            try row.decode(UUID.self, Bool.self, Bool?.self)
        }
        let longIDs = rows.filter { $0.1 && $0.2 == nil }.map(\.0)
        let longAnswered = longIDs.isEmpty ? [] : try await long.answered(longIDs, until: end)
        var (remaining, processed) = (longAnswered[...], 0)
        for (id, isVisible, isAnswered) in rows {
            guard let isAnswered = isAnswered ?? (isVisible ? remaining.popFirst() : false) else { break }
            if isVisible, isAnswered {
                draft.entries.append(ShuffledOrderCache.Entry(position: answerKeys.position(of: id), submissionID: id))
            }
            draft.lastProcessedID = id
            processed += 1
        }
        if rows.count < size, processed == rows.count { draft.complete() }
        orders.store(draft, for: key)
        return draft.isComplete ? draft.entries : nil
    }

    /// Reads the texts of these entries.
    private func texts(
        of entries: ArraySlice<ShuffledOrderCache.Entry>, _ key: ShuffledOrderCache.Key, since: Int,
        of filter: TextFilter,
        until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        let answers = try await long.query(
            TextCandidate.columns(question, filter), of: entries.map(\.submissionID))
        let candidates = try zip(entries, answers).map { entry, answer in
            let (text, isLong, marks) =
                try answer.first?.decode(String?.self, Bool.self, String?.self) ?? (nil, false, nil)
            return TextCandidate(
                submissionID: entry.submissionID, text: text, isLong: isLong, marks: try TextMarks(stored: marks),
                position: .shuffled(entry.position, group: key.group, bits: key.bits, since: since))
        }
        return try await TextStep(candidates, reading: long, until: end)
    }
}

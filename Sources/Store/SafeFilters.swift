import Domain
import Foundation
import Postgres
import StrictJSON
import Synchronization

/// What may be asked of an anonymous form: `docs/analysis.md` has the law.
///
/// The choice of questions is the same for every request, and so is what it costs: neither the answer nor its time
/// depends on the option or rating that is asked for.
final class SafeFilters: Sendable {
    private struct Choice: Sendable {
        var revision: Int
        var keys: Set<String>
    }

    /// Forms; when full, all are dropped and chosen again as they are asked for.
    private static let room = 1_000

    private let cache: FormCache
    private let known = Mutex<[UUID: Choice]>([:])

    init(cache: FormCache) { self.cache = cache }

    /// - Parameter asked: the keys, each with the query parameter that named it.
    func require(
        _ asked: [(key: String, pointer: String)], of ground: Filters.Ground, on connection: Connection
    ) async throws {
        let state = ground.meeting.form.state(at: ground.meeting.now)
        guard state == .closed || state == .final, ground.results.isSettled else {
            throw Problem(
                .resultsWithheld, "An anonymous form is filtered once it is closed and nothing of it is withheld.")
        }
        guard ground.sample.size.isWhole || state == .final else {
            // Its ids change once more, and with them the part that is read.
            throw Problem(.resultsWithheld, "An anonymous form with so many answers is filtered once it is final.")
        }
        let keys = try await keys(of: ground, on: connection)
        let refused = asked.filter { !keys.contains($0.key) }
        guard refused.isEmpty else {
            throw Problem(
                .groupTooSmall, "Somebody could be told apart.",
                faults: refused.map { _, pointer in
                    Fault(.invalid, at: pointer, code: "group-too-small", "This question cannot be filtered by.")
                })
        }
    }

    private func keys(of ground: Filters.Ground, on connection: Connection) async throws -> Set<String> {
        guard !ground.wasReopened else { return [] }
        let (formID, revision) = (ground.sample.formID, ground.results.revision)
        if let choice = known.withLock({ $0[formID] }), choice.revision == revision { return choice.keys }
        let keys = Set(try await choose(ground, on: connection))
        known.withLock { known in
            if known.count >= Self.room { known = [:] }
            known[formID] = Choice(revision: revision, keys: keys)
        }
        return keys
    }

    private func choose(_ ground: Filters.Ground, on connection: Connection) async throws -> [String] {
        let lowest = FormDefinition(anonymous: true).minimumGroup
        // What the tallies refuse already need not be read from the submissions.
        let safe = ground.results.questions.filter { result in
            result.tellsNobodyApart(among: ground.results.visible, minimum: lowest)
        }
        let candidates = try await inOrder(ground, on: connection).filter { key in safe.contains { $0.key == key } }
        let groups = try await ground.sample.groups(of: candidates, on: connection)
        let chosen = FilterableQuestions.choose(
            groups.map { FilterableQuestions.Cell(values: $0.values, count: $0.count) }, of: candidates.count,
            minimum: ground.minimum, lowest: lowest)
        return chosen.map { candidates[$0] }
    }

    /// The questions with one answer each, in the order in which they were first published: the only one that no later
    /// version changes, and with it which of two questions comes first.
    private func inOrder(_ ground: Filters.Ground, on connection: Connection) async throws -> [String] {
        let rows = try await connection.query(
            "SELECT key, first_version FROM question WHERE form_id = \(ground.sample.formID)")
        var places: [(version: Int, position: Int, key: String)] = []
        for row in rows {
            let (key, version) = try row.decode(String.self, Int.self)
            guard ground.questions.contains(where: { $0.key == key && $0.isSingleValued }),
                let form = try await cache.version(version, of: ground.sample.formID, on: connection)
            else { continue }
            places.append((version, form.questions.firstIndex { $0.key == key } ?? 0, key))
        }
        return places.sorted { $0 < $1 }.map(\.key)
    }
}

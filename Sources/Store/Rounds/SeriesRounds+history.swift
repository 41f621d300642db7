import Domain
import Foundation
import Postgres
import StrictJSON

extension SeriesRounds {
    /// Returns the newest versions of these rounds whose questions differ from the version before, in the order of
    /// their publication.
    ///
    /// - Parameter key: Restricts the comparison to this question.
    func history(of rounds: [SeriesRound], question key: String? = nil, on connection: Connection)
        async throws -> Rows
    {
        let asked: Statement =
            if let key {
                """
                jsonb_path_query_array(u.definition, '$.questions[*] ? (@.key == $key)',
                    jsonb_build_object('key', \(key)::text))
                """
            } else {
                "u.definition->'questions'"
            }
        return try await connection.query(
            """
            WITH newest AS MATERIALIZED (
                SELECT r.round, v.version, v.definition,
                    row_number() OVER newer AS place, sum(pg_column_size(v.definition)) OVER newer AS bytes
                FROM unnest(\(rounds.map(\.formID)), \(rounds.map(\.round))) AS r (form_id, round)
                JOIN form_version v ON v.form_id = r.form_id
                WINDOW newer AS (ORDER BY r.round DESC, v.version DESC)
                ORDER BY r.round DESC, v.version DESC LIMIT \(bounds.versions + 1)
            ), used AS (
                SELECT * FROM newest WHERE place <= \(bounds.versions) AND (bytes <= \(bounds.storedVersions) OR place = 1)
            ), told AS (
                SELECT u.round, u.version, \(fragment: asked) AS asked,
                    lag(\(fragment: asked)) OVER (ORDER BY u.round, u.version) AS before
                FROM used u
            ), changed AS (
                SELECT t.round, t.version, t.asked,
                    sum(octet_length(t.asked::text)) OVER (ORDER BY t.round DESC, t.version DESC) AS bytes,
                    row_number() OVER (ORDER BY t.round DESC, t.version DESC) AS place
                FROM told t WHERE t.asked IS DISTINCT FROM t.before
            )
            SELECT c.round, c.version, c.asked,
                (SELECT count(*) FROM newest) > (SELECT count(*) FROM used)
                    OR (SELECT max(o.bytes) FROM changed o) > \(bounds.changedVersions)
            FROM changed c WHERE c.bytes <= \(bounds.changedVersions) OR c.place = 1 ORDER BY c.round, c.version
            """)
    }

    /// - Parameter rows: The rows of `history`.
    static func readHistory(_ rows: Rows) throws -> SeriesHistory {
        var history = SeriesHistory(versions: [], isCut: false)
        for row in rows {
            let (round, version, asked, isCut) = try row.decode(Int.self, Int.self, String.self, Bool.self)
            history.versions.append(
                SeriesHistory.Version(
                    round: round, version: version,
                    questions: try FormDefinition.readQuestions(StoredJSON.parse(asked))))
            history.isCut = isCut
        }
        return history
    }
}

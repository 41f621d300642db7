import TestSupport
import Testing

/// Statements that Citus 13.2 refused, each with its rule. All but a few are earlier versions of the store's.
@Suite struct CitusRefusals {
    static let refused: [(CitusRules.Rule, String)] = [
        (
            .volatileFunction,
            "UPDATE share SET revoked_at = clock_timestamp() WHERE id = $1 AND meeting_id = $2 AND revoked_at IS NULL"
        ),
        (
            .volatileFunction,
            """
            UPDATE attendee AS a SET name = b.name FROM meeting m, member b
            WHERE m.id = a.meeting_id AND b.email = a.email AND (m.ends_at IS NULL OR m.ends_at > clock_timestamp())
            """
        ),
        (
            .localWrite,
            """
            UPDATE webhook_delivery AS d SET last_try_at = clock_timestamp() FROM webhook w
            WHERE w.id = d.webhook_id AND d.id = $1 RETURNING d.id, w.url
            """
        ),
        (
            .volatileFunction,
            "INSERT INTO submission (form_id, id) SELECT form_id, gen_random_uuid() FROM submission, generate_series(2, $1)"
        ),
        (
            .clockInCase,
            "UPDATE account SET role = $1, disabled_at = CASE WHEN $2 THEN coalesce(disabled_at, now()) END WHERE id = $3"
        ),
        (
            .clockInCase,
            """
            UPDATE form AS f SET publishes_at = CASE WHEN f.version = 0 THEN m.starts_at
                + make_interval(mins => (f.definition->'opens'->>'minutes')::int) END
            FROM meeting m WHERE m.id = f.meeting_id AND f.meeting_id = ANY ($1)
            """
        ),
        (.timeOfColumn, "UPDATE form_state SET closed_at = closed_at - $1 * interval '1 day' WHERE form_id = $2"),
        (
            .clockInUpsert,
            """
            INSERT INTO credential (account_id, password_hash) VALUES ($1, $2)
            ON CONFLICT (account_id) DO UPDATE SET password_hash = excluded.password_hash, changed_at = now()
            """
        ),
        (
            .clockInReturning,
            """
            UPDATE form_state SET closes_at = $1 WHERE form_id = $2
            RETURNING closes_at + make_interval(mins => grace_minutes)
            """
        ),
        (
            .joinWithoutKey,
            """
            SELECT f.id, fs.key_id, salt.salt FROM form f JOIN form_state fs ON fs.form_id = f.id
                LEFT JOIN form_salt salt ON salt.form_id = f.id WHERE f.code = $1 AND NOT fs.trashed
            """
        ),
        (
            .joinWithoutKey,
            """
            SELECT DISTINCT o.form_id FROM unnest($1, $2) AS o (form_id, id) JOIN form_state fs ON fs.form_id = o.form_id
            WHERE fs.anonymous AND NOT EXISTS (SELECT FROM submission s WHERE s.form_id = o.form_id AND s.id = o.id)
            """
        ),
        (
            .nestedSubquery,
            """
            SELECT m.id, fs.state, EXISTS (SELECT FROM account creator WHERE creator.id = sh.created_by
                AND (creator.id = s.owner_id OR EXISTS (SELECT FROM series_host h
                    WHERE h.series_id = s.id AND h.account_id = creator.id)))
            FROM meeting m JOIN series s ON s.id = m.series_id JOIN form f ON f.meeting_id = m.id
            JOIN form_state fs ON fs.form_id = f.id JOIN share sh ON sh.meeting_id = m.id WHERE sh.hash = $1
            """
        ),
        (
            .maximumOfArray,
            """
            SELECT q.key, max(ARRAY[r.round, q.last_version]) FROM unnest($1, $2) AS r (form_id, round)
            JOIN form_state fs ON fs.form_id = r.form_id JOIN question q ON q.form_id = r.form_id GROUP BY q.key
            """
        ),
        (
            .twoWrites,
            """
            WITH someone AS (INSERT INTO person (series_id, email, code) VALUES ($1, $2, $3) RETURNING 1)
            INSERT INTO attendee (id, meeting_id, name) SELECT $4, $5, $6 WHERE (SELECT count(*) FROM someone) >= 0
            """
        ),
        (.localWrite, "DELETE FROM registration WHERE email = (SELECT email FROM account WHERE id = $1)"),
        (.localWrite, "DELETE FROM webhook_state AS t WHERE NOT EXISTS (SELECT FROM webhook w WHERE w.id = t.id)"),
        (
            .emptySelect,
            "SELECT (SELECT count(*) FROM (SELECT FROM tally t WHERE t.form_id = ANY ($1) LIMIT $2) n), $3"
        ),
        (.lockOverSubquery, "SELECT FROM form_state WHERE form_id = (SELECT id FROM form WHERE code = $1) FOR UPDATE"),
    ]

    @Test(arguments: refused) func refusedStatementIsFound(_ rule: CitusRules.Rule, _ sql: String) {
        #expect(StatementCheck.rules.violations(of: sql).contains(rule), "\(sql)")
    }

    @Test func everyRuleHasAnExample() {
        #expect(Set(Self.refused.map(\.0)) == Set(CitusRules.Rule.allCases))
    }

    /// Citus 13.2 accepted these, although they resemble the refused ones.
    @Test(
        arguments: [
            "UPDATE share SET revoked_at = statement_timestamp() WHERE id = $1",
            "UPDATE token SET confirmed_at = clock_timestamp() WHERE id = $1",
            "INSERT INTO share (id, created_at) VALUES ($1, clock_timestamp())",
            "UPDATE form_state SET closed_at = (closed_at AT TIME ZONE 'UTC' - $1) AT TIME ZONE 'UTC' WHERE form_id = $2",
            "UPDATE tally AS t SET shown = t.count FROM form_state fs WHERE t.form_id = $1 AND fs.form_id = $2",
            """
            SELECT f.id FROM form f JOIN form_state fs ON fs.form_id = f.id
                LEFT JOIN form_salt salt ON salt.form_id = fs.form_id WHERE f.code = $1
            """,
            """
            SELECT s.id FROM submission s WHERE s.form_id = $1 AND s.version = ANY (ARRAY(
                SELECT v.version FROM form_version v JOIN tally g ON g.form_id = v.form_id WHERE v.form_id = $2))
            """,
            "SELECT id FROM submission WHERE step IS NOT NULL UNION ALL SELECT form_id FROM seen_state",
            "SELECT 1 FROM form_state WHERE form_id = $1 FOR UPDATE",
            "INSERT INTO timeline SELECT form_id, submitted_at, count(*) FROM submission WHERE form_id = $1 GROUP BY 1, 2",
        ])
    func acceptedStatementIsNotFound(_ sql: String) {
        #expect(StatementCheck.rules.violations(of: sql).isEmpty, "\(sql)")
    }
}

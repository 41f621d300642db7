"""The forms of a round as the database holds them, read in one snapshot and counted again."""

import collections

from chaos.database import quoted

COUNTED = """
    SELECT coalesce(json_object_agg(f.form_id, json_build_object(
        'state', f.state, 'submissions', f.submissions, 'closes', extract(epoch FROM f.closes_at),
        'closed', extract(epoch FROM f.closed_at), 'anonymous', f.anonymous,
        'salt', EXISTS (SELECT FROM form_salt s WHERE s.form_id = f.form_id),
        'rows', (SELECT coalesce(json_agg(json_build_array(
                     s.id, s.withdrawn, s.answers, extract(epoch FROM s.submitted_at), extract(epoch FROM s.updated_at),
                     s.key_mac IS NOT NULL) ORDER BY s.id), '[]') FROM submission s WHERE s.form_id = f.form_id),
        'tallies', (SELECT coalesce(json_agg(json_build_array(t.question, t.bucket, t.count)), '[]')
                    FROM (SELECT question, bucket, sum(count)::bigint AS count FROM tally t
                          WHERE t.form_id = f.form_id AND t.bucket <> '#changes' GROUP BY 1, 2) t),
        'timeline', (SELECT coalesce(sum(count), 0) FROM timeline t WHERE t.form_id = f.form_id))), '{{}}')
    FROM form_state f WHERE f.form_id IN ({ids})
"""
DIGESTS = """
    SELECT coalesce(json_object_agg(d.form_id, d.digest), '{{}}') FROM (
        SELECT s.form_id, md5(string_agg(concat(s.id, s.withdrawn, s.answers), ';' ORDER BY s.id)) AS digest
        FROM submission s WHERE s.form_id IN ({ids}) GROUP BY 1) d
"""


class Row:
    def __init__(self, values):
        self.id, self.is_withdrawn, self.answers, self.submitted, self.updated, self.has_key = values

    @property
    def mark(self):
        """The first word of the note, without the number of a correction."""
        return (self.answers or {}).get("note", "").partition(" ")[0].partition("-")[0]


class StoredForm:
    def __init__(self, values):
        self.state, self.submissions, self.timeline = values["state"], values["submissions"], values["timeline"]
        self.closes, self.closed, self.has_salt = values["closes"], values["closed"], values["salt"]
        self.rows = [Row(row) for row in values["rows"]]
        self.tallies = {(question, bucket): count for question, bucket, count in values["tallies"] if count}

    @property
    def present(self):
        return [row for row in self.rows if not row.is_withdrawn]

    def differences(self, kinds):
        """Where the maintained counts differ from a recount. `kinds` has the kind of each question by its key."""
        counted, found = recount([row.answers for row in self.present], kinds), []
        for key in sorted(counted.keys() | self.tallies.keys()):
            if counted.get(key, 0) != self.tallies.get(key, 0):
                found.append(f"tally {' '.join(key).strip()} has {self.tallies.get(key, 0)}, counted "
                             f"{counted.get(key, 0)}")
        for name, stored in (("form_state.submissions", self.submissions), ("the timeline", self.timeline)):
            if stored != len(self.present):
                found.append(f"{name} has {stored}, counted {len(self.present)}")
        return found


def recount(all_answers, kinds):
    """The counts by question and bucket, by the rules of docs/statistics.md and independent of the program."""
    counts = collections.Counter()
    for answers in all_answers:
        counts["", "#submissions"] += 1
        for key, kind in kinds.items():
            if key not in answers:
                counts[key, "#skipped"] += 1
                continue
            counts[key, "#answered"] += 1
            answer = answers[key]
            if kind == "rating":
                counts[key, str(answer)] += 1
            elif kind == "choice":
                for chosen in answer if isinstance(answer, list) else [answer]:
                    counts[key, chosen if isinstance(chosen, str) else "other"] += 1
    return {key: count for key, count in counts.items() if count}


async def read(database, ids):
    """The stored forms by id."""
    found = await database.json(COUNTED.format(ids=quoted(ids)))
    return {form: StoredForm(values) for form, values in found.items()}


async def digests(database, ids, name="afterword"):
    """A digest of the rows of each form that has any."""
    return await database.json(DIGESTS.format(ids=quoted(ids)), name)


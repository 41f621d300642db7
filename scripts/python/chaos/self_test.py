"""Breaks something on purpose after a round without a fault, and shows that the right check reports it."""

import asyncio
import os
import random
import signal
import socket
import time

from chaos import check, leaks, stored
from chaos.clients import Reader
from chaos.kinds.kind import Kind
from chaos.ledger import ABSENT
from chaos.round import Round
from chaos.run import Run

TABLES = ("submission", "tally", "timeline", "form_state")


class NoFault(Kind):
    name = "self-test"

    async def strike(self, round):
        round.strike()


# What is spoilt, by which statement, and a word of the fault that must be reported. {form} is the id of the named form,
# {id} that of one of its acknowledged submissions, {closed} that of the form that the host has closed, and {timed} that
# of the one that the clock has closed.
STATEMENTS = [
    ("an acknowledged row is deleted", "DELETE FROM submission WHERE form_id = '{form}' AND id = '{id}'", "lost"),
    ("a row is copied under another id",
     "INSERT INTO submission SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).* "
     "FROM submission s WHERE form_id = '{form}' AND id = '{id}'", "doubled"),
    ("the answers of a row are changed",
     "UPDATE submission SET answers = jsonb_set(answers, '{{pace}}', to_jsonb(1 + (answers->>'pace')::int % 5)) "
     "WHERE form_id = '{form}' AND id = '{id}'", "is stored as"),
    ("a row that nobody sent is added",
     "INSERT INTO submission (form_id, id, version, answers, submitted_on, submitted_at) VALUES ('{form}', "
     "gen_random_uuid(), 1, '{{\"pace\": 3, \"note\": \"m0123456789abcdef\"}}', now(), now())", "nobody sent"),
    ("a row is withdrawn by nobody",
     "UPDATE submission SET withdrawn = true, answers = NULL, key_mac = NULL, body_mac = NULL "
     "WHERE form_id = '{form}' AND id = '{id}'", "is stored as withdrawn"),
    ("a tally is one too high",
     "UPDATE tally SET count = count + 1 WHERE form_id = '{form}' AND question = 'pace' AND bucket = '#answered'",
     "tally pace #answered"),
    ("a tally is missing", "DELETE FROM tally WHERE form_id = '{form}' AND question = 'topics'", "tally topics"),
    ("the timeline is one too high", "UPDATE timeline SET count = count + 1 WHERE form_id = '{form}'", "timeline"),
    ("the number of submissions is one too low",
     "UPDATE form_state SET submissions = submissions - 1 WHERE form_id = '{form}'", "form_state.submissions"),
    ("a closed form is open again",
     "UPDATE form_state SET state = 'open', closed_at = NULL WHERE form_id = '{closed}'", "not closed"),
    ("a form that closes by the clock stays open",
     "UPDATE form_state SET closes_at = NULL WHERE form_id = '{timed}'", "is open to its host"),
    ("a row is later than the close of its form",
     "UPDATE submission SET submitted_at = submitted_at + interval '1 minute' WHERE form_id = '{timed}' "
     "AND submitted_at IS NOT NULL", "has a row of"),
]


class SelfTest:
    def __init__(self, round):
        self.round, self.missed = round, 0
        named = [one for one in round.load.ledger.submissions
                 if one.form.name == "named" and one.is_acknowledged and len(one.possible) == 1
                 and not one.is_withdrawn]
        self.submission = named[0]

    def report(self, what, word):
        faults = [str(fault) for fault in self.round.result.faults]
        found = next((fault for fault in faults if word in fault), None)
        self.missed += found is None
        print(f"{'reported' if found else 'MISSED  '}  {what}: {(found or str(faults))[:150]}", flush=True)
        self.round.result.faults.clear()

    async def statements(self):
        round = self.round
        ids = stored.quoted(form.id for form in round.forms)
        for table in TABLES:
            await round.database.sql(f"CREATE TABLE kept_{table} AS SELECT * FROM {table} WHERE form_id IN ({ids})")
        names = {name: round.form(name).id for name in ("closed", "timed")}
        for what, statement, word in STATEMENTS:
            await round.database.sql(statement.format(form=round.form("named").id, id=self.submission.id, **names))
            await check.check_stored(round)
            await check.check_states(round)
            self.report(what, word)
            for table in TABLES:
                await round.database.sql(f"DELETE FROM {table} WHERE form_id IN ({ids});"
                                         f"INSERT INTO {table} SELECT * FROM kept_{table}")
        await check.check_stored(round)
        await check.check_states(round)
        self.nothing("everything is restored")

    def nothing(self, what):
        faults = [str(fault) for fault in self.round.result.faults]
        self.missed += bool(faults)
        print(f"{'MISSED  ' if faults else 'reported'}  {what}: {faults[:3] or 'no fault'}", flush=True)
        self.round.result.faults.clear()

    async def ledger(self):
        """A refusal of what is stored, and a replay of what is not."""
        round, one = self.round, self.submission
        kept, one.possible, one.refusal = one.possible, {ABSENT}, "form-closed"
        await check.check_stored(round)
        self.report("a refused submission is stored", "was refused with form-closed and is stored")
        one.possible, one.refusal = kept, None
        forms = await check.check_stored(round)
        key, one.key = one.key, "a-key-that-was-never-sent"
        one.tries = 2
        await check.check_replays(round, forms)
        self.report("an acknowledged key is unknown", "answered as a new submission")
        one.key = key

    async def exports(self):
        """A row that an export lacks, and a cap that is exceeded."""
        round, one = self.round, self.submission
        reader = Reader(round.load, round.rng, round.host.token)
        await reader.export()
        self.nothing("an export is complete")
        await round.database.sql(f"DELETE FROM submission WHERE form_id = '{one.form.id}' AND id = '{one.id}'")
        await reader.export()
        self.report("an export lacks a row", "an export lacks")
        await round.database.sql("INSERT INTO submission SELECT * FROM kept_submission "
                                 f"WHERE form_id = '{one.form.id}' AND id = '{one.id}'")
        reader.connection.close()
        form = round.form("capped")
        cap, form.cap = form.cap, 1
        await check.check_stored(round)
        self.report("a form has more submissions than its cap", "with a cap of 1")
        form.cap = cap

    async def leak(self):
        """Connections that stay open, and memory that is compared with a smaller process."""
        pid = self.round.service.pid
        now = leaks.measure(pid)
        held = []
        for _ in range(leaks.MORE_FILES + 20):
            one = socket.create_connection(("127.0.0.1", self.round.service.port))
            one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            one.recv(4096)
            held.append(one)
        patience, leaks.PATIENCE = leaks.PATIENCE, 0.5
        await leaks.check(self.round, {pid: now})
        self.report("connections stay open", "descriptors")
        for one in held:
            one.close()
        await leaks.check(self.round, {pid: leaks.Footprint(now.files, now.memory - leaks.MORE_MEMORY - 1)})
        self.report("memory has grown", "MiB of memory")
        leaks.PATIENCE = patience

    async def whole_folder(self):
        """`afterword verify`, and a change to rows of an earlier round."""
        round, form = self.round, self.round.form("anonymous").id
        await round.database.sql(f"UPDATE tally SET count = count + 1 WHERE form_id = '{form}' AND question = 'note'")
        round.place.digests[form] = "another"
        faults, _ = await check.check_everything(round.place)
        round.result.faults += faults
        self.report("a tally of an earlier round is wrong", "afterword verify")
        round.result.faults += faults
        self.report("rows of an earlier round have changed", "have changed since its round")

    async def end(self):
        """The service ends without a fault that explains it."""
        pid = self.round.service.pid
        os.kill(pid, signal.SIGKILL)
        while self.round.service.pid in (pid, None):
            await asyncio.sleep(0.02)
        check.check_ends(self.round)
        self.report("the service ends by itself", "ended by itself")


async def execute(options):
    """Returns 0 if each check has reported what it is for."""
    options.seconds, began = min(options.seconds, 1.0), time.monotonic()
    print(f"Seed {options.seed}, program {options.binary}", flush=True)
    run = Run(options)
    try:
        place = await run.places.get("main")
        round = Round(run, NoFault(), 1, place, random.Random(options.seed).random())
        result = await round.execute()
        test = SelfTest(round)
        test.nothing(f"a round without a fault, {result.acknowledged} submissions")
        for part in (test.statements, test.exports, test.ledger, test.leak, test.whole_folder, test.end):
            await part()
    finally:
        await run.places.close()
    print(f"{test.missed} missed, {time.monotonic() - began:.0f} s")
    return 1 if test.missed else 0

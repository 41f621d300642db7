"""Kills of commands that write beside the running service: `import` and `verify --repair`."""

import asyncio
import csv
import json
import os
import signal
import time

from chaos import answers, processes, stored
from chaos.kinds.kind import Kind, another_postmaster, ready_again, renew_service, running_postmaster

IMPORTED_ROWS, WEEKS = 1_500, 6
IMPORTED_KINDS = {"pace": "rating", "topic": "choice", "note": "text"}
MAP = {
    "series": {"by": "team", "title": "Imported {team}"},
    "meeting": {"by": "week", "order": "ascending", "title": "Week {week}"},
    "questions": [
        {"column": "pace", "key": "pace", "kind": "rating", "title": "How was the pace?"},
        {"column": "topic", "key": "topic", "kind": "choice", "title": "What helped?"},
        {"column": "note", "key": "note", "kind": "text", "title": "What should we change?"},
    ],
}


class KillCommand(Kind):
    """Kills a command at a random moment while clients submit. The round counts only if it was still running."""

    # About how long the command takes. Replaced by what is measured.
    typical = 0.5

    def arguments(self, round):
        raise NotImplementedError

    async def strike(self, round):
        began = time.monotonic()
        process = await round.service.command(*self.arguments(round))
        # Reads the output, so that the command never waits for a reader.
        ending = asyncio.create_task(process.communicate())
        await asyncio.wait([ending], timeout=round.rng.uniform(0.01, self.typical))
        if ending.done() or not processes.is_running(process.pid):
            self.typical = time.monotonic() - began
        else:
            await self.kill(round, process)
        await ending
        if process.returncode not in (0, -signal.SIGKILL):
            self.check_failure(round, process.returncode, ending.result()[1].decode())

    async def kill(self, round, process):
        round.strike(others=1)
        process.kill()

    def check_failure(self, round, status, errors):
        round.fault("unexpected", f"{self.name}: the command ended with {status}: {errors.strip()[-300:]}")

    async def again(self, round, statuses=(0,)):
        """Runs the command to its end. Returns its output."""
        began = time.monotonic()
        status, output, errors = await round.service.run(*self.arguments(round))
        self.typical = 0.5 * self.typical + 0.5 * (time.monotonic() - began)
        if status not in statuses:
            round.fault("stuck", f"{self.name}: the repeated command ended with {status}: {errors.strip()[-300:]}")
            return None
        return output


class KillImport(KillCommand):
    name = "kill-import"
    about = "kill -9 `afterword import`, or PostgreSQL meanwhile; then import the same file again, twice."

    async def prepare(self, round):
        await renew_service(round)
        self.team, self.killed = f"{round.number}-{answers.mark()}", None
        self.victim = round.rng.choice(["import", "import", "PostgreSQL"])
        round.result.note = self.victim
        self.marks = [answers.mark() for _ in range(IMPORTED_ROWS)]
        self.file, self.map = f"{round.place.folder}/import.csv", f"{round.place.folder}/import.map.json"
        with open(self.file, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["team", "week", "pace", "topic", "note"])
            for mark in self.marks:
                week, pace = round.rng.randint(1, WEEKS), round.rng.randint(1, 5)
                writer.writerow([self.team, week, pace, round.rng.choice(["demo", "talk"]), mark])
        with open(self.map, "w") as file:
            json.dump(MAP, file)

    def arguments(self, round):
        return ["import", self.file, "--map", self.map, "--host-email", "admin@localhost", "--json"]

    async def kill(self, round, process):
        if self.victim == "import":
            return await super().kill(round, process)
        self.killed = await running_postmaster(round)
        round.strike(others=1)
        round.service.database_ends += 1
        os.kill(self.killed, signal.SIGKILL)

    def check_failure(self, round, status, errors):
        if self.killed is None:
            super().check_failure(round, status, errors)

    async def recover(self, round):
        if self.killed:
            await another_postmaster(round, self.killed)
            await ready_again(round)
        for first in (True, False):
            output = await self.again(round)
            if output is None:
                return
            report = json.loads(output)
            if report["created"] + report["alreadyThere"] != IMPORTED_ROWS or report["refused"]:
                round.fault("lost", f"an import of {IMPORTED_ROWS} rows reports {report}")
            if report["created"] and not first:
                round.fault("doubled", f"a repeated import created {report['created']} rows")

    async def check(self, round, forms):
        ids = (await round.database.sql(
            "SELECT f.id FROM form f JOIN meeting m ON m.id = f.meeting_id JOIN series s ON s.id = m.series_id "
            f"WHERE s.title = 'Imported {self.team}'")).split()
        found = await stored.read(round.database, ids)
        marks = sorted(row.mark for form in found.values() for row in form.rows)
        if missing := set(self.marks) - set(marks):
            round.fault("lost", f"{len(missing)} imported rows are not stored, such as {sorted(missing)[0]}")
        if len(marks) > len(set(marks)):
            round.fault("doubled", f"{len(marks) - len(set(marks))} imported rows are stored more than once")
        for id, form in found.items():
            for difference in form.differences(IMPORTED_KINDS):
                round.fault("different", f"imported form {id}: {difference}")
        round.place.digests.update(await stored.digests(round.database, ids))


SPOIL = """
    BEGIN;
    SELECT FROM form_state WHERE form_id IN ({ids}) ORDER BY form_id FOR UPDATE;
    UPDATE tally SET count = count + 3 WHERE form_id IN ({ids}) AND question = 'pace';
    UPDATE timeline SET count = count + 2 WHERE form_id IN ({ids});
    UPDATE form_state SET submissions = submissions + 2 WHERE form_id IN ({ids}) AND cap IS NULL;
    COMMIT;
"""


class KillRepair(KillCommand):
    name = "kill-repair"
    about = "add to counts in the database, kill -9 `verify --repair` under load, and repair again."

    def arguments(self, round):
        return ["verify", "--repair", "--json"]

    async def strike(self, round):
        round.load.counts_are_spoilt = True
        spoilt = [form.id for form in round.forms if form.name in ("named", "timed", "closed")]
        await round.database.sql(SPOIL.format(ids=stored.quoted(spoilt)))
        await super().strike(round)

    def check_failure(self, round, status, errors):
        if status != 3:
            super().check_failure(round, status, errors)

    async def recover(self, round):
        await ready_again(round)
        await self.again(round, statuses=(0, 3))

    async def check(self, round, forms):
        report = await round.service.verify()
        if report["differenceCount"]:
            round.fault("different", f"after `verify --repair`: {report['differences'][:5]}")

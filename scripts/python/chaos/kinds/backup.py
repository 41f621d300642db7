"""Kills of `afterword backup` and `afterword restore`."""

import asyncio
import hashlib
import json
import os
import re
import shutil
import time

from chaos import processes, stored
from chaos.kinds.commands import KillCommand
from chaos.kinds.kind import missing_command, ready_again

# The name of a complete backup.
COMPLETE = re.compile(r"afterword-[0-9TZ]+(-[0-9]+)?")
TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"


def is_complete(folder):
    """Whether the dump in a backup's folder is the one that the manifest describes."""
    try:
        with open(f"{folder}/manifest.json") as file:
            manifest = json.load(file)
        [dump] = [name for name in os.listdir(folder) if name != "manifest.json"]
        with open(f"{folder}/{dump}", "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == manifest["sha256"]
    except (OSError, ValueError, KeyError):
        return False


class KillBackup(KillCommand):
    name = "kill-backup"
    about = "kill -9 `afterword backup` under load, and the `restore` of the next one; compare the restored rows."

    async def why_not(self, run):
        return await missing_command(run.program, "backup", "restore")

    async def prepare(self, round):
        self.folder = f"{round.place.folder}/backups"
        os.makedirs(self.folder, exist_ok=True)
        self.restored = f"chaos_restored_{round.number}"

    def arguments(self, round):
        return ["backup", "--to", self.folder, "--json"]

    async def kill(self, round, process):
        await super().kill(round, process)
        await process.wait()
        # The kill may also come between the renaming, which completes the backup, and the end of the command.
        for name in os.listdir(self.folder):
            if COMPLETE.fullmatch(name) and not is_complete(f"{self.folder}/{name}"):
                round.fault("different", f"a killed backup left {name}, which has the name of a complete one")

    async def recover(self, round):
        await ready_again(round)

    async def settle(self, round):
        """The clients have ended, so this backup has everything that they know."""
        if (output := await self.again(round)) is None:
            return
        self.backup = json.loads(output)["path"]
        await round.database.sql(f"CREATE DATABASE {self.restored}")
        process = await self.restore(round)
        await asyncio.wait([asyncio.create_task(process.communicate())],
                           timeout=round.rng.uniform(0.01, 2 * self.typical))
        if processes.is_running(process.pid):
            process.kill()
            await process.wait()
            round.result.note = "restore killed"
        await self.until_no_other_session(round)
        # Before the commit the database is empty, and afterwards complete.
        if await round.database.sql(TABLES, self.restored) == "0":
            process = await self.restore(round)
            _, errors = await process.communicate()
            if process.returncode != 0:
                round.fault("stuck", f"restore ended with {process.returncode}: {errors.decode().strip()[-300:]}")

    async def restore(self, round):
        return await asyncio.create_subprocess_exec(
            round.run.program, "restore", self.backup, "--database-url", round.database.url(self.restored),
            "--secret-file", f"{round.service.data}/secret", stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE)

    async def until_no_other_session(self, round):
        """A killed restore leaves its session to end, and with it the transaction."""
        deadline = time.monotonic() + 30
        sessions = ("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'")
        while await round.database.sql(sessions, self.restored) != "0":
            if time.monotonic() > deadline:
                return round.fault("stuck", "the sessions of a killed restore did not end within 30 s")
            await asyncio.sleep(0.05)

    async def check(self, round, forms):
        ids = [form.id for form in round.forms]
        here = await stored.digests(round.database, ids)
        there = await stored.digests(round.database, ids, self.restored)
        for form in round.forms:
            if here.get(form.id) != there.get(form.id):
                round.fault("lost", f"the rows of form {form.name} are not in the restored backup as they were")
        await round.database.sql(f"DROP DATABASE {self.restored} WITH (FORCE)")
        shutil.rmtree(self.folder)

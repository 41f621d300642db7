"""A full disk below the private cluster, during submissions, exports and finalising."""

import asyncio
import errno
import os
import time

from chaos.kinds.finish import check_final, until_final
from chaos.kinds.kind import Kind, ready_again
from chaos.place import why_no_mount
from chaos.service import NotReady

BLOCK = bytes(1 << 20)
# What the ballast leaves free: nothing, a little, or less than a segment of the write-ahead log.
LEFT_FREE = (0, 0, 64 << 10, 1 << 20, 10 << 20)
SHORTEST, LONGEST = 0.3, 3


class FillDisk(Kind):
    name = "fill-disk"
    about = "fill the small memory file system of the data folder for 0.3 to 3 s; often finish a form meanwhile."
    place = "disk"
    ballast = None

    async def why_not(self, run):
        return why_no_mount()

    async def prepare(self, round):
        # Recycles segments of the log, so that the disk is not full of them.
        await round.database.sql("CHECKPOINT")
        self.finishing = None

    async def strike(self, round):
        self.folder = f"{round.place.folder}/disk"
        self.is_finished, with_switch = round.rng.random() < 0.5, round.rng.random() < 0.5
        left = round.rng.choice(LEFT_FREE)
        round.result.note = ", ".join(
            [f"{left >> 10} KiB left"] + ["with finish"] * self.is_finished + ["with a new log segment"] * with_switch)
        round.strike()
        self.ballast = f"{self.folder}/ballast"
        fill(self.folder, self.ballast, left)
        if self.is_finished:
            form = round.form("anonymous")
            self.finishing = asyncio.create_task(round.host.finish(form, round.load.flight))
        if with_switch:
            # The next write needs another segment. If PostgreSQL cannot create it, it exits.
            await round.database.try_sql("SELECT pg_switch_wal()")
        end = time.monotonic() + round.rng.uniform(SHORTEST, LONGEST)
        while time.monotonic() < end:
            await asyncio.sleep(0.02)
            fill(self.folder, self.ballast, left)

    async def recover(self, round):
        await self.release(round)
        freed = time.monotonic()
        await ready_again(round, since=freed)
        # The first good /readyz may come from a PostgreSQL that is about to end; submissions show that it works.
        before = round.load.ledger.acknowledged
        while round.load.ledger.acknowledged < before + round.run.options.clients:
            if time.monotonic() > freed + 60:
                raise NotReady("nothing was stored for a minute after the disk had space again")
            await asyncio.sleep(0.02)

    async def release(self, round):
        if self.ballast and os.path.exists(self.ballast):
            os.remove(self.ballast)

    async def settle(self, round):
        if self.finishing:
            await self.finishing
            await until_final(round, round.form("anonymous"))

    async def check(self, round, forms):
        check_final(round, round.form("anonymous"), forms)


def fill(folder, path, left):
    """Writes a file until only `left` bytes are free."""
    with open(path, "ab", buffering=0) as file:
        while True:
            status = os.statvfs(folder)
            free = status.f_bavail * status.f_frsize - left
            if free <= 0:
                return
            try:
                file.write(BLOCK[:min(free, len(BLOCK))])
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                return

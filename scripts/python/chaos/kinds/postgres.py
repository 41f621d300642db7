"""PostgreSQL restarts, loses its connections, or stops responding."""

import asyncio
import os
import signal
import time

from chaos.kinds.kind import Kind, another_postmaster, pause_tree, ready_again, renew_service, running_postmaster

CUT = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
MOST_CUTS = 4
# In seconds. Beyond five, waiting for a connection of the pool ends with 503.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 3
# A few pauses are longer than the service waits for anything.
SHARE_OF_LONG_PAUSES, LONG_PAUSE = 0.1, 7


class RestartPostgres(Kind):
    name = "restart-postgres"
    about = "a fast shutdown of the postmaster (SIGINT), after which the service starts it again."

    async def prepare(self, round):
        await renew_service(round)

    async def strike(self, round):
        self.stopped = await running_postmaster(round)
        round.strike()
        round.service.database_ends += 1
        os.kill(self.stopped, signal.SIGINT)

    async def recover(self, round):
        await another_postmaster(round, self.stopped)
        await ready_again(round)


class CutConnections(Kind):
    name = "cut-connections"
    about = "end all connections of the service by pg_terminate_backend, one to four times."

    async def strike(self, round):
        round.strike()
        for _ in range(round.rng.randint(1, MOST_CUTS)):
            await asyncio.sleep(round.rng.uniform(0, 0.1))
            await round.database.sql(CUT)
        self.last_cut = time.monotonic()

    async def recover(self, round):
        await ready_again(round, since=self.last_cut)


class PausePostgres(Kind):
    name = "pause-postgres"
    about = "SIGSTOP all processes of PostgreSQL for 0.1 to 3 s, in a tenth of the rounds for 7 s, then continue them."
    paused = None

    async def strike(self, round):
        self.paused = await running_postmaster(round)
        is_long = round.rng.random() < SHARE_OF_LONG_PAUSES and not round.run.options.short
        seconds = LONG_PAUSE if is_long else round.rng.uniform(SHORTEST_PAUSE, LONGEST_PAUSE)
        round.result.note = f"{seconds:.1f} s"
        round.strike()
        pause_tree(self.paused, signal.SIGSTOP)
        await asyncio.sleep(seconds)

    async def recover(self, round):
        await self.release(round)
        await ready_again(round, since=time.monotonic())

    async def release(self, round):
        if self.paused:
            pause_tree(self.paused, signal.SIGCONT)
        self.paused = None

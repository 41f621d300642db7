"""Kills of the service, of its PostgreSQL, and of both."""

import asyncio
import os
import signal
import subprocess
import time

from chaos.kinds.kind import Kind, another_postmaster, ready_again, renew_service, running_postmaster

# The share of rounds in which the next start is killed too.
SHARE_OF_SECOND_KILLS = 0.25
LONGEST_START = 0.6


class KillService(Kind):
    name = "kill-service"
    about = "kill -9 the service; in a quarter of the rounds also its next start. Its PostgreSQL keeps running."

    async def strike(self, round):
        round.strike()
        round.service.kill()
        if round.rng.random() < SHARE_OF_SECOND_KILLS:
            await asyncio.sleep(round.rng.uniform(0.02, LONGEST_START))
            if round.service.kill():
                round.struck_at = time.monotonic()

    async def recover(self, round):
        await ready_again(round)


class KillPostgres(Kind):
    name = "kill-postgres"
    about = "kill -9 the postmaster, which the service starts again; in a quarter of the rounds also while it starts."
    # The second kill may come just after the start, and the service gives up then.
    exits = frozenset({1})

    async def prepare(self, round):
        await renew_service(round)

    async def strike(self, round):
        self.killed = await running_postmaster(round)
        round.strike()
        round.service.database_ends += 1
        os.kill(self.killed, signal.SIGKILL)
        if round.rng.random() < SHARE_OF_SECOND_KILLS:
            await another_postmaster(round, self.killed)
            await asyncio.sleep(round.rng.uniform(0, LONGEST_START))
            if (second := round.database.postmaster) is not None:
                self.killed, round.struck_at = second, time.monotonic()
                os.kill(second, signal.SIGKILL)
                round.result.note = "and while it starts"

    async def recover(self, round):
        await another_postmaster(round, self.killed)
        await ready_again(round)


class KillBoth(Kind):
    name = "kill-both"
    about = "kill -9 the service and its postmaster in the same instant, in either order."

    async def strike(self, round):
        self.killed = await running_postmaster(round)
        service_first = round.rng.random() < 0.5
        round.strike()
        if service_first:
            round.service.kill()
        os.kill(self.killed, signal.SIGKILL)
        if not service_first:
            round.service.kill()

    async def recover(self, round):
        await another_postmaster(round, self.killed)
        await ready_again(round)


class KillPostgresTwice(Kind):
    name = "kill-postgres-twice"
    about = "kill -9 the postmaster twice. The service gives up with status 1, as documented, and is started again."
    exits = frozenset({1})

    async def prepare(self, round):
        await renew_service(round)

    async def strike(self, round):
        first = await running_postmaster(round)
        os.kill(first, signal.SIGKILL)
        await another_postmaster(round, first)
        # A kill while it starts would only be a start that failed, which is repeated.
        await round.service.ready()
        await asyncio.sleep(round.rng.uniform(0, LONGEST_START))
        self.killed = await running_postmaster(round)
        self.pid = round.service.pid
        round.strike()
        os.kill(self.killed, signal.SIGKILL)

    async def recover(self, round):
        await another_postmaster(round, self.killed)
        await ready_again(round)

    async def check(self, round, forms):
        if round.service.pid == self.pid:
            round.fault("different", "the service continued after PostgreSQL had ended twice within five minutes")


class ReusedPid(Kind):
    name = "reused-pid"
    about = "kill -9 both, and start when another process of the same user has the postmaster's pid, as after a reboot."
    other = None

    async def strike(self, round):
        killed = await running_postmaster(round)
        user = os.stat(f"/proc/{killed}")
        files = [f"{round.service.data}/postgres/postmaster.pid",
                 f"{round.database.socket_folder}/.s.PGSQL.5432.lock"]
        is_root = os.geteuid() == 0
        self.other = subprocess.Popen(
            ["sleep", "600"], user=user.st_uid if is_root else None, group=user.st_gid if is_root else None)
        round.strike()
        ending = round.service.end_without_restart()
        os.kill(killed, signal.SIGKILL)
        await ending
        for path in files:
            with open(path, "r+") as file:
                rest = file.read().partition("\n")[2]
                file.seek(0)
                file.write(f"{self.other.pid}\n{rest}")
                file.truncate()

    async def recover(self, round):
        await round.service.start()
        await ready_again(round)

    async def release(self, round):
        if self.other:
            self.other.kill()
            self.other.wait()
        self.other = None

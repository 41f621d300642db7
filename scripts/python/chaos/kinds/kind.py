"""What every kind of fault has."""

import asyncio
import time

from chaos import processes
from chaos.service import NotReady

RECOVERY_TIMEOUT = 60


class Kind:
    # For `--only`.
    name = ""
    # A sentence for `--list`.
    about = ""
    # The place on whose service the fault strikes.
    place = "main"
    # The statuses with which the service may end by itself.
    exits = frozenset()

    async def why_not(self, run):
        """Why this kind cannot be run here, as a sentence, or None."""
        return None

    async def prepare(self, round):
        """Before the forms of the round are created."""

    async def prepare_load(self, round):
        """After that, and before the clients start."""

    async def strike(self, round):
        """Calls `round.strike()` and injects the fault, at once."""
        raise NotImplementedError

    async def recover(self, round):
        """Waits until the service is ready again, and enters how long it took."""

    async def release(self, round):
        """Ends what the fault holds back. Also called after a failure."""

    async def settle(self, round):
        """After the clients have their last responses, and before the checks."""

    async def check(self, round, forms):
        """Checks of this kind, after those of every round. `forms` are the stored ones by id."""


async def missing_command(program, *words):
    """A sentence about the first command that the program does not have, or None."""
    process = await asyncio.create_subprocess_exec(program, "--help", stdout=asyncio.subprocess.PIPE)
    lines = (await process.communicate())[0].decode().splitlines()
    listed = {line.split()[0] for line in lines if line.startswith("  ") and line.strip()}
    missing = [word for word in words if word not in listed]
    return f"`afterword --help` lists no command `{missing[0]}`" if missing else None


async def ready_again(round, since=None):
    """Waits for the first good /readyz, and enters the time from the fault, or from `since`, to it."""
    at, since = await round.service.ready(RECOVERY_TIMEOUT), since or round.struck_at
    # Without a fault, because a command had ended before its kill, there is nothing to recover from.
    round.result.recovery = at - since if since else None


async def another_postmaster(round, old):
    """Waits until another postmaster runs. Before that, /readyz may be answered by one that is about to end."""
    deadline = time.monotonic() + RECOVERY_TIMEOUT
    while round.database.postmaster in (None, old):
        if time.monotonic() > deadline:
            raise NotReady(f"PostgreSQL was not started again within {RECOVERY_TIMEOUT} s")
        await asyncio.sleep(0.005)


async def running_postmaster(round):
    """The pid of the postmaster, which runs before every round."""
    deadline = time.monotonic() + RECOVERY_TIMEOUT
    while (pid := round.database.postmaster) is None:
        if time.monotonic() > deadline:
            raise NotReady("no postmaster is running")
        await asyncio.sleep(0.005)
    return pid


async def renew_service(round):
    """Restarts a service that has lost its PostgreSQL before, because it ends at the second loss in five minutes."""
    if round.service.database_ends:
        await round.service.restart()


def pause_tree(pid, number):
    """Sends a signal to a process and its descendants, the process first so that it starts no others."""
    processes.send_signal([pid], number)
    processes.send_signal(processes.tree(pid)[1:], number)

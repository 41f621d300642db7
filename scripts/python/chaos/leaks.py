"""Descriptors, memory and database connections after a round, compared with the same process before."""

import asyncio
import dataclasses
import time

from chaos import processes
from chaos.database import DatabaseError

# After its first round a process may keep this much more. Pools open their connections when they need them, and the
# allocator keeps some of the memory that was freed.
MORE_FILES = 40
MORE_MEMORY = 96
# Of an instance: 8 of the pool, 2 of the intake, 3 for exports, and a few of its own.
DATABASE_CONNECTIONS = 20
PATIENCE = 8


@dataclasses.dataclass
class Footprint:
    files: int
    memory: float


def measure(pid):
    return Footprint(processes.open_files(pid), processes.anonymous_memory(pid))


async def check(round, first):
    """Waits until the process has let go what the round needed. `first` has the footprints by pid."""
    deadline = time.monotonic() + PATIENCE
    while True:
        pid = round.service.pid
        reason = await excess(round, first, pid)
        if reason is None:
            return
        if time.monotonic() > deadline:
            return round.fault("leak", reason)
        await asyncio.sleep(0.2)


async def excess(round, first, pid):
    """A sentence about what is too much, or None."""
    try:
        now = measure(pid)
        connections = int(await round.database.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"))
    except (OSError, TypeError, DatabaseError) as error:
        return f"the service could not be measured: {error}"
    if connections > DATABASE_CONNECTIONS * round.place.instance_count:
        return f"the database has {connections} connections"
    before = first.setdefault(pid, now)
    round.result.more_files, round.result.more_memory = now.files - before.files, now.memory - before.memory
    if now.files > before.files + MORE_FILES:
        return f"process {pid} has {now.files} descriptors, and had {before.files} after its first round"
    if now.memory > before.memory + MORE_MEMORY:
        return f"process {pid} has {now.memory:.0f} MiB of memory, and had {before.memory:.0f} after its first round"
    return None

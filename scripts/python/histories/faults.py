"""What happens to the instances and their database during a round."""

import asyncio
import signal

from chaos import processes

SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 1.0


async def nothing(pair, rng):
    """Nothing: only the clients compete."""


async def kill_first(pair, rng):
    """`kill -9` of the first instance. Its next start stops PostgreSQL and starts it again, for both."""
    pair.first.kill()


async def kill_second(pair, rng):
    """`kill -9` of the second instance. PostgreSQL and the first go on."""
    pair.second.kill()


async def cut_connections(pair, rng):
    """All connections to the database are cut, one to three times."""
    for _ in range(rng.randint(1, 3)):
        await pair.database.try_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
        await asyncio.sleep(rng.uniform(0, 0.2))


async def pause_first(pair, rng):
    """SIGSTOP of the first instance for 0.1 to 1 s."""
    await pause([pair.first.pid], rng)


async def pause_second(pair, rng):
    """SIGSTOP of the second instance for 0.1 to 1 s."""
    await pause([pair.second.pid], rng)


async def pause_postgres(pair, rng):
    """SIGSTOP of all processes of PostgreSQL for 0.1 to 1 s."""
    await pause(processes.tree(pair.database.postmaster), rng)


async def pause(pids, rng):
    processes.send_signal(pids, signal.SIGSTOP)
    try:
        await asyncio.sleep(rng.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))
    finally:
        processes.send_signal(pids, signal.SIGCONT)


FAULTS = {"none": nothing, "kill-first": kill_first, "kill-second": kill_second, "cut-connections": cut_connections,
          "pause-first": pause_first, "pause-second": pause_second, "pause-postgres": pause_postgres}
# Without the restart of PostgreSQL, which takes seconds.
SHORT = ("none", "kill-second", "cut-connections", "pause-first", "pause-postgres")

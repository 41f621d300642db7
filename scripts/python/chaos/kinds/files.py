"""Idle connections until the service accepts no more."""

import asyncio
import contextlib
import socket

from chaos.kinds.kind import Kind, ready_again
from chaos.place import FILE_LIMIT

# More than the service may open files.
IDLE = FILE_LIMIT + 100


class ExhaustFiles(Kind):
    name = "exhaust-files"
    about = f"idle connections beyond the limit of open files, which is {FILE_LIMIT} for this service."
    place = "files"
    idle = ()

    async def strike(self, round):
        self.idle = []
        round.strike()
        for _ in range(IDLE):
            one = socket.socket()
            one.setblocking(False)
            # One client address may not have all connections.
            one.bind((f"127.0.0.{round.rng.randint(2, 20)}", 0))
            with contextlib.suppress(OSError):
                one.connect(("127.0.0.1", round.service.port))
            self.idle.append(one)
        before = round.load.ledger.acknowledged
        await asyncio.sleep(round.rng.uniform(0.3, 1))
        # Clients that were connected before are still served.
        if round.load.ledger.acknowledged == before:
            round.fault("stuck", "no connected client was served while all connections were taken")
        if round.service.pid is None:
            round.fault("ended", "the service ended while all connections were taken")

    async def recover(self, round):
        await self.release(round)
        await ready_again(round)

    async def release(self, round):
        for one in self.idle:
            one.close()
        self.idle = ()

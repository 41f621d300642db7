"""Instances behind HAProxy that are killed, replaced or frozen one after another."""

import asyncio
import os
import signal
import time

from chaos import instances, processes
from chaos.kinds.kind import RECOVERY_TIMEOUT, Kind
from chaos.service import NotReady


async def another_process(service, pid):
    """Waits until the keeper of an instance has started it again."""
    deadline = time.monotonic() + RECOVERY_TIMEOUT
    while service.pid in (None, pid):
        if time.monotonic() > deadline:
            raise NotReady(f"an instance did not end within {RECOVERY_TIMEOUT} s")
        await asyncio.sleep(0.005)


class OfInstances(Kind):
    place = "instances"

    async def why_not(self, run):
        return None if instances.program() else "HAProxy is not installed"

    async def strike(self, round):
        order = list(round.place.instances.services)
        round.rng.shuffle(order)
        for number, service in enumerate(order[:round.rng.randint(1, len(order))]):
            if number:
                # HAProxy must know that the one before is back, as in a rolling upgrade.
                await asyncio.sleep(0.5)
            round.strike()
            await self.hit(round, service)
            await service.ready(RECOVERY_TIMEOUT)

    async def hit(self, round, service):
        raise NotImplementedError

    async def recover(self, round):
        at = await round.place.instances.ready(RECOVERY_TIMEOUT)
        round.result.recovery = at - round.struck_at

    async def check(self, round, forms):
        for status in round.place.instances.ends():
            round.fault("ended", f"an instance ended by itself with status {status}")


class EndInstances(OfInstances):
    async def hit(self, round, service):
        pid = service.pid
        self.end(service)
        await another_process(service, pid)

    def end(self, service):
        raise NotImplementedError


class KillInstances(EndInstances):
    name = "kill-instances"
    about = "kill -9 one to three of three instances behind HAProxy, one after another. Each is started again."

    def end(self, service):
        service.kill()


class ReplaceInstances(EndInstances):
    name = "replace-instances"
    about = "Replace one to three of three instances behind HAProxy, one after another, as a rolling upgrade does."

    def end(self, service):
        os.kill(service.pid, signal.SIGTERM)


class FreezeInstances(OfInstances):
    name = "freeze-instances"
    about = "Stop (SIGSTOP) one to three of three instances behind HAProxy for a moment, one after another."

    async def hit(self, round, service):
        pid = service.pid
        processes.send_signal([pid], signal.SIGSTOP)
        try:
            await asyncio.sleep(round.rng.uniform(0.05, 1.5))
        finally:
            processes.send_signal([pid], signal.SIGCONT)

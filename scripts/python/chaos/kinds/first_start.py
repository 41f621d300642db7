"""Kills of the very first start, which creates the cluster, the tables and the first account."""

import asyncio
import os
import shutil
import time

from chaos import forms, processes
from chaos.host import Host
from chaos.kinds.kind import Kind, ready_again
from chaos.service import Service


class KillFirstStart(Kind):
    name = "kill-first-start"
    about = "kill -9 the first start on an empty data folder at a random moment, and start again."
    # About how long a first start takes. Replaced by what is measured.
    typical = 2.0

    async def strike(self, round):
        self.folder = f"{round.place.folder}/first-{round.number}"
        os.makedirs(self.folder, mode=0o711)
        self.service = Service(round.run.program, self.folder)
        began = time.monotonic()
        await self.service.spawn()
        moment = round.rng.uniform(0, 1.1 * self.typical)
        while time.monotonic() < began + moment:
            await asyncio.sleep(0.01)
            if os.path.getsize(self.service.output):
                # It has started, so there is nothing left to interrupt, and the round does not count.
                self.typical = time.monotonic() - began
                break
        else:
            round.strike(others=1)
        self.service.kill()
        await self.service.process.wait()

    async def recover(self, round):
        await ready_again(round)

    async def settle(self, round):
        """The second start must offer everything that a first one does."""
        try:
            await self.service.start()
            await self.use(round)
        except BaseException:
            await self.service.end_without_restart()
            raise
        status = await self.service.stop()
        if status != 0:
            round.fault("ended", f"the service on a folder whose first start was killed ended with {status}")

    async def use(self, round):
        if not os.path.exists(f"{self.service.data}/first-admin"):
            round.fault("lost", "the killed first start left no file with the first admin's password")
        else:
            host = Host(self.service)
            await host.sign_in()
            await forms.create(host, "named")
        report = await self.service.verify()
        if report["differenceCount"]:
            round.fault("different", f"a folder whose first start was killed: {report['differences'][:3]}")

    async def check(self, round, forms):
        if left := processes.working_in(self.folder):
            round.fault("leak", f"processes {left} remain after the service on their folder has ended")
        else:
            shutil.rmtree(self.folder)

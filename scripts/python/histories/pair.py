"""Two instances of the service on one database: the first has a private PostgreSQL, whose address the second uses."""

import os
import shutil
import tempfile

from chaos import processes
from chaos.host import Host
from chaos.service import NotReady, Service

# On a machine that is busy with other things, a start may take minutes.
READY_TIMEOUT = 300


class Pair:
    def __init__(self, program, folder):
        self.folder = folder
        os.makedirs(f"{folder}/second", mode=0o700)
        self.first, self.second = Service(program, folder), Service(program, f"{folder}/second")
        self.services = [self.first, self.second]
        self.database, self.host = self.first.database, Host(self.first)

    @classmethod
    async def create(cls, program, parent=None):
        folder = tempfile.mkdtemp(prefix="histories-afterword-", dir=parent)
        # As root, the database runs as another user, who must be able to reach its folder.
        os.chmod(folder, 0o711)
        pair = cls(program, folder)
        try:
            await pair.start()
        except NotReady as error:
            ends = [open(service.log, errors="replace").read().strip()[-800:] for service in pair.services
                    if os.path.exists(service.log)]
            await pair.remove()
            raise NotReady(f"{error}: {' | '.join(ends)}") from error
        except BaseException:
            await pair.remove()
            raise
        return pair

    async def start(self):
        await self.first.start(READY_TIMEOUT)
        self.second.options = ["--database-url", self.database.url(), "--secret-file", f"{self.first.data}/secret"]
        await self.second.start(READY_TIMEOUT)
        await self.host.sign_in()

    async def ready(self):
        for service in self.services:
            await service.ready(READY_TIMEOUT)

    def ends(self):
        """How processes ended that nobody killed."""
        found = [f"{name} instance ended by itself with status {end.status}"
                 for name, service in (("the first", self.first), ("the second", self.second))
                 for end in service.ends if not end.was_killed]
        for service in self.services:
            service.ends.clear()
        return found

    async def remove(self, keep=False):
        for service in (self.second, self.first):
            await service.stop()
        processes.kill_all_in(self.folder)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)

"""Data folders with a service and an account, reused for many rounds."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from chaos import clock, processes
from chaos.host import Host
from chaos.instances import COUNT, Instances
from chaos.service import NotReady, Service

FILE_LIMIT = 256
DISK_BYTES = 256 << 20
# After this number of rounds a folder is replaced, so that `verify` of everything stays quick.
ROUNDS_PER_FOLDER = 250


class Place:
    """A service on its own data folder, with what earlier rounds have stored in it."""

    def __init__(self, name, program, folder):
        self.name, self.folder = name, folder
        self.rounds = 0
        # Of each form of earlier rounds, the digest of its rows; and the forms that the clock must have closed.
        self.digests, self.closed_forms = {}, set()
        # The schema of an undisturbed migration, once a round has needed it.
        self.schema = None
        # Of each process, its descriptors and its memory after its first round.
        self.footprints = {}
        self.clock = clock.MovableClock(folder) if name == "clock" else None
        data = f"{folder}/disk/data" if name == "disk" else None
        self.service = Service(
            program, folder, environment=self.clock.environment if self.clock else None,
            file_limit=FILE_LIMIT if name == "files" else None, data=data)
        self.host = Host(self.service)
        self.instances = Instances(program, folder, self.service) if name == "instances" else None

    @classmethod
    async def create(cls, name, program, parent):
        folder = tempfile.mkdtemp(prefix="chaos-afterword-", dir=parent)
        # As root, the database runs as another user, who must be able to reach its folder.
        os.chmod(folder, 0o711)
        place = cls(name, program, folder)
        try:
            if name == "disk":
                mount(f"{folder}/disk", DISK_BYTES)
            await place.service.start()
            await place.host.sign_in()
            if place.instances:
                await place.instances.start()
        except NotReady as error:
            with open(place.service.log, errors="replace") as log:
                end = log.read().strip()[-1000:]
            await place.remove()
            raise NotReady(f"{error}: {end}") from error
        except BaseException:
            await place.remove()
            raise
        return place

    @property
    def port(self):
        """The port that clients use."""
        return self.instances.port if self.instances else self.service.port

    @property
    def instance_count(self):
        return 1 + COUNT if self.instances else 1

    @property
    def is_worn(self):
        if self.rounds >= ROUNDS_PER_FOLDER:
            return True
        return self.name == "disk" and shutil.disk_usage(f"{self.folder}/disk").free < DISK_BYTES // 2

    async def stop(self):
        """Ends the service. Returns its exit status, or None if it had to be killed."""
        try:
            if self.instances:
                await self.instances.stop()
            return await self.service.stop()
        finally:
            if self.clock:
                self.clock.remove()

    async def remove(self, keep=False):
        """Stops everything. With `keep`, the data stays on the disk, also that of a memory file system."""
        await self.stop()
        processes.kill_all_in(self.folder)
        disk = pathlib.Path(self.folder, "disk")
        if os.path.ismount(disk):
            if keep:
                (disk / "ballast").unlink(missing_ok=True)
                subprocess.run(["cp", "-a", f"{disk}/.", f"{self.folder}/kept"], check=False)
            subprocess.run(["umount", "--lazy", disk], check=False)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def mount(folder, size):
    os.makedirs(folder, mode=0o711)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=711", "tmpfs", folder], check=True)


def why_no_mount():
    """Why no memory file system can be mounted, or None."""
    if os.geteuid() != 0:
        return "mounting a small memory file system needs root"
    with tempfile.TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return "mounting a memory file system is not allowed here"
        subprocess.run(["umount", folder], check=False)
    return None


class Places:
    """The places of a run, each made when a round first needs it."""

    def __init__(self, program, parent):
        self.program, self.parent = program, parent
        self.open = {}

    async def get(self, name):
        if name not in self.open:
            self.open[name] = await Place.create(name, self.program, self.parent)
        return self.open[name]

    async def drop(self, place, keep=False):
        del self.open[place.name]
        await place.remove(keep)

    async def close(self):
        for place in list(self.open.values()):
            await self.drop(place)

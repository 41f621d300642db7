"""A supervised `afterword serve`: started again whenever it ends, as systemd would do it."""

import asyncio
import dataclasses
import json
import os
import re
import resource
import signal
import time

from chaos import processes
from chaos.connection import Connection, Lost
from chaos.database import Database

READY_TIMEOUT = 60
STOP_TIMEOUT = 60
# The pause before the next start, if the last one failed at once.
RESTART_PAUSE = 0.05
# Settings in the environment must not change what is tested.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("AFTERWORD_")}


class NotReady(Exception):
    """The service did not become ready."""


@dataclasses.dataclass
class End:
    """How a process of the service ended."""
    status: int
    was_killed: bool


class Service:
    def __init__(self, program, folder, environment=None, file_limit=None, data=None):
        self.program, self.folder = program, folder
        self.data = data or f"{folder}/data"
        self.log, self.output = f"{folder}/service.log", f"{folder}/service.out"
        self.environment, self.file_limit = environment, file_limit
        # Further options of `serve`.
        self.options = []
        self.database = Database(self.data)
        self.port = 0
        self.process = self.keeper = None
        self.is_wanted = False
        self.killed, self.ends = set(), []
        # How often PostgreSQL was lost while the current process ran. The service gives up at the second loss.
        self.database_ends = 0

    # Starting and stopping

    async def start(self, timeout=READY_TIMEOUT):
        self.is_wanted = True
        self.keeper = asyncio.create_task(self.keep())
        await self.ready(timeout)

    async def keep(self):
        while self.is_wanted:
            began = time.monotonic()
            await self.spawn()
            status = await self.process.wait()
            self.ends.append(End(status, self.process.pid in self.killed))
            if self.is_wanted and time.monotonic() - began < 1:
                await asyncio.sleep(RESTART_PAUSE)

    async def spawn(self):
        environment = dict(ENVIRONMENT, **(self.environment() if self.environment else {}))
        self.database_ends = 0
        with open(self.log, "ab") as log, open(self.output, "wb") as output:
            self.process = await asyncio.create_subprocess_exec(
                self.program, "serve", "--port", str(self.port), "--data", self.data, "--sendmail", "none",
                *self.options, stdout=output, stderr=log, env=environment, preexec_fn=self.limit_files)

    def limit_files(self):
        if self.file_limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.file_limit, self.file_limit))

    @property
    def pid(self):
        """The pid of the running process, or None."""
        return self.process.pid if self.process and self.process.returncode is None else None

    def kill(self):
        """Kills the process as the system would. The private cluster keeps running. False if there is no process."""
        pid = self.pid
        if pid is None or not processes.is_running(pid):
            return False
        self.killed.add(pid)
        os.kill(pid, signal.SIGKILL)
        return True

    def end_without_restart(self):
        """Kills the process, and does not start it again. Returns what to wait for."""
        self.is_wanted = False
        self.kill()
        return self.keeper

    async def stop(self):
        """Stops the process gracefully. Returns its exit status, or None if it had to be killed."""
        self.is_wanted = False
        if self.pid:
            self.process.send_signal(signal.SIGTERM)
        if self.keeper:
            try:
                await asyncio.wait_for(asyncio.shield(self.keeper), STOP_TIMEOUT)
            except TimeoutError:
                self.kill()
                await self.keeper
                return None
        return self.ends[-1].status if self.ends else 0

    async def restart(self):
        status = await self.stop()
        if status != 0:
            raise NotReady(f"the service ended with {status} after SIGTERM instead of 0")
        self.ends.pop()
        await self.start()

    # Readiness

    def read_port(self):
        with open(self.output) as output:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", output.read())
        self.port = int(found.group(1)) if found else 0

    async def ready(self, timeout=READY_TIMEOUT):
        """Waits until `/readyz` of a new connection is 200. Returns the time at which it was."""
        deadline = time.monotonic() + timeout
        while True:
            if not self.port and os.path.exists(self.output):
                self.read_port()
            if self.port and await self.is_ready():
                return time.monotonic()
            if time.monotonic() > deadline:
                raise NotReady(f"the service was not ready after {timeout} s")
            await asyncio.sleep(0.005)

    async def is_ready(self):
        connection = Connection(self.port)
        try:
            return (await connection.send("GET", "/readyz", timeout=2)).status == 200
        except Lost:
            return False
        finally:
            connection.close()

    # Other commands on the same data

    async def command(self, *arguments, stdin=None):
        """Starts another command of the program on the data folder."""
        return await asyncio.create_subprocess_exec(
            self.program, *arguments, "--data", self.data, env=ENVIRONMENT, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, stdin=stdin)

    async def run(self, *arguments):
        """The exit status, the output and the errors of another command."""
        process = await self.command(*arguments)
        output, errors = await process.communicate()
        return process.returncode, output.decode(), errors.decode()

    async def verify(self):
        """The report of `afterword verify`, which recounts everything."""
        status, output, errors = await self.run("verify", "--json")
        if status not in (0, 3):
            raise NotReady(f"afterword verify ended with {status}: {errors.strip()[-500:]}")
        return json.loads(output)

"""The private cluster of a service: its processes, and statements by psql on its socket."""

import asyncio
import glob
import json
import os
import shutil

from chaos import processes


class DatabaseError(Exception):
    """psql reported an error."""


def tool(name):
    """A program of the newest PostgreSQL. Debian's wrapper in the path is slower."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else shutil.which(name) or name


class Database:
    def __init__(self, data):
        self.data = data
        self.psql = tool("psql")

    def lines(self):
        """The lines of postmaster.pid: pid, folder, start, port, socket folder, address, memory, status."""
        try:
            with open(f"{self.data}/postgres/postmaster.pid") as file:
                return file.read().split("\n")
        except OSError:
            return []

    @property
    def postmaster(self):
        """The pid of the running postmaster, or None."""
        lines = self.lines()
        pid = int(lines[0]) if lines and lines[0].isdigit() else None
        folder = os.path.realpath(f"{self.data}/postgres")
        return pid if pid and processes.working_directory(pid) == folder else None

    @property
    def socket_folder(self):
        lines = self.lines()
        return lines[4] if len(lines) > 4 and lines[4] else f"{self.data}/run"

    def url(self, name="afterword"):
        return f"postgresql:///{name}?host={self.socket_folder}&port=5432&user=afterword"

    async def sql(self, text, name="afterword"):
        process = await asyncio.create_subprocess_exec(
            self.psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.url(name),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await process.communicate(text.encode())
        if process.returncode:
            raise DatabaseError(errors.decode().strip())
        return output.decode().strip()

    async def json(self, text, name="afterword"):
        return json.loads(await self.sql(text, name) or "null")

    async def try_sql(self, text, name="afterword"):
        """For statements that may fail because the database has just been hit."""
        try:
            return await self.sql(text, name)
        except DatabaseError:
            return None

    async def dumped_schema(self, name="afterword"):
        """The schema as `pg_dump` writes it."""
        process = await asyncio.create_subprocess_exec(
            tool("pg_dump"), "--schema-only", self.url(name), stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE)
        output, errors = await process.communicate()
        if process.returncode:
            raise DatabaseError(errors.decode().strip())
        return "\n".join(line for line in output.decode().splitlines() if not line.startswith("\\"))


def quoted(values):
    """A list of texts for SQL. Only ids and marks made by this harness are passed."""
    return ", ".join("'" + str(value).replace("'", "''") + "'" for value in values) or "NULL"

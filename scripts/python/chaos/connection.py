"""An HTTP client on one connection, and the requests that are unanswered at a moment."""

import asyncio
import contextlib
import dataclasses
import json

REQUEST_TIMEOUT = 20
MAXIMUM_HEAD = 1 << 16


class Lost(Exception):
    """The connection ended before the response was complete, or could not be opened. The outcome is unknown."""


@dataclasses.dataclass
class Reply:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body) if self.body else {}

    @property
    def problem(self):
        """The code of a problem response."""
        try:
            return self.json["type"].rpartition("/")[2]
        except (ValueError, KeyError, TypeError):
            return ""


class Flight:
    """The requests that were sent, at least in part, and have no complete response yet."""

    def __init__(self):
        self.unanswered = {}
        self.last = 0

    @contextlib.contextmanager
    def request(self, what):
        self.last += 1
        number, self.unanswered[self.last] = self.last, what
        try:
            yield
        finally:
            del self.unanswered[number]

    @property
    def writes(self):
        """What is being written by unanswered requests. Reading loses nothing, so it does not count."""
        return [what for what in self.unanswered.values() if what != "GET"]


class Connection:
    """A connection that is opened when it is needed, and again after it was lost."""

    def __init__(self, port, flight=None):
        self.port, self.flight = port, flight or Flight()
        self.reader = self.writer = None

    async def open(self):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=MAXIMUM_HEAD)

    def close(self, abruptly=False):
        if self.writer is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self.writer.transport.abort() if abruptly else self.writer.close()
        self.reader = self.writer = None

    async def send(self, method, path, body=b"", headers=None, chunked=False, timeout=REQUEST_TIMEOUT, what=None):
        with self.flight.request(what or method):
            try:
                async with asyncio.timeout(timeout):
                    await self.open()
                    self.writer.write(request(method, path, body, headers, chunked))
                    await self.writer.drain()
                    return await self.receive()
            except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
                self.close(abruptly=True)
                raise Lost(repr(error)) from error
            except asyncio.CancelledError:
                self.close(abruptly=True)
                raise

    async def receive(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0][9:12])
        headers = fields(head[1:])
        if headers.get("transfer-encoding") == "chunked":
            body = await self.chunks(headers)
        else:
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return Reply(status, headers, body)

    async def chunks(self, headers):
        """Reads a chunked body. Its trailers are added to the headers."""
        parts = []
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            parts.append((await self.reader.readexactly(size + 2))[:-2])
        trailers = []
        while line := (await self.reader.readuntil(b"\r\n")).decode("latin-1").rstrip("\r\n"):
            trailers.append(line)
        headers.update(fields(trailers))
        return b"".join(parts)


def fields(lines):
    found = {}
    for line in lines:
        name, separator, value = line.partition(":")
        if separator:
            found[name.lower()] = value.strip()
    return found


def request(method, path, body, headers, chunked=False):
    """The bytes of a request. With `chunked`, the body is sent in two chunks, which the service reads differently."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body or method in ("POST", "PUT"):
        lines.append("Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}")
    if body:
        lines.append("Content-Type: application/json")
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    if not chunked:
        return head + body
    middle = len(body) // 2
    parts = [part for part in (body[:middle], body[middle:]) if part]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"

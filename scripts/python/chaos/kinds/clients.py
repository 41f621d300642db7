"""Clients whose connections end in the middle of a request or of a response."""

import asyncio
import socket
import struct

from chaos.answers import answers, mark
from chaos.connection import Connection, Lost, request
from chaos.kinds.kind import Kind, ready_again

DROPPED = 24
# A closed connection with this option is reset, so that the service gets an error instead of an end.
RESET = struct.pack("ii", 1, 0)


class Dropped:
    """A submission that is sent in part or completely over a connection that then ends, and afterwards again."""

    def __init__(self, round, form):
        self.round = round
        self.submission = round.load.ledger.begin(form, answers(round.rng, mark()))
        self.connection = Connection(round.service.port, round.load.flight)
        self.chunked = round.rng.random() < 0.3

    def bytes(self):
        submission = self.submission
        return request("POST", submission.path, submission.body, submission.headers, self.chunked)

    async def send(self, share):
        """Sends this share of the request."""
        try:
            await self.connection.open()
        except OSError:
            return
        sent = self.bytes()
        self.round.load.ledger.sending(self.submission)
        self.connection.writer.write(sent[:max(1, int(len(sent) * share))])

    def drop(self):
        """Ends the connection, in half of the cases with a reset."""
        if self.connection.writer is None:
            return
        if self.round.rng.random() < 0.5:
            raw = self.connection.writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.connection.close(abruptly=True)


class DropInBody(Kind):
    name = "drop-in-body"
    about = "clients end their connections after a part of the request, and send it again."
    shares = (0.05, 0.98)

    async def strike(self, round):
        forms = [form for form in round.forms if not form.has_ended]
        self.dropped = [Dropped(round, round.rng.choice(forms)) for _ in range(DROPPED)]
        await asyncio.gather(*(one.send(round.rng.uniform(*self.shares)) for one in self.dropped))
        await self.wait(round)
        round.strike(others=len(self.dropped))
        for one in self.dropped:
            one.drop()

    async def wait(self, round):
        await asyncio.sleep(round.rng.uniform(0, 0.1))

    async def recover(self, round):
        await ready_again(round)
        client = round.load.clients[0]
        for one in self.dropped:
            await client.submit(one.submission, one.connection)
            one.connection.close()


class DropInResponse(DropInBody):
    name = "drop-in-response"
    about = "clients end their connections after the request and before the response, and in the middle of exports."
    shares = (1, 1)

    async def strike(self, round):
        form = round.form("named")
        self.exports = [Connection(round.service.port, round.load.flight) for _ in range(DROPPED // 4)]
        await asyncio.gather(*(self.begin_export(round, form, one) for one in self.exports))
        await super().strike(round)
        for one in self.exports:
            one.close(abruptly=True)

    async def begin_export(self, round, form, connection):
        """Requests an export and reads a few bytes of it."""
        path = f"/v1/meetings/{form.meeting}/export/answers.csv"
        try:
            await connection.open()
            connection.writer.write(
                request("GET", path, b"", {"Authorization": f"Bearer {round.host.token}"}))
            await asyncio.wait_for(connection.reader.read(round.rng.randint(1, 2000)), 5)
        except (OSError, Lost):
            connection.close()

    async def wait(self, round):
        # Most requests are still being handled then.
        await asyncio.sleep(round.rng.uniform(0, 0.004))

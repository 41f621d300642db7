"""The host who creates, closes and finishes forms, and repeats requests that get no response."""

import asyncio
import json
import re
import time

from chaos.connection import Connection, Lost

# Responses after which a request is repeated: the outcome is unknown, or nothing was done.
REPEATED = {408, 429, 500, 502, 503, 504}
PATIENCE = 60


class Refused(Exception):
    """The service refused a request that it should have accepted."""

    def __init__(self, sentence, reply):
        super().__init__(sentence)
        self.reply = reply


class Host:
    def __init__(self, service):
        self.service, self.token = service, None

    async def sign_in(self):
        with open(f"{self.service.data}/first-admin") as file:
            found = dict(re.findall(r"^([\w-]+): (.*)$", file.read(), re.M))
        body = {"email": found["e-mail"], "password": found["password"]}
        self.token = (await self.call("POST", "/v1/sessions", body)).json["token"]

    async def call(self, method, path, body=None, headers=None, flight=None, patience=PATIENCE):
        """The response. A request without a response, or with one that asks for it, is repeated."""
        headers = dict(headers or {})
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        sent = json.dumps(body).encode() if body is not None else b""
        connection, deadline = Connection(self.service.port, flight), time.monotonic() + patience
        try:
            while True:
                try:
                    reply = await connection.send(method, path, sent, headers)
                except Lost as error:
                    reply, reason = None, str(error)
                else:
                    reason = f"{reply.status} {reply.problem}"
                if reply and reply.status < 300:
                    return reply
                if reply and reply.status not in REPEATED:
                    raise Refused(f"{method} {path} returned {reason}", reply)
                if time.monotonic() > deadline:
                    raise Refused(f"{method} {path} was not answered within {patience} s: {reason}", reply)
                await asyncio.sleep(0.05)
        finally:
            connection.close()

    async def state(self, form):
        return (await self.call("GET", f"/v1/meetings/{form.meeting}/form")).json

    async def close(self, form, flight=None):
        form.close_requested = True
        reply = await self.call("POST", f"/v1/meetings/{form.meeting}/form/close", flight=flight)
        form.must_be_closed = True
        return reply.json

    async def finish(self, form, flight=None, patience=PATIENCE):
        form.finish_requested = True
        return (await self.call(
            "POST", f"/v1/meetings/{form.meeting}/form/finish", flight=flight, patience=patience)).json

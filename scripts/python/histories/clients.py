"""Participants and hosts who send random requests to either instance, and note each with its times."""

import asyncio
import contextlib
import itertools
import json
import secrets
import time

from chaos.connection import REQUEST_TIMEOUT, Connection, Lost
from chaos.host import REPEATED
from histories import forms
from histories.operation import Operation, canonical

# Requests that are given up permanently, for each form. Without a known outcome, everything stays possible.
ABANDONED = 3
SHARE_OF_ABANDONED, SHARE_OF_OTHER_INSTANCE = 0.1, 0.3
SHARE_OF_TWINS, SHARE_WITHOUT_VERSION, SHARE_WITHOUT_TAG = 0.08, 0.3, 0.2
# What participants and hosts do next, by weight; hosts by the state that they have seen.
PARTICIPANT = {"submit": 40, "replay": 8, "conflict": 3, "correct": 14, "withdraw": 7, "own": 12, "public": 9,
               "results": 12, "meeting": 5, "export": 6}
HOST = {"open": {"edit": 5, "close": 5, "host": 2}, "closed": {"reopen": 8, "edit": 2, "host": 2, "close": 1},
        "final": {"reopen": 1, "edit": 1, "close": 1, "host": 2, "finish": 1}}
READERS = {
    "submit": forms.stored, "correct": forms.submission, "withdraw": forms.nothing, "own": forms.submission,
    "results": forms.results, "public": forms.public, "host": forms.host, "meeting": forms.meeting,
    "export": forms.export, "edit": forms.host, "close": forms.host,
    "reopen": forms.host, "finish": forms.host,
}


class Client:
    """A client with a connection to each instance. A request without a response is mostly repeated."""

    numbers = itertools.count(1)

    def __init__(self, load, name, rng):
        self.load, self.name, self.rng = load, name, rng
        self.connections = [Connection(service.port, load.flight) for service in load.services]
        self.instance = rng.randrange(2)
        self.form = rng.choice(load.forms)

    async def run(self):
        try:
            while not self.load.is_ending:
                if self.rng.random() < 0.1:
                    self.form = self.rng.choice(self.load.forms)
                await self.act()
                await asyncio.sleep(self.rng.expovariate(1 / self.load.pause))
        finally:
            self.close()

    def close(self):
        for connection in self.connections:
            connection.close()

    async def once(self, form, kind, arguments, method, path, body=b"", headers=None, instance=None):
        """Sends a request and notes it. Returns the operation, or None if nothing was sent."""
        instance = self.chosen() if instance is None else instance
        connection = self.connections[instance]
        try:
            await connection.open()
        except OSError:
            return None
        timeout = self.rng.uniform(0.001, 0.02) if self.rng.random() < self.load.impatience else REQUEST_TIMEOUT
        operation = Operation(next(self.numbers), self.name, instance, kind, arguments, time.monotonic(), reason="lost")
        form.operations.append(operation)
        try:
            reply = await connection.send(method, path, body, headers, timeout=timeout,
                                          what=f"{method} of {kind} at {'AB'[instance]}")
        except Lost as error:
            operation.reason = "timed out" if "TimeoutError" in str(error) else "connection lost"
            return operation
        if reply.status in REPEATED:
            operation.reason = f"{reply.status} {reply.problem}"
            return operation
        operation.returned = time.monotonic()
        operation.outcome = READERS[kind](reply)
        operation.reason = "" if operation.is_known else "incomplete"
        form.saw(operation.outcome)
        return operation

    def chosen(self):
        return 1 - self.instance if self.rng.random() < SHARE_OF_OTHER_INSTANCE else self.instance

    async def send(self, form, kind, arguments, method, path, body=b"", headers=None, instance=None):
        """The outcome of a request, which is repeated until it is known; None if the client gave up."""
        while not self.load.has_given_up:
            operation = await self.once(form, kind, arguments, method, path, body, headers, instance)
            if operation and operation.is_known:
                return operation.outcome
            if operation and self.rng.random() < SHARE_OF_ABANDONED and form.abandoned < ABANDONED:
                form.abandoned += 1
                return None
            await asyncio.sleep(self.rng.uniform(0.02, 0.3))
            instance = None
        return None

    # What everybody may do

    async def submit(self, form, slot, key, version, answers, instance=None):
        headers = {"Idempotency-Key": key} | ({"Authorization": f"Respondent {slot}"} if form.once_only else {})
        body = forms.body(version, answers)
        arguments = {"slot": slot, "key": key, "version": version, "answers": answers, "body": body.decode()}
        outcome = await self.send(
            form, "submit", arguments, "POST", f"{form.public_path}/submissions", body, headers, instance)
        if outcome and "id" in outcome and not any(one.slot == slot for one in form.receipts):
            id, receipt = outcome["id"].split()
            form.receipts.append(forms.Receipt(slot, key, body.decode(), version, answers, id, receipt))

    async def read(self, form, kind, instance=None):
        path = {"public": form.public_path, "host": form.host_path, "meeting": f"/v1/meetings/{form.meeting}",
                "results": f"/v1/meetings/{form.meeting}/results",
                "export": f"/v1/meetings/{form.meeting}/export/submissions.ndjson"}[kind]
        headers = {} if kind == "public" else self.load.authorization
        operation = await self.once(form, kind, {}, "GET", path, headers=headers, instance=instance)
        return operation.outcome if operation else None

    async def of_receipt(self, form, kind, method, one, arguments=None, body=b"", instance=None):
        path, headers = f"{form.public_path}/submissions/{one.id}", {"Authorization": f"Receipt {one.receipt}"}
        arguments = {"slot": one.slot} | (arguments or {})
        if kind == "own":
            operation = await self.once(form, kind, arguments, method, path, body, headers, instance)
            return operation.outcome if operation else None
        return await self.send(form, kind, arguments, method, path, body, headers, instance)

    async def perform(self, form, kind, tag, token=None, instance=None):
        """An action of a host, under the condition that the form still has the tag."""
        arguments, method, path, body = {"tag": tag}, "POST", f"{form.host_path}/{kind}", b""
        if kind == "edit":
            arguments["token"] = token
            method, path, body = "PUT", form.host_path, json.dumps(form.definition(token)).encode()
        headers = self.load.authorization | ({"If-Match": f'"{tag}"'} if tag else {})
        return await self.send(form, kind, arguments, method, path, body, headers, instance)


class Participant(Client):
    def __init__(self, load, name, rng):
        super().__init__(load, name, rng)
        # The newest version that this client has seen, by form, and its devices.
        self.seen, self.devices = {}, {}

    async def act(self):
        form, kind = self.form, self.rng.choices(list(PARTICIPANT), PARTICIPANT.values())[0]
        if kind == "public":
            if outcome := await self.read(form, kind):
                self.seen[form.name] = outcome.get("version", 1)
        elif kind in ("results", "meeting", "export"):
            await self.read(form, kind)
        elif kind == "submit" or not form.receipts:
            await self.new_submission(form)
        else:
            await self.of_earlier(form, kind, self.rng.choice(form.receipts[-8:]))

    def answers(self, form):
        """The version that is named, if any, and answers to the newest that this client has seen."""
        version = self.seen.get(form.name, 1)
        answers = canonical({"pace": self.rng.randint(1, 5), f"q{form.tokens[version]}": f"n{next(self.numbers)}"})
        return None if self.rng.random() < SHARE_WITHOUT_VERSION else version, answers

    async def new_submission(self, form):
        key = secrets.token_urlsafe(18)
        slot, (version, answers) = key, self.answers(form)
        if form.once_only:
            if form.name not in self.devices or self.rng.random() < 0.6:
                self.devices[form.name] = secrets.token_urlsafe(24)
            slot = self.devices[form.name]
        if self.rng.random() < SHARE_OF_TWINS:
            second = Participant(self.load, self.name + "'", self.rng)
            with contextlib.closing(second):
                await asyncio.gather(self.submit(form, slot, key, version, answers),
                                     second.submit(form, slot, key, version, answers))
        else:
            await self.submit(form, slot, key, version, answers)

    async def of_earlier(self, form, kind, one):
        match kind:
            case "replay":
                await self.submit(form, one.slot, one.key, one.version, one.answers)
            case "conflict":
                await self.submit(form, one.slot, one.key, *self.answers(form))
            case "correct":
                version, answers = self.answers(form)
                await self.of_receipt(form, kind, "PUT", one, {"version": version, "answers": answers},
                                      forms.body(version, answers))
            case "withdraw":
                await self.of_receipt(form, kind, "DELETE", one)
            case "own":
                await self.of_receipt(form, kind, "GET", one)


class Host(Client):
    """A host who mostly names the tag that was seen last, so that of two changes at once one is refused."""

    def __init__(self, load, name, rng):
        super().__init__(load, name, rng)
        self.seen = {}

    async def act(self):
        form = self.form
        if form.name not in self.seen or self.rng.random() < 0.3:
            self.noted(form, await self.read(form, "host"))
        if form.name not in self.seen:
            return
        choices = HOST[self.seen[form.name]["state"]]
        kind = self.rng.choices(list(choices), choices.values())[0]
        if form in self.load.finishing and self.seen[form.name]["state"] != "final":
            kind = "finish"
        if kind == "host":
            return self.noted(form, await self.read(form, kind))
        await self.change(form, kind)

    async def change(self, form, kind):
        tag = self.seen[form.name]["tag"]
        if kind != "edit" and self.rng.random() < SHARE_WITHOUT_TAG:
            tag = None
        self.noted(form, await self.perform(form, kind, tag, token=f"t{next(form.made)}"))

    def noted(self, form, outcome):
        if outcome and "problem" not in outcome:
            self.seen[form.name] = outcome
        else:
            self.seen.pop(form.name, None)


class Checker(Client):
    """Reads at the end what every instance shows of every form, and every acknowledged submission."""

    # As many submissions of a form are sent again.
    REPLAYS = 5

    async def check(self, form):
        try:
            await self.read_all(form)
        finally:
            self.close()

    async def read_all(self, form):
        for instance in (0, 1):
            for kind in ("results", "public", "host", "meeting", "export"):
                await self.until_known(lambda: self.read(form, kind, instance))
        for one in list(form.receipts):
            await self.until_known(lambda: self.of_receipt(form, "own", "GET", one, instance=self.rng.randrange(2)))
        for one in self.rng.sample(form.receipts, min(self.REPLAYS, len(form.receipts))):
            await self.submit(form, one.slot, one.key, one.version, one.answers)
        await self.until_known(lambda: self.read(form, "results", self.rng.randrange(2)))

    async def until_known(self, read):
        while await read() is None and not self.load.has_given_up:
            await asyncio.sleep(0.05)

"""Participants who submit, repeat, correct and withdraw, and readers who check results and exports meanwhile."""

import asyncio
import collections
import json

from chaos.answers import MARK, answers, mark
from chaos.connection import Connection, Lost
from chaos.host import REPEATED
from chaos.ledger import WITHDRAWN, canonical

WEIGHTS = {"named": 7, "anonymous": 5, "capped": 3, "timed": 3, "closed": 3}
# The shares of what a client does next. Otherwise it submits.
SHARE_OF_REPLAYS, SHARE_OF_CORRECTIONS, SHARE_OF_WITHDRAWALS = 0.05, 0.08, 0.05
SHARE_OF_TWINS, SHARE_OF_CHUNKED = 0.05, 0.2
MEAN_PAUSE = 0.008


class Client:
    """One participant's connection. Every request is repeated until it is answered."""

    def __init__(self, load, rng):
        self.load, self.rng = load, rng
        self.connection, self.second = (Connection(load.port, load.flight) for _ in range(2))
        # Acknowledged submissions that were not changed yet. Each is changed once at most, because a request that was
        # given up may still be carried out after the next one.
        self.unchanged = []

    async def run(self):
        try:
            while not self.load.is_ending:
                await self.act()
                await asyncio.sleep(self.rng.expovariate(1 / MEAN_PAUSE))
        finally:
            self.connection.close()
            self.second.close()

    async def act(self):
        number, own = self.rng.random(), self.unchanged
        if own and number < SHARE_OF_REPLAYS:
            return await self.submit(self.rng.choice(own))
        if own and number < SHARE_OF_REPLAYS + SHARE_OF_CORRECTIONS:
            return await self.correct(own.pop(self.rng.randrange(len(own))))
        if own and number < SHARE_OF_REPLAYS + SHARE_OF_CORRECTIONS + SHARE_OF_WITHDRAWALS:
            submission = own.pop(self.rng.randrange(len(own)))
            # Without free places again, a full form stays full, so that a refusal is final.
            if submission.form.cap is None:
                return await self.withdraw(submission)
        form = self.load.choose_form(self.rng)
        submission = self.load.ledger.begin(form, answers(self.rng, mark()))
        if self.rng.random() < SHARE_OF_TWINS:
            submission.is_twin = True
            await asyncio.gather(self.submit(submission), self.submit(submission, self.second))
        else:
            await self.submit(submission)
        if submission.is_acknowledged:
            self.unchanged.append(submission)

    async def answered(self, method, path, body, headers, before=lambda: None, connection=None):
        """The first response that decides something, and whether an earlier try may have been carried out."""
        chunked, may_be_done = self.rng.random() < SHARE_OF_CHUNKED, False
        connection = connection or self.connection
        while not self.load.has_given_up:
            before()
            try:
                reply = await connection.send(method, path, body, headers, chunked and method != "DELETE")
            except Lost:
                self.load.statuses["lost"] += 1
            else:
                self.load.statuses[reply.status] += 1
                if reply.status not in REPEATED:
                    return reply, may_be_done
            may_be_done = True
            await asyncio.sleep(self.rng.uniform(0.02, 0.1))
        self.load.ledger.fault("unanswered", f"{method} {path} got no final response")
        return None, may_be_done

    async def submit(self, submission, connection=None):
        ledger = self.load.ledger
        reply, _ = await self.answered("POST", submission.path, submission.body, submission.headers,
                                       lambda: ledger.sending(submission), connection)
        if reply is None:
            return
        if reply.status == 201:
            ledger.acknowledge(submission, reply)
        else:
            ledger.refuse(submission, reply)

    async def correct(self, submission):
        corrected = answers(self.rng, f"{submission.mark}-2")
        submission.possible.add(canonical(corrected))
        reply, may_be_done = await self.change("PUT", submission, json.dumps({"answers": corrected}).encode())
        if reply and reply.status == 200:
            submission.possible = {canonical(corrected)}
            self.load.ledger.corrected += 1
        elif reply and not may_be_done:
            submission.possible.discard(canonical(corrected))

    async def withdraw(self, submission):
        submission.possible.add(WITHDRAWN)
        reply, may_be_done = await self.change("DELETE", submission)
        if reply and reply.status == 204:
            submission.possible, submission.is_withdrawn = {WITHDRAWN}, True
            self.load.ledger.withdrawn += 1
        elif reply and not may_be_done:
            submission.possible.discard(WITHDRAWN)

    async def change(self, method, submission, body=b""):
        """A correction or a withdrawal, which only the end of the form may refuse."""
        path, headers = f"{submission.path}/{submission.id}", {"Authorization": f"Receipt {submission.receipt}"}
        reply, may_be_done = await self.answered(method, path, body, headers)
        if reply and reply.status >= 300 and not submission.form.may_refuse(reply.problem):
            self.load.ledger.fault(
                "unexpected", f"{method} of {submission.mark} was refused with {reply.status} {reply.problem}")
        return reply, may_be_done


class Reader:
    """Reads results and exports of the named form. A complete export has every submission that it must have, once."""

    def __init__(self, load, rng, token):
        self.load, self.rng, self.headers = load, rng, {"Authorization": f"Bearer {token}"}
        self.connection = Connection(load.port, load.flight)
        self.form = next(form for form in load.forms if form.name == "named")

    async def run(self):
        try:
            while not self.load.is_ending:
                await self.export() if self.rng.random() < 0.5 else await self.results()
                await asyncio.sleep(self.rng.uniform(0.02, 0.15))
        finally:
            self.connection.close()

    async def get(self, path):
        try:
            reply = await self.connection.send("GET", path, headers=self.headers)
        except Lost:
            return None
        if reply.status != 200 and reply.status not in REPEATED:
            self.load.ledger.fault("unexpected", f"GET {path} returned {reply.status} {reply.problem}")
        return reply if reply.status == 200 else None

    async def export(self):
        expected = [submission for submission in self.load.ledger.submissions
                    if submission.form is self.form and submission.is_acknowledged]
        reply = await self.get(f"/v1/meetings/{self.form.meeting}/export/submissions.csv")
        # Without the trailer it was cut, which the reader sees.
        if reply is None or "afterword-rows" not in reply.headers:
            return
        found = collections.Counter(MARK.findall(reply.body.decode()))
        exported = collections.Counter()
        for one, count in found.items():
            exported[one.partition("-")[0]] += count
        for one, count in exported.items():
            if count > 1:
                self.load.ledger.fault("doubled", f"an export has {one} {count} times")
        for submission in expected:
            if WITHDRAWN not in submission.possible and submission.mark not in exported:
                self.load.ledger.fault("lost", f"an export lacks {submission.mark}")

    async def results(self):
        reply = await self.get(f"/v1/meetings/{self.form.meeting}/results")
        if reply is None:
            return
        body, pace = reply.json, reply.json["questions"][0]
        if not self.load.counts_are_spoilt and body["submissions"] != sum(point["count"] for point in pace["points"]):
            self.load.ledger.fault("different", f"results have {body['submissions']} submissions, but their ratings "
                                                f"{[point['count'] for point in pace['points']]}")

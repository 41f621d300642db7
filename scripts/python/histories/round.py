"""One round: random requests of many clients to both instances, a fault meanwhile, and the check of each history."""

import asyncio
import contextlib
import dataclasses
import random
import time

from chaos.connection import Flight
from histories.clients import Checker, Host, Participant
from histories.faults import FAULTS
from histories.forms import KINDS, Form
from histories.search import check

PARTICIPANTS, HOSTS, FORMS = 9, 2, 3
# The share of forms that a host finishes after this part of the round.
SHARE_OF_FINISHED, FINISHED_AFTER = 0.4, 0.75
# The share of requests that wait for a response for less than 20 ms.
SHARE_OF_IMPATIENT = 0.04
# Clients that get no response for so long after the recovery give up.
PATIENCE = 40


class Load:
    """What the clients of a round share."""

    def __init__(self, pair, forms, pause, impatience):
        self.services, self.forms = pair.services, forms
        self.pause, self.impatience = pause, impatience
        self.authorization = {"Authorization": f"Bearer {pair.host.token}"}
        self.flight, self.finishing = Flight(), set()
        self.is_ending = self.has_given_up = False


@dataclasses.dataclass
class Result:
    number: int
    fault: str
    # The writing requests that were unanswered when the fault struck.
    in_flight: int = 0
    operations: int = 0
    unknown: int = 0
    steps: int = 0
    seconds: float = 0
    searching: float = 0
    # Histories that are not linearizable, each with its verdict; forms that were not decided; other broken promises.
    broken: list = dataclasses.field(default_factory=list)
    undecided: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)

    @property
    def is_good(self):
        return not self.broken and not self.faults


class Round:
    def __init__(self, pair, number, fault, seed, options):
        self.pair, self.options, self.rng = pair, options, random.Random(seed)
        self.result = Result(number, fault)
        self.kinds = self.rng.sample(KINDS, FORMS)
        self.finished, self.impatience = SHARE_OF_FINISHED, SHARE_OF_IMPATIENT
        self.forms, self.load = [], None

    async def execute(self):
        began = time.monotonic()
        self.forms = [Form(kind, f"{self.result.number}-{kind}", self.rng) for kind in self.kinds]
        await asyncio.gather(*(form.create(self.pair.host) for form in self.forms))
        self.load = Load(self.pair, self.forms, self.options.pause, self.impatience)
        await self.under_load()
        self.result.faults += self.pair.ends()
        self.decide()
        self.result.seconds = time.monotonic() - began
        return self.result

    async def under_load(self):
        clients = [Participant(self.load, f"guest{index}", self.seeded()) for index in range(1, PARTICIPANTS + 1)]
        clients += [Host(self.load, f"host{index}", self.seeded()) for index in range(1, HOSTS + 1)]
        tasks = [asyncio.create_task(client.run()) for client in clients]
        tasks.append(asyncio.create_task(self.finish_forms()))
        try:
            await asyncio.gather(asyncio.sleep(self.options.seconds), self.strike())
            await self.pair.ready()
            self.load.is_ending = True
            await self.ended(tasks)
            self.load.impatience = 0
            await self.ended([
                asyncio.create_task(Checker(self.load, f"end{number}", self.seeded()).check(form))
                for number, form in enumerate(self.forms, 1)])
        finally:
            for task in tasks:
                task.cancel()

    def seeded(self):
        return random.Random(self.rng.random())

    async def strike(self):
        await asyncio.sleep(self.rng.uniform(0.15, 0.6) * self.options.seconds)
        self.result.in_flight = sum(
            not what.startswith("GET") for what in self.load.flight.unanswered.values())
        await FAULTS[self.result.fault](self.pair, self.rng)

    async def finish_forms(self):
        await asyncio.sleep(FINISHED_AFTER * self.options.seconds)
        self.load.finishing |= {form for form in self.forms if self.rng.random() < self.finished}

    async def ended(self, tasks):
        _, waiting = await asyncio.wait(tasks, timeout=PATIENCE)
        if waiting:
            unanswered = ", ".join(self.load.flight.unanswered.values()) or "none"
            self.result.faults.append(f"{len(waiting)} clients got no final response within {PATIENCE} s; "
                                      f"unanswered: {unanswered}")
            self.load.has_given_up = True
            _, waiting = await asyncio.wait(waiting, timeout=30)
        for task in waiting:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            # Errors of this program itself must not pass unseen.
            await asyncio.gather(*tasks)

    def decide(self):
        began, result = time.monotonic(), self.result
        for form in self.forms:
            history = form.history()
            verdict = check(history)
            result.steps += verdict.steps
            result.operations += len(history.operations)
            result.unknown += sum(not one.is_known for one in history.operations)
            if verdict.is_linearizable is None:
                result.undecided.append(history)
            elif not verdict.is_linearizable:
                result.broken.append((history, verdict))
        result.searching = time.monotonic() - began

"""One round: load, a fault at a random moment, recovery, and the checks."""

import asyncio
import dataclasses
import random
import time

from chaos import check, forms, leaks, stored
from chaos.database import DatabaseError
from chaos.host import Refused
from chaos.ledger import Fault
from chaos.load import Load
from chaos.service import NotReady

# The part of the load's time within which the fault strikes.
EARLIEST, LATEST = 0.1, 0.6
# Clients continue for so long after the recovery.
AFTERWARDS = 0.3
# Clients that get no final response for so long after the recovery give up, which is a fault.
PATIENCE = 60


@dataclasses.dataclass
class Result:
    kind: str
    number: int
    faults: list
    # The writing requests that were unanswered when the fault struck, or None if it did not strike.
    in_flight: int | None = None
    # From the fault to the first good /readyz, None if the fault does not stop the service.
    recovery: float | None = None
    seconds: float = 0
    acknowledged: int = 0
    replays: int = 0
    refused: int = 0
    corrected: int = 0
    withdrawn: int = 0
    # What the process holds more than after its first round.
    more_files: int = 0
    more_memory: float = 0
    statuses: dict = dataclasses.field(default_factory=dict)
    note: str = ""

    @property
    def counts(self):
        """Whether requests were unanswered when the fault struck."""
        return bool(self.in_flight)


class Round:
    """What a kind of fault gets to work with."""

    def __init__(self, run, kind, number, place, seed):
        self.run, self.kind, self.number, self.place = run, kind, number, place
        self.service, self.host, self.database = place.service, place.host, place.service.database
        self.rng = random.Random(seed)
        self.result = Result(kind.name, number, [])
        self.forms, self.load, self.struck_at = [], None, None

    def fault(self, what, sentence):
        self.result.faults.append(Fault(what, sentence))

    def form(self, name):
        return next(form for form in self.forms if form.name == name)

    def strike(self, others=0):
        """Called in the instant before the fault. `others` are unanswered requests of the kind's own clients."""
        self.struck_at = time.monotonic()
        self.result.in_flight = len(self.load.flight.writes) + others

    async def execute(self):
        began = time.monotonic()
        try:
            await self.kind.prepare(self)
            self.forms = await forms.create_all(self.host, self.rng)
            self.load = Load(
                self.place.port, self.host, self.forms, self.result.faults, self.run.options.clients, self.rng)
            await self.kind.prepare_load(self)
            await self.under_load()
            await self.checks()
        except (NotReady, Refused, DatabaseError) as error:
            self.fault("stuck", f"{type(error).__name__}: {error}")
        finally:
            if self.load:
                self.load.cancel()
                ledger, result = self.load.ledger, self.result
                result.acknowledged, result.replays, result.refused = (
                    ledger.acknowledged, ledger.replays, ledger.refused)
                result.corrected, result.withdrawn = ledger.corrected, ledger.withdrawn
                result.statuses = dict(self.load.statuses)
            self.result.seconds = time.monotonic() - began
        return self.result

    async def under_load(self):
        seconds = self.run.options.seconds
        start = time.monotonic()
        self.load.start()
        moment = self.rng.uniform(EARLIEST, max(LATEST * seconds, 2 * EARLIEST))
        closing = asyncio.create_task(self.close_form(moment + self.rng.uniform(-0.05, 0.3)))
        try:
            await asyncio.sleep(moment)
            await self.kind.strike(self)
            await self.kind.recover(self)
            await asyncio.sleep(max(AFTERWARDS, start + seconds - time.monotonic()))
            await closing
            await self.load.end(PATIENCE)
        finally:
            closing.cancel()
            await self.kind.release(self)
        await self.kind.settle(self)

    async def close_form(self, delay):
        """The host closes a form around the moment of the fault, and repeats this until it is acknowledged."""
        await asyncio.sleep(delay)
        await self.host.close(self.form("closed"), self.load.flight)

    async def checks(self):
        await check.check_states(self)
        found = await check.check_stored(self)
        before = await self.digests()
        await check.check_replays(self, found)
        again = await self.digests()
        for form in self.forms:
            if before.get(form.id) != again.get(form.id):
                self.fault("different", f"the rows of form {form.name} changed while its submissions were sent again")
        await self.kind.check(self, found)
        await leaks.check(self, self.place.footprints)
        check.check_ends(self)
        self.place.digests.update(again)
        self.place.closed_forms |= {
            form.id for form in self.forms if (form.must_be_closed or form.closes) and form.id in found}

    async def digests(self):
        return await stored.digests(self.database, [form.id for form in self.forms])

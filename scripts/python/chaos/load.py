"""The clients of a round, running together."""

import asyncio
import collections
import random

from chaos.clients import WEIGHTS, Client, Reader
from chaos.connection import Flight
from chaos.ledger import Ledger

READERS = 2


class Load:
    def __init__(self, port, host, forms, faults, clients, rng):
        self.port, self.forms = port, forms
        self.flight, self.ledger = Flight(), Ledger(faults)
        # The numbers of responses by status, and of requests without one.
        self.statuses = collections.Counter()
        self.is_ending = self.has_given_up = False
        # Whether counts in the database are wrong on purpose.
        self.counts_are_spoilt = False
        self.clients = [Client(self, random.Random(rng.random())) for _ in range(clients)]
        self.readers = [Reader(self, random.Random(rng.random()), host.token) for _ in range(READERS)]
        self.tasks = []

    def choose_form(self, rng):
        """Mostly a form that still accepts answers, sometimes one that has to refuse them."""
        forms = [form for form in self.forms if not form.has_ended or rng.random() < 0.1]
        return rng.choices(forms or self.forms, [WEIGHTS[form.name] for form in forms or self.forms])[0]

    def start(self):
        self.tasks = [asyncio.create_task(one.run()) for one in [*self.clients, *self.readers]]

    async def end(self, patience):
        """Lets every client get its last response. After the patience they give up, which is a fault."""
        self.is_ending = True
        if not self.tasks:
            return
        _, waiting = await asyncio.wait(self.tasks, timeout=patience)
        self.has_given_up = True
        if waiting:
            _, waiting = await asyncio.wait(waiting, timeout=30)
        for task in waiting:
            task.cancel()
        # Errors of the harness itself must not pass unseen.
        for result in await asyncio.gather(*self.tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result

    def cancel(self):
        for task in self.tasks:
            task.cancel()

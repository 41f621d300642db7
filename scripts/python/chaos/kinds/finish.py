"""Kills while an anonymous form becomes final."""

import asyncio
import os
import signal
import time

from chaos.kinds.kind import Kind, another_postmaster, ready_again, renew_service, running_postmaster

LONGEST = 0.6
PATIENCE = 45


class KillFinish(Kind):
    name = "kill-finish"
    about = "kill -9 the service, its postmaster or both while an anonymous form becomes final."

    async def prepare(self, round):
        await renew_service(round)

    async def strike(self, round):
        form, self.killed = round.form("anonymous"), None
        victim = round.rng.choice(["the service", "PostgreSQL", "both"])
        postmaster = await running_postmaster(round)
        finishing = asyncio.create_task(round.host.finish(form, round.load.flight))
        # The first statements take a few milliseconds each, the vacuum the rest.
        await asyncio.sleep(round.rng.uniform(0, LONGEST) * round.rng.random())
        round.result.note = f"{victim}, finish {'answered' if finishing.done() else 'unanswered'}"
        round.strike()
        if victim != "PostgreSQL":
            round.service.kill()
        if victim != "the service":
            round.service.database_ends += 1
            self.killed = postmaster
            os.kill(postmaster, signal.SIGKILL)
        self.finishing = finishing

    async def recover(self, round):
        if self.killed:
            await another_postmaster(round, self.killed)
        await ready_again(round)

    async def settle(self, round):
        await self.finishing
        await until_final(round, round.form("anonymous"))

    async def check(self, round, forms):
        check_final(round, round.form("anonymous"), forms)


async def until_final(round, form):
    """Waits until the form is final, which the service reaches by itself."""
    deadline = time.monotonic() + PATIENCE
    while (state := (await round.host.state(form))["state"]) != "final":
        if time.monotonic() > deadline:
            return round.fault("stuck", f"the form {form.name} is {state} {PATIENCE} s after finish")
        await asyncio.sleep(0.05)


def check_final(round, form, forms):
    """Nothing in the rows of a final anonymous form may link them to their senders."""
    stored = forms.get(form.id)
    if stored is None or stored.state != "final":
        return
    known = {submission.id for submission in round.load.ledger.submissions}
    if any(row.id in known for row in stored.rows):
        round.fault("different", f"the final form {form.name} has rows under their former ids")
    if stored.has_salt or any(row.has_key for row in stored.rows):
        round.fault("different", f"the final form {form.name} still has its salt or hashes of keys")
    if any(row.is_withdrawn for row in stored.rows):
        round.fault("different", f"the final form {form.name} still has withdrawn rows")

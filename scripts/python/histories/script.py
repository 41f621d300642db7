"""A short sequence of requests to each form, one after another, whose responses can be spoiled one by one."""

import secrets

from histories import forms
from histories.clients import Checker
from histories.operation import canonical


class Script(Checker):
    """Notes the number of each operation under a label."""

    def __init__(self, load, name, rng):
        super().__init__(load, name, rng)
        self.labels = {}

    def label(self, form, label):
        self.labels[label] = form.operations[-1].number

    async def run_on(self, form):
        try:
            await self.everywhere(form)
            if form.kind == "plain":
                await self.plain(form)
            if form.kind == "capped":
                await self.until_full(form)
            if form.kind == "device":
                await self.same_device(form)
            await self.finish(form)
        finally:
            self.close()

    def own_answers(self, form, pace, note):
        version = max(form.tokens)
        return version, canonical({"pace": pace, f"q{form.tokens[version]}": note})

    async def new(self, form, label, pace=1, instance=0, slot=None, version=True):
        key = secrets.token_urlsafe(18)
        number, answers = self.own_answers(form, pace, f"script {next(self.numbers)}")
        await self.submit(form, slot or (secrets.token_urlsafe(24) if form.once_only else key), key,
                          number if version else None, answers, instance)
        self.label(form, label)
        return form.receipts[-1]

    async def act(self, form, kind, label, tag=None, **arguments):
        await self.perform(form, kind, tag, instance=0, **arguments)
        self.label(form, label)

    async def read_as(self, form, kind, label, instance=1):
        outcome = await self.read(form, kind, instance)
        self.label(form, label)
        return outcome

    async def own_as(self, form, one, label, kind="own", method="GET", arguments=None, body=b""):
        await self.of_receipt(form, kind, method, one, arguments, body, instance=1)
        self.label(form, label)

    async def everywhere(self, form):
        """Opens the form, so that the following has the same responses whatever was before."""
        if (await self.read(form, "host", 0))["state"] == "closed":
            await self.act(form, "reopen", f"{form.kind}: opened")

    async def plain(self, form):
        one = await self.new(form, "created", pace=2)
        await self.read_as(form, "results", "count")
        version, answers = self.own_answers(form, 4, "corrected")
        await self.own_as(form, one, "corrected", "correct", "PUT", {"version": version, "answers": answers},
                          forms.body(version, answers))
        await self.own_as(form, one, "own")
        await self.submit(form, one.slot, one.key, one.version, one.answers, 1)
        self.label(form, "replay")
        other = await self.new(form, "second", pace=5)
        await self.own_as(form, other, "withdrawn", "withdraw", "DELETE")
        await self.own_as(form, other, "own withdrawn")
        await self.read_as(form, "results", "count after withdrawal")
        await self.act(form, "close", "closed")
        await self.new(form, "refused")
        tag = (await self.read_as(form, "host", "shown closed"))["tag"]
        await self.act(form, "reopen", "reopened", tag)
        await self.act(form, "close", "outdated close", tag)
        tag = (await self.read(form, "host", 1))["tag"]
        await self.act(form, "edit", "edited", tag, token=f"t{next(form.made)}")
        await self.act(form, "edit", "outdated edit", tag, token=f"t{next(form.made)}")
        await self.read_as(form, "public", "shown edited")
        await self.old_without_version(form)
        await self.read_as(form, "export", "export")
        await self.read_as(form, "meeting", "meeting")

    async def old_without_version(self, form):
        """Answers to an old version that do not name it, sent to the instance that has published the new one."""
        key, token = secrets.token_urlsafe(18), form.tokens[1]
        await self.submit(form, key, key, None, canonical({"pace": 3, f"q{token}": "old"}), 0)
        self.label(form, "old answers")

    async def until_full(self, form):
        for _ in range(form.cap + 1):
            await self.new(form, "full")

    async def same_device(self, form):
        one = await self.new(form, "first of the device")
        await self.new(form, "second of the device", slot=one.slot)

    async def finish(self, form):
        one = await self.new(form, f"{form.kind}: last") if form.kind != "capped" else form.receipts[-1]
        await self.act(form, "finish", f"{form.kind}: finished")
        version, answers = self.own_answers(form, 3, "too late")
        await self.own_as(form, one, f"{form.kind}: too late", "correct", "PUT",
                          {"version": version, "answers": answers}, forms.body(version, answers))

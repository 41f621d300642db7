"""The forms of a round. Each has a different rule that a fault could break."""

import asyncio
import dataclasses
import datetime
import time

from chaos.host import Refused

OPTIONS = ["demo", "talk", "food"]
QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?", "required": True},
    {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": True, "other": True,
     "options": [{"id": option, "label": option.capitalize()} for option in OPTIONS]},
    # Contains the mark by which a stored row is recognized.
    {"key": "note", "kind": "text", "title": "What should we change?", "maxLength": 10000},
]
KINDS = {question["key"]: question["kind"] for question in QUESTIONS}
# The minimum time, in seconds, for which the timed form is open.
OPEN_TIME = 0.8


@dataclasses.dataclass
class Form:
    name: str
    meeting: str
    id: str
    code: str
    anonymous: bool = False
    cap: int | None = None
    # The time, in seconds since 1970, at which the form closes by the clock.
    closes: float | None = None
    # What the host has requested, and whether the service has acknowledged the close.
    close_requested: bool = False
    must_be_closed: bool = False
    finish_requested: bool = False
    # The number of submissions that were begun.
    begun: int = 0
    is_full: bool = False

    def may_refuse(self, code):
        """Whether the form may refuse a submission with this code now."""
        match code:
            case "form-closed":
                # The clock of the database decides, and it is the clock of this machine.
                by_clock = self.closes is not None and time.time() >= self.closes - 0.001
                return self.close_requested or self.finish_requested or by_clock
            case "form-full":
                return self.cap is not None and self.begun > self.cap
            case "form-final":
                return self.finish_requested
        return False

    @property
    def has_ended(self):
        return self.must_be_closed or self.is_full or (self.closes is not None and time.time() > self.closes)


def instant(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


async def create(host, name, **settings):
    """Creates a meeting and publishes its form."""
    title = f"Round, {name}"
    created = (await host.call("POST", "/v1/meetings", {"title": title, "questions": QUESTIONS})).json
    path = f"/v1/meetings/{created['id']}/form"
    form = Form(name, created["id"], created["form"]["id"], created["form"]["code"],
                settings.get("anonymous", False), settings.get("cap"))
    for _ in range(5):
        sent = dict(settings)
        if name == "timed":
            # Whole seconds, because the service stores no fractions of them.
            form.closes = float(int(time.time() + OPEN_TIME) + 1)
            sent |= {"closes": instant(form.closes), "graceMinutes": 0}
        if sent:
            tag = (await host.call("GET", path)).headers["etag"]
            await host.call("PUT", path, {"title": title, "questions": QUESTIONS, **sent}, {"If-Match": tag})
        try:
            await host.call("POST", f"{path}/publish")
            return form
        except Refused:
            # A slow machine may reach the closing time before the form is published.
            if name != "timed":
                raise
    raise RuntimeError("a form that closes by the clock could not be published in time")


async def create_all(host, rng):
    """The forms of a round."""
    return await asyncio.gather(
        create(host, "named"), create(host, "anonymous", anonymous=True),
        create(host, "capped", cap=rng.randint(5, 60)), create(host, "timed"), create(host, "closed"))

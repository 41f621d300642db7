"""One request of a history: who sent it, when, and what the response said."""

import dataclasses
import json

# Operations that change nothing, whatever their response.
READS = {"own", "results", "public", "host", "meeting", "export"}
# Actions of hosts. Each changes the form or leaves it alone, and responds with the form as it then is.
ACTIONS = {"edit", "close", "reopen", "finish"}


def canonical(value):
    """The same text for the same JSON value, as sent or as returned."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclasses.dataclass
class Operation:
    """`arguments` are what was sent. `outcome` is the part of the response that the model predicts: `{"problem": code}`
    for a refusal, None if it is unknown. `returned` is None if no response came, so that the operation may take effect
    at any later time, or never.
    """
    number: int
    client: str
    instance: int
    kind: str
    arguments: dict
    invoked: float
    returned: float | None = None
    outcome: dict | None = None
    # Why the outcome is unknown.
    reason: str = ""
    # The smallest version against which a submission without a version may be checked; see `model.set_floors`.
    floor: int = 1

    @property
    def is_known(self):
        return self.outcome is not None

    @property
    def slot(self):
        """The submission that it is about: its device on a form for devices, otherwise its key."""
        return self.arguments.get("slot")

    @property
    def said(self):
        if self.outcome is None:
            return f"unknown ({self.reason})"
        return " ".join(f"{name}={shortened(value)}" for name, value in self.outcome.items()) or "done"

    def line(self, start):
        times = f"{1000 * (self.invoked - start):9.1f} …"
        times += f"{1000 * (self.returned - start):9.1f}" if self.returned is not None else "        ?"
        sent = " ".join(f"{name}={shortened(value)}" for name, value in self.arguments.items()
                        if value is not None and name != "body" and (name != "key" or value != self.slot))
        return f"{times} ms  {'AB'[self.instance]}  {self.client:8}  {self.kind:8} {sent}  →  {self.said}"


def shortened(value):
    text = value if isinstance(value, str) else canonical(value)
    return text if len(text) <= 60 else text[:57] + "…"


@dataclasses.dataclass
class History:
    """Everything that was sent to one form. `revision` is the number in the form's tag at the beginning."""
    name: str
    once_only: bool
    anonymous: bool
    cap: int | None
    token: str
    revision: int
    operations: list

    def saved(self):
        return dataclasses.asdict(self)

    @classmethod
    def loaded(cls, values):
        values = dict(values, operations=[Operation(**one) for one in values["operations"]])
        return cls(**values)

    def with_operations(self, operations):
        return dataclasses.replace(self, operations=operations)

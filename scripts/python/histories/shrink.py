"""Makes a history that is not linearizable smaller, so that a person can read what is wrong with it.

Only what weakens a history is left out, so that the rest is still a proof: readings and refusals, which change nothing,
a cap that refuses nothing any more, submissions that nothing else depends on, and what other responses said.
"""

import dataclasses
import time

from histories.model import Model
from histories.operation import READS, canonical
from histories.search import check, prepared

# Steps for each attempt. A weakened history leaves more possible and takes longer to check.
BUDGET = 20_000
SECONDS = 20


class Shrinking:
    def __init__(self, history, verdict):
        self.history, self.end = history, time.monotonic() + SECONDS
        numbers = {one.number for one in verdict.prefix}
        # What was invoked later cannot be part of the reason.
        self.operations = [one for one in history.operations if one.number in numbers]
        self.verdict = verdict

    def run(self):
        """The smaller history, and its verdict."""
        self.leave_out([one for one in self.operations if one.kind in READS])
        self.leave_out([one for one in self.operations if one.is_known and "problem" in one.outcome])
        self.leave_out_cap()
        self.leave_out_slots()
        self.weaken([one for one in self.operations if one.kind not in READS and one.is_known])
        return self.history.with_operations(self.operations), self.verdict

    def still_fails(self, operations):
        if time.monotonic() > self.end:
            return False
        verdict = check(self.history.with_operations(operations), BUDGET)
        if verdict.is_linearizable is not False:
            return False
        numbers = {one.number for one in verdict.prefix}
        self.operations = [one for one in operations if one.number in numbers]
        self.verdict = verdict
        return True

    def leave_out(self, candidates):
        """Tries to do without the candidates, in halves, quarters and so on."""
        size = len(candidates)
        while size >= 1:
            for start in range(0, len(candidates), size):
                chosen = {one.number for one in candidates[start:start + size]} - {self.verdict.failed.number}
                rest = [one for one in self.operations if one.number not in chosen]
                if len(rest) < len(self.operations):
                    self.still_fails(rest)
            size //= 2

    def leave_out_cap(self):
        if not any(one.is_known and one.outcome.get("problem") == "form-full" for one in self.operations):
            capped, self.history = self.history, dataclasses.replace(self.history, cap=None)
            if not self.still_fails(self.operations):
                self.history = capped

    def leave_out_slots(self):
        """Other submissions matter only for counts."""
        if self.history.cap is not None or any(one.kind == "results" for one in self.operations):
            return
        for slot in dict.fromkeys(one.slot for one in self.operations if one.slot is not None):
            if slot != self.verdict.failed.slot:
                self.still_fails([one for one in self.operations if one.slot != slot])

    def weaken(self, candidates):
        """Tries to do without what responses said, so that these operations may or may not have happened."""
        size = len(candidates)
        while size >= 1:
            for start in range(0, len(candidates), size):
                chosen = {one.number for one in candidates[start:start + size]} - {self.verdict.failed.number}
                weaker = [dataclasses.replace(one, outcome=None, returned=None, reason="does not matter")
                          if one.number in chosen else one for one in self.operations]
                if any(one.is_known for one in self.operations if one.number in chosen):
                    self.still_fails(weaker)
            size //= 2


def explained(history, verdict):
    """The lines that explain a failure: what happened, as short as possible, and what the model allows instead."""
    smaller, reason = Shrinking(history, verdict).run()
    lines = trace(smaller, reason)
    for what, whole, one in (("in the whole history", history, verdict), ("in this part of it", smaller, reason)):
        model = Model(whole.with_operations(prepared(whole)))
        lines.append(f"Before it, the model allows {what}:")
        lines += [f"  {model.described(state, one.failed)}" for state in one.states[:3]]
        if len(one.states) > 3:
            lines.append(f"  … and {len(one.states) - 3} more states")
    return smaller, lines


def trace(history, verdict):
    start = min(one.invoked for one in history.operations)
    kinds = [f"cap {history.cap}" if history.cap is not None else None,
             "one submission a device" if history.once_only else None, "anonymous" if history.anonymous else None]
    lines = [f"form {history.name} ({', '.join(filter(None, kinds)) or 'plain'}), first version {history.token}, "
             f"tag f{history.revision}-open; times of invocation and response, instance, client, request, response:"]
    silent = 0
    for one in sorted(history.operations, key=lambda one: one.invoked):
        if one.reason == "does not matter":
            silent += 1
        else:
            lines.append(("> " if one.number == verdict.failed.number else "  ") + one.line(start))
    if silent:
        lines.append(f"  and {silent} further writes, of which each may have happened or not: it makes no difference")
    lines.append(f"The response marked by > is {canonical(verdict.failed.outcome)}")
    lines.append("No order of these operations explains it.")
    return lines

"""Decides whether a history of one form is linearizable: whether every operation can be given one instant between its
invocation and its response, so that all responses are those of the model, asked one after another.

The search is that of Wing and Gong (Testing and Verifying Concurrent Objects, 1993) with states that are remembered. An
operation takes effect as late as its response allows, as in Lowe (Testing for Linearizability, 2017). Forms are checked
one by one, because linearizability is local (Herlihy and Wing, 1990). Three rules make it small:

- An operation that changes nothing in a state in which its response is right may take effect there at once: no later
  operation can find out. A correction is not among them, since it might change something later.
- Of two neighbours that commute in a state, only one order is tried, unless a response was explained between them.
- Before the response of an operation, only operations are tried that it depends on, directly or through others.

An operation without a known outcome stays possible until the end, and is never required.
"""

import dataclasses
import itertools

from histories.model import Model, set_floors
from histories.operation import ACTIONS, READS, History, Operation

# Steps of the model for one form. A history that needs more is reported as undecided.
BUDGET = 2_000_000
# What each kind of operation reads and writes, besides its own slot.
READ = {"own": set(), "results": {"count", "version"}, "export": {"count"}, "public": {"life", "version"},
        "host": {"life", "version"}, "meeting": {"count", "life", "version"}}


@dataclasses.dataclass
class Verdict:
    """`failed` is the first response that cannot be explained. `states` are those before it, without its effect."""
    is_linearizable: bool | None
    steps: int
    failed: Operation | None = None
    states: tuple = ()
    prefix: tuple = ()


class OutOfBudget(Exception):
    """The search needs too many steps."""


def check(history: History, budget=BUDGET):
    return Search(history, budget).run()


class Search:
    def __init__(self, history, budget):
        self.history, self.budget, self.steps = history, budget, 0
        self.operations = prepared(history)
        self.model = Model(history.with_operations(self.operations))
        self.uses = {one.number: self.footprint(one) for one in self.operations}
        self.pending, self.known = {}, {}

    def run(self):
        configurations = {(self.model.initial, frozenset())}
        invoked = []
        try:
            for operation, is_response in events(self.operations):
                if not is_response:
                    invoked.append(operation)
                    self.pending[operation.number] = operation
                    configurations = {self.settled(state, done, [operation]) for state, done in configurations}
                    continue
                before, configurations = configurations, self.responded(configurations, operation)
                del self.pending[operation.number]
                if not configurations:
                    states = tuple(dict.fromkeys(state for state, _ in before))
                    return Verdict(False, self.steps, operation, states, tuple(invoked))
        except OutOfBudget:
            return Verdict(None, self.steps)
        return Verdict(True, self.steps)

    def responded(self, configurations, operation):
        """The configurations after a response: in each the operation has taken effect."""
        related, found = self.related(operation), set()
        for state, done in configurations:
            if operation.number in done:
                found.add((state, done - {operation.number}))
            else:
                self.explore(state, done, operation, related, found)
        return found

    def explore(self, state, done, operation, related, found):
        """Lets other pending operations take effect, in every order that matters, and then the operation."""
        seen, stack = set(), [(state, done, None)]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            state, done, last = node
            for after in self.after(state, operation):
                if not self.is_needless(last, operation, after):
                    after, now = self.settled(after, done | {operation.number})
                    found.add((after, now - {operation.number}))
            for number in related:
                if number in done:
                    continue
                other = self.pending[number]
                for after in self.after(state, other):
                    if after == state and not other.is_known:
                        continue
                    if last and number < last[0] and self.is_needless(last, other, after):
                        continue
                    reached, now = self.settled(after, done | {number})
                    # If a response was explained, what follows cannot be exchanged with what came before.
                    is_pure = len(now) == len(done) + 1
                    stack.append((reached, now, (number, state) if is_pure else None))

    def is_needless(self, last, operation, after):
        """Whether the last operation and this one lead to the same state in the other order."""
        if last is None:
            return False
        number, before = last
        return any(after in self.after(middle, self.pending[number]) for middle in self.after(before, operation))

    def settled(self, state, done, candidates=None):
        """Lets pending operations take effect whose responses are right and that can never change anything."""
        for operation in self.pending.values() if candidates is None else candidates:
            if operation.number in done or not operation.is_known or is_correction(operation):
                continue
            if state in self.after(state, operation):
                done |= {operation.number}
        return state, done

    def after(self, state, operation):
        key = (state, operation.number)
        if (found := self.known.get(key)) is None:
            self.steps += 1
            if self.steps > self.budget:
                raise OutOfBudget
            if len(self.known) > 200_000:
                self.known.clear()
            found = self.known[key] = self.model.after(state, operation)
        return found

    # Which operations depend on each other

    def footprint(self, operation):
        """What an operation reads and what it writes. Counts are added to, which commutes."""
        slot = {operation.slot} if operation.slot is not None else set()
        if operation.kind in READ:
            life = {"life"} if operation.kind == "own" and self.model.anonymous else set()
            return READ[operation.kind] | slot | life, set(), set()
        if operation.kind in ACTIONS or operation.kind == "complete":
            return set(), {"life", "version"}, set()
        reads = {"life"} | ({"version"} if operation.arguments.get("version", 0) is None else set())
        if operation.kind == "submit" and self.model.cap is not None:
            reads.add("count")
        return reads, slot, {"count"}

    def depend(self, one, other):
        (reads, writes, adds), (others_reads, others_writes, others_adds) = self.uses[one], self.uses[other]
        return bool(writes & (others_reads | others_writes) or others_writes & reads
                    or adds & others_reads or others_adds & reads)

    def related(self, operation):
        """The pending operations that may matter for an operation, directly or through others."""
        found, queue = {operation.number}, [operation.number]
        while queue:
            one = queue.pop()
            for other in self.pending:
                if other not in found and self.depend(one, other):
                    found.add(other)
                    queue.append(other)
        return sorted(found - {operation.number})


def is_correction(operation):
    return operation.kind == "correct" and "problem" not in operation.outcome


def events(operations):
    """Invocations and responses in the order of their times. At the same time, invocations come first."""
    found = [(one.invoked, False, one.number, one) for one in operations]
    found += [(one.returned, True, one.number, one) for one in operations if one.is_known]
    return [(one, is_response) for _, is_response, _, one in sorted(found, key=lambda event: event[:3])]


def prepared(history):
    """The operations as the search takes them: repeated unknown ones once, and finishing in its parts."""
    operations = [dataclasses.replace(one) for one in history.operations]
    set_floors(operations)
    numbers = itertools.count(max((one.number for one in operations), default=0) + 1)
    found, unknown = [], {}
    for one in sorted(operations, key=lambda one: one.invoked):
        if not one.is_known and one.kind in READS:
            continue
        if not one.is_known and (key := repetition(one)) is not None:
            if key in unknown:
                unknown[key].floor = min(unknown[key].floor, one.floor)
                continue
            unknown[key] = one
        found.append(one)
        if one.kind == "finish" and history.anonymous:
            found += parts(one, numbers)
    return found


def repetition(operation):
    """The same for unknown operations of which only the first can matter: it may take effect whenever a later one may,
    and a second effect is impossible. None for others."""
    sent = operation.arguments
    match operation.kind:
        case "submit":
            return operation.kind, sent["key"], sent["body"]
        case "withdraw":
            return operation.kind, operation.slot
        case "close" | "reopen" | "finish" | "edit" if sent["tag"] is not None or operation.kind == "finish":
            return operation.kind, sent["tag"], sent.get("token")
    return None


def parts(operation, numbers):
    """An anonymous form that is finished becomes final by a later change, which the response waits for if it can. So
    the response is another reading of the form.
    """
    complete = Operation(next(numbers), "service", operation.instance, "complete", {}, operation.invoked,
                         reason="done by the service itself")
    if operation.outcome is None or "problem" in operation.outcome:
        return [complete]
    reading = dataclasses.replace(operation, number=next(numbers), kind="host", arguments={})
    operation.outcome = {}
    return [complete, reading]

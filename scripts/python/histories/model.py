"""The small model of a form: what each operation may answer in a state, and the state after it.

It is written from docs/life-of-a-form.md and docs/data-model.md and shares no code with the program.
"""

import collections
import functools
import json

# How old the version may be against which another instance checks a submission that names none: the two seconds of
# docs/reliability.md, and the time that reading the form may take on a busy machine.
STALENESS = 3.0

OPEN, CLOSED, FINALISING, FINAL = "open", "closed", "finalising", "final"

# A form: its life, the number in its tag, the tokens of its versions, and a row or None for each slot.
State = collections.namedtuple("State", "life revision tokens rows")
# A stored submission. `id` has its receipt too, and is None as long as no response has named it.
Row = collections.namedtuple("Row", "key body id withdrawn version answers")


@functools.lru_cache(maxsize=100_000)
def parsed(answers):
    """The rating of some answers, and the token of the version that they answer."""
    values = json.loads(answers)
    tokens = [key[1:] for key in values if key != "pace"]
    return values.get("pace"), tokens[0] if len(tokens) == 1 else None


@functools.lru_cache(maxsize=100_000)
def counted(rows):
    """The number of submissions, of each rating, and of answers to the question of each version."""
    present = [row for row in rows if row is not None and not row.withdrawn]
    paces, tokens = collections.Counter(), collections.Counter()
    for row in present:
        pace, token = parsed(row.answers)
        paces[str(pace)] += 1
        tokens[token] += 1
    return len(present), dict(paces), tokens


def set_floors(operations):
    """Computes, for each submission or correction without a version, the smallest version that it may be checked
    against: the newest that its own instance had acknowledged before, and that any had acknowledged `STALENESS` before.
    """
    edits = [(one.returned, one.instance, one.outcome["version"]) for one in operations
             if one.kind == "edit" and one.is_known and "version" in one.outcome]
    for one in operations:
        if one.kind in ("submit", "correct") and one.arguments["version"] is None:
            one.floor = max((version for returned, instance, version in edits
                             if returned < one.invoked - (0 if instance == one.instance else STALENESS)), default=1)


class Model:
    def __init__(self, history):
        self.cap, self.anonymous = history.cap, history.anonymous
        slots = sorted({one.slot for one in history.operations if one.slot is not None})
        self.slots = {slot: index for index, slot in enumerate(slots)}
        self.initial = State(OPEN, history.revision, (history.token,), (None,) * len(slots))
        self.rules = {
            "submit": self.submit, "correct": self.correct, "withdraw": self.withdraw, "own": self.own,
            "results": self.results, "meeting": self.meeting, "export": self.export, "public": self.public,
            "host": self.host, "edit": self.action, "close": self.action, "reopen": self.action,
            "finish": self.action, "complete": self.complete,
        }

    def after(self, state, operation):
        """Every state in which the form may be after the operation had its outcome; empty if it could not have it."""
        return list(dict.fromkeys(self.rules[operation.kind](state, operation)))

    # Submissions

    def submit(self, state, operation):
        sent, outcome = operation.arguments, operation.outcome
        index = self.slots[operation.slot]
        row = state.rows[index]
        for version in self.versions(state, operation):
            is_valid = self.is_valid(state, version, sent["answers"])
            problems = self.refusals(state, row, sent, is_valid)
            if problems:
                if outcome and outcome.get("problem") in problems:
                    yield state
            elif row is not None:
                yield from self.replay(state, index, row, outcome)
            elif outcome is None or "id" in outcome and not outcome["replayed"]:
                identity = outcome and outcome["id"]
                if identity is None or all(one is None or one.id != identity for one in state.rows):
                    stored = Row(sent["key"], sent["body"], identity, False, version, sent["answers"])
                    yield replaced(state, index, stored)

    @staticmethod
    def replay(state, index, row, outcome):
        if outcome and outcome.get("replayed") and row.id in (None, outcome["id"]):
            yield replaced(state, index, row._replace(id=outcome["id"]))

    def refusals(self, state, row, sent, is_valid):
        """The problems with which a submission may be refused; empty if it is stored or was stored earlier."""
        if state.life in (FINALISING, FINAL):
            # Answers are checked before the state of the form.
            is_known = row is not None and not self.anonymous
            return {"form-final"} | (set() if is_valid or is_known else {"validation-failed"})
        if row is not None:
            if row.withdrawn:
                return {"withdrawn"}
            if row.key != sent["key"]:
                return {"already-submitted"}
            return set() if row.body == sent["body"] else {"idempotency-conflict"}
        if not is_valid:
            return {"validation-failed"}
        if state.life == CLOSED:
            return {"form-closed"}
        if self.cap is not None and counted(state.rows)[0] >= self.cap:
            return {"form-full"}
        return set()

    def versions(self, state, operation):
        """The versions against which a submission may be checked in this state."""
        named = operation.arguments["version"]
        if named is not None:
            return [named] if named <= len(state.tokens) else []
        return range(operation.floor, len(state.tokens) + 1)

    @staticmethod
    def is_valid(state, version, answers):
        return parsed(answers)[1] == state.tokens[version - 1]

    def correct(self, state, operation):
        sent, outcome = operation.arguments, operation.outcome
        index = self.slots[operation.slot]
        row = state.rows[index]
        if row is None:
            return
        problem = outcome.get("problem") if outcome else None
        if problem in self.unreadable(state, row):
            yield state
        if row.withdrawn:
            return
        for version in self.versions(state, operation):
            if not self.is_valid(state, version, sent["answers"]):
                if problem == "validation-failed":
                    yield state
            elif state.life == OPEN:
                if outcome is None or outcome == {"version": version, "answers": sent["answers"]}:
                    yield replaced(state, index, row._replace(version=version, answers=sent["answers"]))
            elif problem == refusal_of_change(state):
                yield state

    def withdraw(self, state, operation):
        index = self.slots[operation.slot]
        row, outcome = state.rows[index], operation.outcome
        if row is None:
            return
        problem = outcome.get("problem") if outcome else None
        if problem is not None:
            # A repeated withdrawal is never refused with 410.
            if problem in self.unreadable(state, row) - {"withdrawn"}:
                yield state
            elif not row.withdrawn and state.life != OPEN and problem == refusal_of_change(state):
                yield state
        elif row.withdrawn:
            yield state
        elif state.life == OPEN:
            yield replaced(state, index, row._replace(withdrawn=True))

    def own(self, state, operation):
        row, outcome = state.rows[self.slots[operation.slot]], operation.outcome
        if row is None:
            return
        if "problem" in outcome:
            if outcome["problem"] in self.unreadable(state, row):
                yield state
        elif not row.withdrawn and not (self.anonymous and state.life == FINAL) and outcome == {
                "version": row.version, "answers": row.answers}:
            yield state

    def unreadable(self, state, row):
        """The problems with which reading a submission by its receipt may be refused."""
        problems = {"withdrawn"} if row.withdrawn else set()
        # Once nothing links an answer to its author, its receipt is unknown.
        if self.anonymous and state.life in (FINALISING, FINAL):
            problems.add("form-final")
        return problems

    # What is shown

    def results(self, state, operation):
        found = operation.outcome
        number, paces, tokens = counted(state.rows)
        if found["submissions"] != number or found["version"] != len(state.tokens):
            return
        # An anonymous form withholds counts until they cover a whole group; docs/analysis.md has those rules.
        if self.anonymous or found["paces"] == paces and found["tokens"] == {one: tokens[one] for one in state.tokens}:
            yield state

    def meeting(self, state, operation):
        if operation.outcome == {"submissions": counted(state.rows)[0], "state": visible(state),
                                 "version": len(state.tokens)}:
            yield state

    def export(self, state, operation):
        if self.anonymous:
            if operation.outcome == {"problem": "anonymous-form"}:
                yield state
            return
        found = {id: tuple(row) for id, row in operation.outcome.items()}
        present = [row for row in state.rows if row is not None and not row.withdrawn]
        # Answers are all different. The id of a submission without a response is not known.
        known = {row.id.split()[0]: (row.version, row.answers) for row in present if row.id}
        unknown = sorted((row.version, row.answers) for row in present if not row.id)
        rest = sorted(row for id, row in found.items() if id not in known)
        if rest == unknown and all(found.get(id) == row for id, row in known.items()):
            yield state

    def public(self, state, operation):
        if operation.outcome == {"state": visible(state), "version": len(state.tokens), "token": state.tokens[-1]}:
            yield state

    def host(self, state, operation):
        if operation.outcome == shown(state):
            yield state

    # What hosts do

    def action(self, state, operation):
        changed, problem = self.decided(state, operation)
        outcome = operation.outcome
        if outcome is None or outcome.get("problem") == problem and (
                problem is not None or outcome == shown(changed) or not outcome):
            yield changed

    def decided(self, state, operation):
        """The state after an action of a host, and the problem with which it is refused."""
        tag = operation.arguments["tag"]
        if tag is not None and tag != shown(state)["tag"]:
            return state, "precondition-failed"
        is_final, revision = state.life in (FINALISING, FINAL), state.revision + 1
        match operation.kind:
            case "edit":
                if is_final:
                    return state, "form-final"
                return state._replace(tokens=state.tokens + (operation.arguments["token"],), revision=revision), None
            case "close" if state.life == OPEN:
                return state._replace(life=CLOSED, revision=revision), None
            case "reopen" if is_final:
                return state, "form-final"
            case "reopen" if state.life == CLOSED:
                return state._replace(life=OPEN, revision=revision), None
            case "finish" if not is_final:
                return state._replace(life=FINALISING if self.anonymous else FINAL, revision=revision), None
        return state, None

    def described(self, state, operation):
        """A state in words, with the row that an operation is about."""
        text = f"{state.life}, tag {shown(state)['tag']}, version {len(state.tokens)} ({state.tokens[-1]}), "
        number, paces, _ = counted(state.rows)
        text += f"{number} submissions, ratings {json.dumps(dict(sorted(paces.items())))}"
        if operation.kind == "export":
            rows = {row.id and row.id.split()[0]: [row.version, row.answers]
                    for row in state.rows if row is not None and not row.withdrawn}
            found = operation.outcome
            return text + "".join(f"; {id} is {rows.get(id)}, exported {found.get(id)}"
                                  for id in rows | found if rows.get(id) != found.get(id))
        if operation.slot is None:
            return text
        row = state.rows[self.slots[operation.slot]]
        if row is None:
            return text + "; the submission is not stored"
        return text + ("; the submission is withdrawn" if row.withdrawn
                       else f"; the submission is {row.answers} of version {row.version}")

    @staticmethod
    def complete(state, _):
        """What the service does by itself after an anonymous form was finished."""
        yield state._replace(life=FINAL) if state.life == FINALISING else state


def replaced(state, index, row):
    rows = list(state.rows)
    rows[index] = row
    return state._replace(rows=tuple(rows))


def refusal_of_change(state):
    return "form-closed" if state.life == CLOSED else "form-final"


def visible(state):
    return CLOSED if state.life == FINALISING else state.life


def shown(state):
    """The form as its host sees it."""
    return {
        "state": visible(state), "finalising": state.life == FINALISING,
        "version": len(state.tokens), "token": state.tokens[-1], "tag": f"f{state.revision}-{state.life}",
    }

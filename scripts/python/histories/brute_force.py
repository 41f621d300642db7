"""Decides small histories by trying every order, to compare the search with it; and makes random ones."""

import random

from histories.model import Model, counted, shown, visible
from histories.operation import History, Operation, canonical
from histories.search import prepared

PROBLEMS = ("form-closed", "form-final", "form-full", "withdrawn", "validation-failed", "idempotency-conflict",
            "precondition-failed")
KINDS = ("submit", "correct", "withdraw", "own", "results", "public", "meeting", "close", "reopen", "edit", "finish")
# The number of kinds besides submissions in one history. With few of them, more depends on their order.
FEWEST, MOST = 2, 4
OPERATIONS, LENGTH = 8, 12
# The share of operations without a known outcome, and of histories in which one outcome is replaced.
SHARE_OF_UNKNOWN, SHARE_OF_SPOILED = 0.1, 0.8


def is_linearizable(history):
    operations = prepared(history)
    model = Model(history.with_operations(operations))

    def explains(state, rest):
        if not any(one.is_known for one in rest):
            return True
        first_end = min(one.returned for one in rest if one.is_known)
        return any(explains(after, [other for other in rest if other is not one])
                   for one in rest if one.invoked <= first_end for after in model.after(state, one))
    return explains(model.initial, operations)


def random_history(seed):
    """A history whose outcomes are those of the model at random instants, except for at most one."""
    rng = random.Random(seed)
    history = History("random", False, rng.random() < 0.3, rng.choice([None, None, 1]), "t1", 1, [])
    kinds = ["submit", *rng.sample(KINDS, rng.randint(FEWEST, MOST))]
    for number in range(1, rng.randint(3, OPERATIONS) + 1):
        begin = rng.randrange(LENGTH)
        kind = rng.choice(kinds)
        history.operations.append(Operation(
            number, "client", rng.randrange(2), kind, arguments(kind, rng), begin,
            begin + rng.choice([1, 2, 3, 6]), {}))
    decide(history, rng)
    if rng.random() < SHARE_OF_SPOILED:
        spoil(history, rng)
    return history


def arguments(kind, rng):
    slot = rng.choice("aab")
    version, token = rng.choice([(1, "t1"), (None, "t1"), (None, "t2"), (2, "t2")])
    # Few different answers, so that a correction may write what is there.
    answers = canonical({"pace": 1 if kind == "submit" else rng.choice([1, 2]), f"q{token}": slot})
    match kind:
        case "submit":
            return {"slot": slot, "key": slot, "version": version, "answers": answers, "body": f"{version} {answers}"}
        case "correct":
            return {"slot": slot, "version": version, "answers": answers}
        case "withdraw" | "own":
            return {"slot": slot}
        case "edit":
            return {"tag": rng.choice(["f1-open", "f2-open", "f2-closed"]), "token": "t2"}
        case "close" | "reopen" | "finish":
            return {"tag": rng.choice([None, "f1-open", "f2-closed"])}
    return {}


def decide(history, rng):
    """Gives each operation an outcome that the model allows at a random instant of it, or an unknown one."""
    model = Model(history)
    state = model.initial
    instants = sorted(((rng.uniform(one.invoked, one.returned), one) for one in history.operations),
                      key=lambda pair: pair[0])
    for _, one in instants:
        choices = [(outcome, after) for outcome in outcomes(model, state, one)
                   for after in allowed(model, state, one, outcome)]
        one.outcome, state = rng.choice(choices) if choices else (None, state)
        if one.outcome is None or rng.random() < SHARE_OF_UNKNOWN:
            one.outcome = one.returned = None


def allowed(model, state, operation, outcome):
    operation.outcome = outcome
    return model.after(state, operation)


def outcomes(model, state, operation):
    """Every response that the operation may have in some state like this one."""
    found = [{"problem": problem} for problem in PROBLEMS]
    number, paces, tokens = counted(state.rows)
    match operation.kind:
        case "submit":
            found += [{"id": f"{operation.slot} receipt", "replayed": replayed} for replayed in (False, True)]
        case "correct":
            found += [{"version": version, "answers": operation.arguments["answers"]} for version in (1, 2)]
        case "withdraw":
            found = [{}] + found
        case "own":
            found += [{"version": row.version, "answers": row.answers} for row in state.rows if row]
        case "results":
            return [{"submissions": number, "version": len(state.tokens), "paces": paces,
                     "tokens": {one: tokens[one] for one in state.tokens}}]
        case "public":
            return [{"state": visible(state), "version": len(state.tokens), "token": state.tokens[-1]}]
        case "meeting":
            return [{"submissions": number, "state": visible(state), "version": len(state.tokens)}]
        case _:
            found.append(shown(model.decided(state, operation)[0]))
    return found


def spoil(history, rng):
    """Gives one operation the outcome of another state, or of another time."""
    one = rng.choice(history.operations)
    others = [other.outcome for other in history.operations
              if other.kind == one.kind and other.is_known and other is not one]
    if others and one.is_known and rng.random() < 0.5:
        one.outcome = rng.choice(others)
    elif one.is_known:
        later = rng.uniform(-LENGTH, LENGTH)
        one.invoked, one.returned = one.invoked + later, one.returned + later

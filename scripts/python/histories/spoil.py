"""Histories that are wrong: recorded ones in which one response is changed, and short ones written by hand."""

import copy

from histories.model import parsed
from histories.operation import History, Operation, canonical

ANOTHER_ID = "00000000-0000-8000-8000-000000000000 receipt"


class Spoiled:
    """A copy of a recorded history, whose operations are found by the labels of the script."""

    def __init__(self, history, labels):
        self.history = copy.deepcopy(history)
        by_number = {one.number: one for one in self.history.operations}
        self.found = {label: by_number[number] for label, number in labels.items() if number in by_number}

    def __getitem__(self, label):
        return self.found[label]

    def count(self, label, change, pace="2"):
        """Changes a count, the number of its rating and of its version, so that the counts agree with each other."""
        outcome = self[label].outcome
        outcome["submissions"] += change
        if "paces" in outcome:
            outcome["paces"][pace] = outcome["paces"].get(pace, 0) + change
            token = parsed(self["created"].arguments["answers"])[1]
            outcome["tokens"][token] += change


def accepted(spoiled, label):
    spoiled[label].outcome = {"id": ANOTHER_ID, "replayed": False}


def of_another_version(spoiled):
    spoiled["own"].outcome["version"] += 1


def changed(label, **values):
    return lambda spoiled: spoiled[label].outcome.update(values)


def counted(label, change):
    return lambda spoiled: spoiled.count(label, change)


def taken(label):
    return lambda spoiled: accepted(spoiled, label)


def as_first_sent(spoiled):
    spoiled["own"].outcome["answers"] = spoiled["created"].arguments["answers"]


def as_first_exported(spoiled):
    id = spoiled["created"].outcome["id"].split()[0]
    spoiled["export"].outcome[id][1] = spoiled["created"].arguments["answers"]


def missing(spoiled):
    del spoiled["export"].outcome[spoiled["created"].outcome["id"].split()[0]]


def exported_twice(spoiled):
    rows = spoiled["export"].outcome
    rows[ANOTHER_ID.split()[0]] = rows[spoiled["created"].outcome["id"].split()[0]]


def another_rating(spoiled):
    paces = spoiled["count"].outcome["paces"]
    paces["2"] -= 1
    paces["3"] = paces.get("3", 0) + 1


def readable(spoiled):
    sent = spoiled["second"].arguments
    spoiled["own withdrawn"].outcome = {"version": sent["version"], "answers": sent["answers"]}


def old_questions(spoiled):
    spoiled["shown edited"].outcome["token"] = spoiled["closed"].outcome["token"]


def mixed_questions(spoiled):
    tokens = sorted({spoiled["shown edited"].outcome["token"], spoiled["closed"].outcome["token"]})
    spoiled["shown edited"].outcome["token"] = "mixed: " + " ".join(tokens)


def both_edits(spoiled):
    edit, second = spoiled["edited"].outcome, spoiled["outdated edit"]
    revision = int(edit["tag"].partition("-")[0][1:])
    second.outcome = edit | {"version": edit["version"] + 1, "token": second.arguments["token"],
                             "tag": f"f{revision + 1}-open"}


def id_of_another(spoiled):
    spoiled["second"].outcome["id"] = spoiled["created"].outcome["id"]


def corrected_when_final(spoiled):
    late = spoiled["plain: too late"]
    late.outcome = {"version": late.arguments["version"], "answers": late.arguments["answers"]}


# By kind of form: what is wrong, and how a recorded history is made so.
SPOILS = {
    "plain": [
        ("a count is one too high", counted("count", 1)),
        ("a count is one too low", counted("count", -1)),
        ("an answer is counted as another rating", another_rating),
        ("the list of meetings has another count", counted("meeting", 1)),
        ("a withdrawn submission is still counted", counted("count after withdrawal", 1)),
        ("a withdrawn submission can be read", readable),
        ("a correction is lost", as_first_sent),
        ("a correction is not exported", as_first_exported),
        ("an acknowledged submission is not exported", missing),
        ("a submission is exported twice", exported_twice),
        ("an acknowledged submission is unknown", lambda spoiled: setattr(
            spoiled["own"], "outcome", {"problem": "not-found"})),
        ("a submission names another version than it was sent for", of_another_version),
        ("a replay gets another id", changed("replay", id=ANOTHER_ID)),
        ("a replay is answered as a new submission", changed("replay", replayed=False)),
        ("the first request is answered as a replay", changed("second", replayed=True)),
        ("two submissions get one id", id_of_another),
        ("an answer is accepted after an acknowledged close", taken("refused")),
        ("a closed form is shown open", changed("shown closed", state="open")),
        ("a tag skips a number", lambda spoiled: spoiled["reopened"].outcome.update(tag="f999-open")),
        ("a close with an outdated tag is accepted", lambda spoiled: spoiled["outdated close"].__setattr__(
            "outcome", dict(spoiled["closed"].outcome))),
        ("an edit shows the questions of the version before", old_questions),
        ("an edit mixes the questions of two versions", mixed_questions),
        ("of two edits of one version both are accepted", both_edits),
        ("the editing instance checks answers against the version before", taken("old answers")),
        ("a final form accepts a correction", corrected_when_final),
    ],
    "capped": [("a full form accepts a submission", taken("full"))],
    "device": [("a device submits twice", taken("second of the device"))],
    "anonymous": [("a final anonymous form lets its author correct", lambda spoiled: setattr(
        spoiled["anonymous: too late"], "outcome", {
            name: spoiled["anonymous: too late"].arguments[name] for name in ("version", "answers")}))],
}


# Histories written by hand: what they are, whether they are linearizable, and their operations.


def by_hand(*operations):
    return History("by hand", False, False, None, "t1", 1, list(operations))


def submit(number, name, invoked, returned):
    answers = canonical({"pace": number, "qt1": name})
    outcome = None if returned is None else {"id": f"{name} receipt", "replayed": False}
    return Operation(number, name, 0, "submit", {
        "slot": name, "key": name, "version": 1, "answers": answers, "body": answers}, invoked, returned, outcome)


def read(number, paces, invoked, returned):
    return Operation(number, "reader", 1, "results", {}, invoked, returned, {
        "submissions": sum(paces.values()), "version": 1, "paces": paces, "tokens": {"t1": sum(paces.values())}})


def correct(number, pace, invoked, returned):
    answers = canonical({"pace": pace, "qt1": "a"})
    return Operation(number, "author", 0, "correct", {"slot": "a", "version": 1, "answers": answers}, invoked, returned,
                     {"version": 1, "answers": answers})


BY_HAND = [
    ("two submissions at once, seen in the same order", True, by_hand(
        submit(1, "a", 0, 10), submit(2, "b", 0, 10), read(3, {"1": 1}, 1, 2), read(4, {"1": 1, "2": 1}, 3, 4))),
    ("two submissions at once, seen in two orders", False, by_hand(
        submit(1, "a", 0, 10), submit(2, "b", 0, 10), read(3, {"1": 1}, 1, 2), read(4, {"2": 1}, 3, 4))),
    ("a submission without a response that takes effect late", True, by_hand(
        submit(1, "a", 0, None), read(2, {}, 1, 2), read(3, {"1": 1}, 3, 4))),
    ("a submission without a response that never takes effect", True, by_hand(
        submit(1, "a", 0, None), read(2, {}, 1, 2))),
    ("a submission without a response that is undone", False, by_hand(
        submit(1, "a", 0, None), read(2, {"1": 1}, 1, 2), read(3, {}, 3, 4))),
    ("a submission that is seen before it is sent", False, by_hand(
        read(2, {"1": 1}, 0, 1), submit(1, "a", 2, 3))),
    ("a correction that writes what is there, after another one at once", True, by_hand(
        submit(1, "a", 0, 1), correct(2, 1, 2, 9), correct(3, 2, 2, 8), read(4, {"1": 1}, 10, 11))),
    ("a correction that writes what is there, before another one at once", True, by_hand(
        submit(1, "a", 0, 1), correct(2, 1, 2, 9), correct(3, 2, 2, 8), read(4, {"2": 1}, 10, 11))),
]

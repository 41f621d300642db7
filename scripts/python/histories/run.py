"""A run: rounds on one pair of instances, a line for each, and the trace of everything that is wrong."""

import collections
import json
import os
import random
import time

from histories.faults import FAULTS, SHORT
from histories.pair import Pair
from histories.round import Round
from histories.search import check
from histories.shrink import explained

# With --short, no round but the first begins after this number of seconds.
SHORT_TIME = 12


async def execute(options):
    began, results = time.monotonic(), []
    print(f"Seed {options.seed}, program {options.binary}", flush=True)
    pair, is_kept = await Pair.create(options.binary, options.folder), False
    try:
        for number, fault, seed in planned(options):
            if options.short and results and time.monotonic() - began > SHORT_TIME:
                break
            result = await Round(pair, number, fault, seed, options).execute()
            results.append(result)
            report(result)
            if not result.is_good:
                is_kept = True
                save(result, pair.folder)
        differences = (await pair.first.verify())["differences"]
    finally:
        await pair.remove(keep=is_kept)
    for difference in differences[:20]:
        print(f"BROKEN afterword verify: {difference}")
    return finish(options, results, time.monotonic() - began, pair.folder if is_kept else None, len(differences))


def planned(options):
    """The rounds: a number, a fault and a seed. Every fault is used before one is used again."""
    rng = random.Random(options.seed)
    names, number = options.only or (SHORT if options.short else list(FAULTS)), 0
    while number < options.rounds:
        for name in rng.sample(names, len(names)):
            number += 1
            if number <= options.rounds:
                yield number, name, rng.randrange(1 << 32)


def report(result):
    print(f"{result.number:5} {result.fault:16} {result.in_flight:2} in flight, {result.operations} requests, "
          f"{result.unknown} unknown, {result.steps:,} steps, {result.searching:.1f} of {result.seconds:.1f} s",
          flush=True)
    for sentence in result.faults:
        print(f"      BROKEN {sentence}", flush=True)
    for history in result.undecided:
        print(f"      undecided: the form {history.name} needs more steps than are tried", flush=True)
    for history, verdict in result.broken:
        explain(history, verdict)


def explain(history, verdict):
    print(f"      BROKEN not linearizable: {verdict.failed.kind} of {verdict.failed.client}", flush=True)
    for line in explained(history, verdict)[1]:
        print(f"      {line}", flush=True)


def report_histories(histories):
    """Checks histories of a file. Returns the number of those that are not linearizable."""
    broken = 0
    for history in histories:
        verdict = check(history)
        outcome = {True: "linearizable", False: "not linearizable", None: "undecided"}[verdict.is_linearizable]
        print(f"form {history.name}: {len(history.operations)} requests, {outcome}, {verdict.steps:,} steps")
        if verdict.is_linearizable is False:
            broken += 1
            explain(history, verdict)
    return broken


def save(result, folder):
    """Keeps the histories that are wrong, for `--check`."""
    histories = [history.saved() for history, _ in result.broken]
    if histories:
        path = os.path.join(folder, f"histories-{result.number}.json")
        with open(path, "w") as file:
            json.dump(histories, file)
        print(f"      Saved: {path}", flush=True)


def finish(options, results, seconds, kept, differences):
    broken = sum(len(result.broken) + len(result.faults) for result in results) + differences
    undecided = sum(len(result.undecided) for result in results)
    operations = sum(result.operations for result in results)
    by_fault = collections.Counter(result.fault for result in results)
    print(f"\n{len(results)} rounds ({', '.join(f'{count} {name}' for name, count in by_fault.items())}), "
          f"{operations:,} requests, {sum(result.unknown for result in results):,} of them with an unknown outcome, "
          f"{broken} broken, {undecided} undecided, {seconds:.0f} s, seed {options.seed}.")
    if kept:
        print(f"Kept: {kept}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"seed": options.seed, "seconds": round(seconds, 1), "rounds": dict(by_fault),
                       "operations": operations, "unknown": sum(result.unknown for result in results),
                       "inFlight": sum(result.in_flight for result in results), "broken": broken,
                       "undecided": undecided, "steps": sum(result.steps for result in results)}, file, indent=1)
    return 1 if broken or not results else 0

"""What a submission costs if one, two or three instances on one database share the load."""
import concurrent.futures, contextlib

from bench.processes import Cost
from bench.requests import submissions

INSTANCES = 3
CLIENTS = 192
FORMS = 100


@contextlib.contextmanager
def instances(service, count):
    """The service itself, and as many others as are missing."""
    others = []
    try:
        for _ in range(count - 1):
            others.append(service.instance())
        yield [service, *others]
    finally:
        for other in others:
            other.stop()


def submit(bench, running, meetings):
    """Submits to all instances at once, each with its share of the clients."""
    messages = submissions([meeting["form"]["code"] for meeting in meetings])
    share = CLIENTS // len(running)
    with Cost(*running) as cost, concurrent.futures.ThreadPoolExecutor(len(running)) as pool:
        tasks = [pool.submit(bench.load.run, each.port, messages, share, seconds=bench.options.seconds)
                 for each in running]
        reports = [task.result() for task in tasks]
    stored = sum(report["ok"] for report in reports)
    running[0].stored += stored
    return {"instances": len(running), "ok": stored, "rate": sum(report["rate"] for report in reports),
            **cost.each(stored)}


def measure(bench):
    with bench.service("instances") as service:
        many = [service.meeting(f"One of {FORMS}") for _ in range(5 if bench.options.short else FORMS)]
        for turn in bench.rounds:
            costs = {}
            # Each number of instances is the first in some round.
            numbers = [(turn + place) % INSTANCES + 1 for place in range(INSTANCES)]
            for count in numbers:
                with instances(service, count) as running:
                    for name, meetings in (("hot", [service.meeting("Hot")]), ("many", many)):
                        report = submit(bench, running, meetings)
                        costs[name, count] = report["service"] + report["postgres"]
                        bench.results.record("instances", forms=len(meetings), **report)
                        print(f"  {count} instances, {len(meetings):3} forms: {report['rate']:7,.0f}/s; services"
                              f" {report['service']:5.1f} + PostgreSQL {report['postgres']:5.1f} µs", flush=True)
            for count, key in ((2, "two-instances"), (3, "three-instances")):
                bench.results.add(f"{key}-hot", costs["hot", count] / costs["hot", 1])
                bench.results.add(f"{key}-many", costs["many", count] / costs["many", 1])

"""What reading costs: CPU time of service and PostgreSQL for each request, relative to `/livez` or to the JSON."""
import csv, json, random

from bench.processes import Cost
from bench.requests import request

ROUNDS, PEOPLE = 100, 30
RATINGS = [f"rating_{number}" for number in range(6)]
CHOICES = [f"choice_{number}" for number in range(4)]
LETTERS = "abcd"


def import_map():
    options = [{"id": letter, "label": letter.upper()} for letter in LETTERS]

    def question(key, kind, **more):
        return {"column": key, "key": key, "title": f"What about {key}?", "kind": kind, **more}
    return {
        "series": {"title": "Many rounds"}, "submittedAt": None,
        "meeting": {"by": "round", "order": "ascending", "title": "Round {round}"},
        "questions": [question(key, "rating") for key in RATINGS]
            + [question(key, "choice", options=options) for key in CHOICES],
    }


def imported_series(bench, service):
    """Imports a series of 100 rounds with 10 questions and 30 answers each. Returns the id of the middle round."""
    rounds = 20 if bench.options.short else ROUNDS
    numbers, path = random.Random(22), f"{bench.folder}/rounds"
    with open(f"{path}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["round", *RATINGS, *CHOICES])
        for turn in range(rounds * PEOPLE):
            ratings = [numbers.randint(1, 5) for _ in RATINGS]
            writer.writerow([turn // PEOPLE + 1, *ratings, *(numbers.choice(LETTERS) for _ in CHOICES)])
    with open(f"{path}.json", "w") as file:
        json.dump(import_map(), file)
    service.command("import", f"{path}.csv", "--map", f"{path}.json", "--host-email", "admin@localhost")
    service.stored += rounds * PEOPLE
    meetings = service.call("GET", "/v1/meetings?limit=200&q=Round")["items"]
    return next(meeting["id"] for meeting in meetings if meeting["round"] == rounds // 2)


def measured(bench, service, clients, message, status=200):
    with Cost(service) as cost:
        report = bench.load.run(service.port, [message], clients, seconds=bench.options.seconds, status=status)
    return {**report, **cost.each(report["ok"])}


def requests(service, meeting, round):
    """For each kind of reading: the number of clients, the request, and the expected status."""
    token = {"Authorization": f"Bearer {service.token}"}
    results, of_round = f"/v1/meetings/{meeting['id']}/results", f"/v1/meetings/{round}/results"
    _, tag = service.tagged("GET", results)
    browser = {"Accept": "text/html", "Accept-Encoding": "gzip", "Accept-Language": "en"}
    return {
        "livez": (64, request("GET", "/livez"), 200),
        "cached": (64, request("GET", results, token), 200),
        "not-modified": (64, request("GET", results, {**token, "If-None-Match": tag}), 304),
        "page": (64, request("GET", f"/f/{meeting['form']['code']}", browser), 200),
        "round-json": (8, request("GET", of_round, token), 200),
        "host-page": (8, request("GET", f"/meetings/{round}/results",
                                 {**browser, "Cookie": f"afterword-session={service.token}"}), 200),
    }


def measure(bench):
    with bench.service("reading") as service:
        meeting = service.meeting("A cached result")
        service.submit([meeting], 16, count=min(bench.options.rows, 2000))
        kinds = requests(service, meeting, imported_series(bench, service))
        for turn in bench.rounds:
            costs = {}
            for name, (clients, message, status) in kinds.items():
                report = measured(bench, service, clients, message, status)
                costs[name] = report["service"] + report["postgres"]
                bench.results.record("reading", kind=name, **report)
                print(f"  {name:12} {report['rate']:7,.0f}/s, p50 {report['p50']:6.1f} ms, service"
                      f" {report['service']:8.1f} + PostgreSQL {report['postgres']:8.1f} µs", flush=True)
            for name in ("cached", "not-modified", "page"):
                bench.results.add(name, costs[name] / costs["livez"])
            bench.results.add("host-page", costs["host-page"] / costs["round-json"])

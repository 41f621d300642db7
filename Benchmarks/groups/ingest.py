"""What a submission costs, and how many are stored in a second, beside pgbench's bare INSERT of the same row."""

FORMS = 100


class Contestant:
    """A program with its service, its 100 forms, and its table for pgbench."""

    def __init__(self, name, service):
        self.name, self.service = name, service
        self.forms = []

    def hot_form(self, bench, clients, title, **settings):
        """Submissions to one new form, which is hot because all clients answer it."""
        meeting = self.service.meeting(title, **settings)
        return self.service.submit([meeting], clients, seconds=bench.options.seconds)


def cpu(report):
    return report["service"] + report["postgres"]


def measure(bench):
    with bench.service("ingest") as service:
        bench.prepare_inserts(service)
        best = bench.best_inserting_clients(service)
        now = Contestant("now", service)
        now.forms = [service.meeting(f"One of {FORMS}") for _ in range(5 if bench.options.short else FORMS)]
        if bench.options.against is None:
            bench.results.lack("cpu-against", "no program was named with --against")
            for turn in bench.rounds:
                one_round(bench, turn, now, best)
            return
        with bench.service("ingest", bench.options.against, cluster="before") as service_before:
            before = Contestant("before", service_before)
            for turn in bench.rounds:
                one_round(bench, turn, now, best, before)


def one_round(bench, turn, now, best, before=None):
    service = now.service
    # Each program is the first in every other round.
    contestants = [now, before][::1 if turn % 2 else -1] if before else [now]
    bare = bench.inserts(service, 64)
    bare_best = bare if best == 64 else bench.inserts(service, best)
    hot_64 = now.hot_form(bench, 64, "Hot, 64 clients")
    hot = {each.name: each.hot_form(bench, 256, "Hot, 256 clients") for each in contestants}
    hot_256, earlier = hot["now"], hot.get("before")
    anonymous = now.hot_form(bench, 256, "Anonymous", anonymous=True)
    many = service.submit(now.forms, 256, seconds=bench.options.seconds)
    counting = bench.inserts(service, 64, "insert_and_count.sql")
    bench.results.record("ingest", bare=bare, best=best, bare_best=bare_best, hot_64=hot_64, hot_256=hot_256,
                         before=earlier, anonymous=anonymous, many=many, counting=counting)
    add = bench.results.add
    if before:
        add("cpu-against", cpu(hot_256) / cpu(earlier))
    add("cpu-bare", cpu(hot_64) / bare["postgres"])
    add("rate-256", hot_256["rate"] / bare_best["rate"])
    add("rate-64", hot_64["rate"] / bare_best["rate"])
    add("rate-counting", hot_64["rate"] / counting["rate"])
    add("forms", many["rate"] / hot_256["rate"])
    add("anonymous", anonymous["rate"] / hot_256["rate"])
    for name, report in (("64 clients", hot_64), ("256 clients", hot_256), ("256, before", earlier),
                         ("256, anonymous", anonymous), (f"256, {len(now.forms)} forms", many)):
        if report:
            print(f"  {name:15} {report['rate']:7,.0f}/s, p50 {report['p50']:5.1f} ms, p99 {report['p99']:5.1f} ms;"
                  f" service {report['service']:5.1f} + PostgreSQL {report['postgres']:5.1f} µs"
                  f" (client {report['client']:4.1f})", flush=True)
    for name, report in (("INSERT, 64", bare), (f"INSERT, {best}", bare_best), ("with a tally", counting)):
        print(f"  pgbench {name:12} {report['rate']:7,.0f}/s; PostgreSQL {report['postgres']:5.1f} µs", flush=True)

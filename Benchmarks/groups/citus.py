"""What a submission costs the servers of a Citus cluster (`--citus`), to plain PostgreSQL on one of these servers.

Submissions use the coordinator, or reach the workers without it (`--worker-urls`).
"""
import contextlib

from bench.citus import Citus
from bench.processes import cpu_seconds
from bench.service import Service

CLIENTS = 256
FORMS = 100
DATABASES = ("afterword_bench_plain", "afterword_bench_citus")
# Seconds of load before each measurement: connections are opened, and a form's worker is looked for.
WARM_UP = 1


class Way:
    """A service that stores submissions in one way."""

    def __init__(self, name, service, *options):
        self.name, self.service, self.options = name, service, options

    def measure(self, bench, citus, forms):
        """The CPU time of a submission by server, in microseconds."""
        service, servers = self.service, citus.servers
        service.submit(forms, CLIENTS, seconds=min(WARM_UP, bench.options.seconds))

        def now():
            return [cpu_seconds(service.process.pid), *(server.cpu_seconds() for server in servers)]
        before = now()
        report = service.submit(forms, CLIENTS, seconds=bench.options.seconds)
        program, coordinator, *workers = (1e6 * (new - old) / report["ok"] for new, old in zip(now(), before))
        return {"way": self.name, "forms": len(forms), "rate": report["rate"], "service": program,
                "coordinator": coordinator, "workers": workers}


@contextlib.contextmanager
def databases(citus):
    """A plain database on the coordinator's server, and one on the whole cluster."""
    plain, distributed = DATABASES
    try:
        citus.coordinator.create_database(plain)
        citus.create_database(distributed)
        yield
    finally:
        citus.coordinator.drop_database(plain)
        citus.drop_database(distributed)


def prepared(bench, name, cluster):
    """A service on a database whose tables are distributed if it is the cluster's, with its forms."""
    service = Service(bench.program, f"{bench.folder}/citus-{name}", bench.load, cluster, name)
    if isinstance(cluster, Citus):
        service.command("migrate", "--citus")
    bench.services.append(service)
    service.start().sign_in()
    service.forms = [service.meeting(f"One of {FORMS}") for _ in range(5 if bench.options.short else FORMS)]
    service.stop()
    return service


def measure(bench):
    citus = Citus(bench.options.citus)
    with databases(citus):
        plain = prepared(bench, DATABASES[0], citus.coordinator)
        distributed = prepared(bench, DATABASES[1], citus)
        ways = [Way("plain", plain), Way("citus", distributed),
                Way("direct", distributed, "--worker-urls", citus.worker_urls(DATABASES[1]))]
        for turn in bench.rounds:
            reports = {}
            # Each way is the first in some round.
            for way in ways[turn % 3:] + ways[:turn % 3]:
                service = way.service.start(*way.options)
                for suffix, forms in (("", [service.meeting("Hot")]), ("-many", service.forms)):
                    reports[way.name + suffix] = report = way.measure(bench, citus, forms)
                    bench.results.record("citus", **report)
                    workers = " + ".join(f"{each:5.1f}" for each in report["workers"])
                    print(f"  {way.name:6} {len(forms):3} forms: {report['rate']:7,.0f}/s; service"
                          f" {report['service']:5.1f}, coordinator {report['coordinator']:6.2f}, workers {workers} µs",
                          flush=True)
                service.stop()
            for suffix in ("", "-many"):
                whole = reports["plain" + suffix]["coordinator"]
                for name in ("citus", "direct"):
                    report = reports[name + suffix]
                    bench.results.add(f"{name}-workers{suffix}", sum(report["workers"]) / whole)
                    bench.results.add(f"{name}-coordinator{suffix}", report["coordinator"] / whole)
        for service in (plain, distributed):
            service.check()
            bench.services.remove(service)

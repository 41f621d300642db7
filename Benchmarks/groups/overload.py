"""Submissions of five times as many clients as may wait: how soon the others are refused, and when it is over.

A refused client sends again at once, which is worse than browsers and the Swift client do. Clients, service and
PostgreSQL share the machine.
"""
import http.client, statistics, time
from concurrent import futures

from groups.viewers import allow_open_files

BOUND = 512
TIMES = 5


def measure(bench):
    clients = BOUND * TIMES
    if not allow_open_files(clients):
        reason = f"the limit of open files does not allow {clients:,} clients"
        for key in ("refusal", "livez-overload", "after-overload"):
            bench.results.lack(key, reason)
        print(f"  not measured: {reason}")
        return
    with bench.service("overload") as service:
        service.stop()
        service.start("--intake-bound", str(BOUND))
        for turn in bench.rounds:
            meeting = service.meeting("Overload")
            with futures.ThreadPoolExecutor() as pool:
                load = pool.submit(service.submit, [meeting], clients, seconds=bench.options.seconds,
                                   allows_others=True)
                livez = probe(service.port, load)
                report = load.result()
            after = first_success(service, meeting, time.monotonic())
            if report["withoutRetryAfter"]:
                raise SystemExit(f"{report['withoutRetryAfter']} refusals had no Retry-After.")
            bench.results.record("overload", clients=clients, bound=BOUND, report=report, livez=livez, after=after)
            # In the short form, there may be no refusal.
            if report["other"]:
                bench.results.add("refusal", report["otherP50"])
            bench.results.add("after-overload", after)
            bench.results.add("livez-overload", statistics.median(livez))
            print(f"  {clients:,} clients, {BOUND} may wait: {report['rate']:,.0f} submissions/s; {report['other']:,}"
                  f" refused with Retry-After, median {report['otherP50']:.0f} ms, p99 {report['otherP99']:.0f} ms;"
                  f" /livez median {statistics.median(livez):.0f} ms, at most {max(livez):.0f} ms; accepted again after"
                  f" {after:.0f} ms", flush=True)


def probe(port, load):
    """Milliseconds that each `/livez` takes on the main port, on a connection from before, until the load ends."""
    connection, times = http.client.HTTPConnection("127.0.0.1", port, timeout=30), []
    while not times or not load.done():
        begin = time.monotonic()
        connection.request("GET", "/livez")
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise SystemExit(f"/livez answered {response.status}.")
        times.append((time.monotonic() - begin) * 1000)
        time.sleep(0.05)
    return times


def first_success(service, meeting, since):
    """Milliseconds until a new submission is accepted."""
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
        connection.request("POST", f"/v1/forms/{meeting['form']['code']}/submissions", '{"answers": {"pace": 4}}',
                           {"Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        if status == 201:
            service.stored += 1
            return (time.monotonic() - since) * 1000
        if status != 503:
            raise SystemExit(f"After the overload, a submission got {status}.")
        time.sleep(0.002)

"""What a streaming replica takes off the primary: the processor time of both for expensive reads of the large form."""
import http.client, sys

from bench.cluster import Cluster
from bench.processes import Cost
from bench.requests import answers
from groups.inside import paths
from groups.memory import exported

REPETITIONS = 10


def read_all(bench, service):
    """Filters, cross-tabs and searches, each after a new answer, and an export of all rows."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    for _ in range(2 if bench.options.short else REPETITIONS):
        for figure, path in paths(f"/v1/meetings/{service.form['id']}/results", bench.options.rows).values():
            if figure:
                service.submit_once(service.form, answers(3))
                connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"})
                answer = connection.getresponse()
                if answer.status != 200:
                    sys.exit(f"{path}: {answer.status} {answer.read()[:300]}")
                answer.read()
    exported(service, "submissions.csv")


def measure(bench):
    service = bench.large_form()
    replica = Cluster(f"{bench.folder}/replica", primary=service.cluster)
    try:
        for turn in bench.rounds:
            seconds = {}
            for name, options in (("alone", []), ("replica", ["--replica-url", replica.url(service.database)])):
                service.stop()
                service.start(*options)
                with Cost(service) as primary, Cost(cluster=replica) as other:
                    read_all(bench, service)
                seconds[name] = {"primary": primary.postgres_seconds, "replica": other.postgres_seconds,
                                 "service": primary.services_seconds}
            bench.results.record("replica", **seconds)
            alone, shared = seconds["alone"], seconds["replica"]
            print(f"  primary alone {alone['primary']:.2f} s; with a replica {shared['primary']:.2f} s"
                  f" ({shared['primary'] / alone['primary']:.2f}), the replica {shared['replica']:.2f} s", flush=True)
    finally:
        service.stop()
        service.start()
        replica.stop()

"""Drives a service on a Citus cluster that already runs, and changes the cluster under submissions.

    scripts/check-citus postgresql://postgres@127.0.0.1:5432/postgres \\
        --lose 'ssh worker2 pg_ctlcluster 15 main stop -m immediate' \\
        --restore 'ssh worker2 pg_ctlcluster 15 main start'

The URL names a database on the coordinator, to which at least two workers have been added with citus_add_node. Its user
is a superuser who reaches every server from this machine, and every server from the others, without a password. Each
server loads Citus and has `wal_level=logical`, because shards are moved by logical replication.

The script creates the database `afterword_check_citus` on each server, and drops it at the end. It distributes it over
all workers but the last, drives the main job, imports, exports, verifies, and makes an anonymous form final. Then it
adds the last worker and moves shards there, and loses this worker by the command --lose until --restore. Meanwhile
clients submit, and repeat a request without a response with its key. The forms of the other workers must accept
submissions all the time, those of the lost worker must answer 503, and every acknowledged submission must be stored
once. Without --lose, no worker is lost. With --direct, submissions reach the workers without the coordinator.

Exit status: 0 if every check succeeded, 1 if one failed.
"""

import argparse
import contextlib
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

import main_job
import page_service
from chaos.database import tool
from chaos.options import memory_folder
from ha_load import Load
from main_job import Client, Job, Unsuccessful, free_port, require

DATABASE = "afterword_check_citus"
FIXTURE = page_service.ROOT / "Tests/ImportsTests/Fixtures/lecture_ratings.csv"
MAP = page_service.ROOT / "examples/imports/lecture_ratings.map.json"
FORMS = 8
CLIENTS_OF_A_FORM = 2
TIMEOUT = 300
WHILE_A_WORKER_IS_LOST = 5
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("AFTERWORD_")}


def eventually(what, condition, seconds=TIMEOUT):
    ends = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < ends, f"after {seconds} s still not: {what}")
        time.sleep(0.05)


class Server:
    """A server of the cluster."""

    def __init__(self, url, address=None):
        self.parts = urllib.parse.urlsplit(url)
        if address:
            user = self.parts.netloc.rpartition("@")[0]
            self.parts = self.parts._replace(netloc=f"{user}@{address}" if user else address)
        self.address = address

    def url(self, database=DATABASE):
        return urllib.parse.urlunsplit(self.parts._replace(path="/" + database))

    def sql(self, *commands, database=DATABASE):
        done = subprocess.run(
            [tool("psql"), "-XqAt", "--set=ON_ERROR_STOP=1", f"--dbname={self.url(database)}",
             *(f"--command={command}" for command in commands)], capture_output=True, text=True, env=ENVIRONMENT)
        require(done.returncode == 0, f"{commands[0]}: {done.stderr.strip()}")
        return done.stdout.strip()


class Cluster:
    def __init__(self, url):
        self.maintenance = urllib.parse.urlsplit(url).path.lstrip("/") or "postgres"
        found = subprocess.run(
            [tool("psql"), "-XqAt", f"--dbname={url}",
             "--command=SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0",
             "--command=SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid"],
            capture_output=True, text=True, env=ENVIRONMENT)
        require(found.returncode == 0, found.stderr.strip())
        addresses = found.stdout.split()
        require(len(addresses) > 2, "the cluster needs a coordinator (citus_set_coordinator_host) and two workers")
        self.coordinator = Server(url, addresses[0])
        self.workers = [Server(url, address) for address in addresses[1:]]

    @property
    def servers(self):
        return [self.coordinator, *self.workers]

    def drop(self):
        """Drops the database everywhere. Citus may connect to it again in between."""
        for server in self.servers:
            database = "postgres" if server is not self.coordinator else self.maintenance

            def dropped(server=server, database=database):
                try:
                    server.sql(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)", database=database)
                    return True
                except Unsuccessful as reason:
                    if "being accessed" in str(reason):
                        return False
                    raise
            eventually("the database is dropped", dropped, 60)

    def create(self):
        """Creates the database on each server, without the last worker."""
        self.drop()
        for server in self.servers:
            server.sql(f"CREATE DATABASE {DATABASE}", database="postgres")
            server.sql("CREATE EXTENSION citus")
        host, _, port = self.coordinator.address.rpartition(":")
        self.coordinator.sql(f"SELECT citus_set_coordinator_host('{host}', {port})")
        for worker in self.workers[:-1]:
            self.add(worker)

    def add(self, worker):
        host, _, port = worker.address.rpartition(":")
        self.coordinator.sql(f"SELECT citus_add_node('{host}', {port})")

    def worker(self, code):
        """The address of the worker that has a form."""
        form = self.coordinator.sql(f"SELECT id FROM form WHERE code = '{code}'")
        return self.coordinator.sql(
            "SELECT nodename || ':' || nodeport FROM citus_shards WHERE shardid ="
            f" get_shard_id_for_distribution_column('submission', '{form}'::uuid)")

    def shards(self, worker):
        return int(self.coordinator.sql(
            "SELECT count(*) FROM citus_shards WHERE citus_table_type = 'distributed'"
            f" AND nodename || ':' || nodeport = '{worker.address}'"))


class Service:
    def __init__(self, program, cluster, folder):
        self.program, self.folder, self.log = program, folder, folder / "log"
        self.environment = ENVIRONMENT | {
            "AFTERWORD_DATA": str(folder / "data"), "AFTERWORD_SENDMAIL": "none",
            "AFTERWORD_DATABASE_URL": cluster.coordinator.url()}
        self.process, self.port = None, free_port()
        self.client = Client(f"http://127.0.0.1:{self.port}")

    def run(self, *command):
        done = subprocess.run(
            [self.program, *command], capture_output=True, text=True, env=self.environment, timeout=TIMEOUT)
        require(done.returncode == 0,
                f"afterword {' '.join(map(str, command))}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout

    def use(self, workers):
        """Sends submissions to these workers without the coordinator, from the next start."""
        self.environment["AFTERWORD_WORKER_URLS"] = " ".join(worker.url() for worker in workers)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--port", str(self.port)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment)
        main_job.wait_until_ready(self.client, TIMEOUT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            require(self.process.wait(TIMEOUT) == 0, "the service did not end with 0 after SIGTERM")

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def an_anonymous_form_becomes_final(job):
    client, bearer = job.client, job.bearer
    created = client.call("POST", "/v1/meetings", {"title": "Anonymous"}, bearer)
    path = f"/v1/meetings/{created['id']}"
    answer = client.send("GET", path + "/form", bearer=bearer)
    tag = next(value for name, value in answer.headers if name.lower() == "etag")
    body = {"title": "Anonymous", "questions": main_job.QUESTIONS, "anonymous": True}
    client.call("PUT", path + "/form", body, bearer, {"If-Match": tag})
    form = client.call("POST", path + "/form/publish", bearer=bearer)
    for number in range(12):
        answer = client.send(
            "POST", f"/v1/forms/{form['code']}/submissions", {"answers": {"pace": number % 5 + 1, "better": "More"}},
            {"Idempotency-Key": f"final-{number}-{'x' * 16}"})
        require(answer.status == 201, f"an anonymous submission returned {answer.status}: {answer.text[:200]}")
    client.call("POST", path + "/form/finish", bearer=bearer)
    eventually(
        "the anonymous form is final",
        lambda: client.call("GET", path + "/form", bearer=bearer)["state"] == "final", 120)
    require(client.call("GET", path + "/results", bearer=bearer)["submissions"] == 12, "a final form lost answers")


def the_commands_work(service, email):
    """An import, its comparison with the source, exports and the recount."""
    source = [FIXTURE, "--map", MAP, "--host-email", email]
    service.run("import", *source)
    again = service.run("import", *source, "--json")
    require('"created":0' in again.replace(" ", "") or '"stored":0' in again.replace(" ", ""),
            f"a second import stored rows: {again[-300:]}")
    service.run("verify", "--source", *source)
    for what in ("summary", "meetings", "answers"):
        lines = service.run("export", what, "--all").splitlines()
        require(len(lines) > 10, f"the export {what} has {len(lines)} lines")
    service.run("verify")
    # It reports other settings of the servers, too, so its exit status is not checked.
    found = subprocess.run(
        [service.program, "doctor"], capture_output=True, text=True, env=service.environment, timeout=TIMEOUT)
    require("The tables are distributed over" in found.stdout, f"afterword doctor: {found.stdout[-1000:]}")


@contextlib.contextmanager
def load_of_all(jobs):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Load(job, clients=CLIENTS_OF_A_FORM)) for job in jobs]


def summary(loads):
    return (f"{sum(load.acknowledged for load in loads):,} submissions acknowledged, "
            f"{sum(load.repeated for load in loads):,} repeated")


def a_worker_is_added(cluster, service, jobs):
    new = cluster.workers[-1]
    with load_of_all(jobs) as loads:
        began = time.monotonic()
        cluster.add(new)
        cluster.coordinator.sql("SELECT replicate_reference_tables()")
        cluster.coordinator.sql("SELECT citus_rebalance_start()", "SELECT citus_rebalance_wait()")
        took = time.monotonic() - began
        eventually("a shard is on the new worker", lambda: cluster.shards(new) > 0)
        time.sleep(1)
        pause = max(load.longest_pause(since=began) for load in loads)
    for load in loads:
        load.require_all_stored()
    service.run("verify")
    print(f"A worker was added and {cluster.shards(new)} shards moved there in {took:.0f} s: {summary(loads)}; the "
          f"longest pause of a form was {pause:.1f} s.", flush=True)


def a_worker_is_lost(cluster, service, jobs, options):
    last = cluster.workers[-1]
    lost = [job for job in jobs if cluster.worker(job.code) == last.address]
    kept = [job for job in jobs if job not in lost]
    require(lost and kept, f"{len(lost)} of {len(jobs)} forms are on the last worker")
    with load_of_all(jobs) as loads:
        began = time.monotonic()
        subprocess.run(options.lose, shell=True, check=True, timeout=TIMEOUT)
        before = {load.job: load.acknowledged for load in loads}
        ends = time.monotonic() + WHILE_A_WORKER_IS_LOST
        # The submissions of this check. Each form of the lost worker gets one, which is repeated.
        keys = {job: secrets.token_urlsafe(24) for job in lost}
        own = dict.fromkeys(jobs, 0)
        while time.monotonic() < ends:
            for job in lost:
                answer = job.submit(key=keys[job])
                require(answer.status == 503, f"a form of the lost worker returned {answer.status} {answer.text[:200]}")
            for job in kept:
                answer = job.submit()
                require(answer.status == 201, f"a form of another worker returned {answer.status} {answer.text[:200]}")
                own[job] += 1
                page = job.client.send("GET", f"/f/{job.code}", headers={"Accept": "text/html"})
                require(page.status == 200, f"the page of a form of another worker returned {page.status}")
                job.count()
        during = {load.job: load.acknowledged - before[load.job] for load in loads}
        require(all(during[job] > 0 for job in kept), "a form of another worker accepted nothing")
        outage = max(load.longest_pause(since=began) for load in loads if load.job in kept)
        subprocess.run(options.restore, shell=True, check=True, timeout=TIMEOUT)
        restored = time.monotonic()
        eventually(
            "the forms of the worker accept submissions again",
            lambda: all(load.last_acknowledgement > restored for load in loads if load.job in lost))
        healed = time.monotonic() - restored
        for job in lost:
            answer = job.submit(key=keys[job])
            require(answer.status in (200, 201), f"a form of the worker returned {answer.status} {answer.text[:200]}")
            own[job] += 1
        time.sleep(2)
    for load in loads:
        load.before += own[load.job]
        load.require_all_stored()
    service.run("verify")
    print(f"A worker with {len(lost)} of {len(jobs)} forms was lost for {WHILE_A_WORKER_IS_LOST} s: {summary(loads)}. "
          f"Its forms answered 503, and accepted submissions {healed:.1f} s after its return. The others accepted "
          f"{sum(during[job] for job in kept):,} in the meantime, with a longest pause of {outage:.1f} s.", flush=True)


def check(cluster, service, options):
    cluster.create()
    service.run("migrate", "--citus")
    if options.direct:
        service.use(cluster.workers[:-1])
    service.start()
    account = main_job.first_admin((service.folder / "data/first-admin").read_text())
    job = main_job.run(service.client, account)
    an_anonymous_form_becomes_final(job)
    the_commands_work(service, account.email)
    print("The tables were distributed, and the main job, an anonymous form that became final, an import, exports and "
          "verify succeeded.", flush=True)
    jobs = [Job(service.client, f"Form {number}") for number in range(FORMS)]
    a_worker_is_added(cluster, service, jobs)
    if options.direct:
        service.stop()
        service.use(cluster.workers)
        service.start()
    if options.lose:
        a_worker_is_lost(cluster, service, jobs, options)
    else:
        print("No worker was lost, because --lose names no command.")
    service.stop()


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/check-citus", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", metavar="URL", help="of a database on the coordinator, as a superuser")
    parser.add_argument("--lose", metavar="COMMAND", help="ends the last worker without a shutdown")
    parser.add_argument("--restore", metavar="COMMAND", help="starts it again")
    parser.add_argument("--direct", action="store_true",
                        help="send submissions to the workers without the coordinator (--worker-urls)")
    parser.add_argument("--binary", metavar="PROGRAM", help="another program than the newest build")
    options = parser.parse_args()
    if bool(options.lose) != bool(options.restore):
        parser.error("--lose and --restore belong together")
    # So that Ctrl-C and SIGTERM stop everything.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        service = None
        try:
            cluster = Cluster(options.url)
            program = os.path.abspath(options.binary or page_service.program())
            service = Service(program, cluster, pathlib.Path(folder))
            try:
                check(cluster, service, options)
            finally:
                service.kill()
                cluster.drop()
        except (Unsuccessful, OSError, RuntimeError, subprocess.SubprocessError) as reason:
            log = service.log.read_text(errors="replace")[-4000:] if service and service.log.exists() else ""
            print(f"FAILED  {reason}\n{log}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

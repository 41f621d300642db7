"""What the groups of one run share: the program, clusters, services, the large form, and the results."""
import contextlib, os, shutil, tempfile

from bench.cluster import Cluster
from bench.generators import Load, paced_pgbench, pgbench
from bench.processes import memory
from bench.requests import NUMBERED_TEXT
from bench.results import Results
from bench.service import Service

# pgbench's best number of clients is searched among these.
PGBENCH_CLIENTS = (16, 32, 64, 128, 256)


class Bench:
    def __init__(self, program, options):
        self.program, self.options = program, options
        self.results = Results(options)
        self.folder = tempfile.mkdtemp(prefix="afterword-bench-", dir=options.folder)
        # The cluster's user has to enter the folder.
        os.chmod(self.folder, 0o755)
        self.load = Load(self.folder)
        self.clusters, self.services, self.best_clients = {}, [], {}
        # With --short, all groups share one service.
        self.shared = {}
        self.large = None

    @property
    def rounds(self):
        return range(self.options.rounds)

    def cluster(self, name="now"):
        """The cluster for the measured program, or another one, started when it is first used."""
        if name not in self.clusters:
            self.clusters[name] = Cluster(f"{self.folder}/{name}")
        return self.clusters[name]

    def new_service(self, name, program=None, cluster="now"):
        """A service on a database of its own, signed in."""
        self.cluster(cluster).create_database(name)
        data = f"{self.folder}/{cluster}-{name}"
        service = Service(program or self.program, data, self.load, self.cluster(cluster), name)
        self.services.append(service)
        return service.start().sign_in()

    def shared_service(self, program=None, cluster="now"):
        if cluster not in self.shared:
            self.shared[cluster] = self.new_service("shared", program, cluster)
        service = self.shared[cluster]
        return service if service.is_running else service.start()

    @contextlib.contextmanager
    def service(self, name, program=None, cluster="now"):
        """A service that is checked at the end, stopped, and dropped with its database."""
        if self.options.short:
            service = self.shared_service(program, cluster)
            yield service
            return service.check()
        service = self.new_service(name, program, cluster)
        yield service
        service.check()
        self.drop(service)

    def drop(self, service):
        service.stop()
        self.services.remove(service)
        service.cluster.drop_database(service.database)
        shutil.rmtree(service.data)

    def prepare_inserts(self, service):
        """Makes the tables of pgbench's scripts: one like the service's, and one with a count."""
        service.cluster.sql("""
            CREATE TABLE IF NOT EXISTS bench (LIKE submission INCLUDING ALL);
            CREATE TABLE IF NOT EXISTS bench_tally (bucket text PRIMARY KEY, count bigint NOT NULL)
                WITH (fillfactor = 50);
            INSERT INTO bench_tally VALUES ('answered', 0) ON CONFLICT DO NOTHING;
        """, service.database)

    def inserts(self, service, clients, script="insert.sql", seconds=None):
        return pgbench(service.cluster, service.database, script, seconds or self.options.seconds, clients)

    def paced_inserts(self, service, clients, rate):
        return paced_pgbench(service.cluster, service.database, "insert.sql", self.options.seconds, clients, rate)

    def best_inserting_clients(self, service, flush="as it is"):
        """The number of clients with which pgbench inserts most rows a second, the better of two tries for each."""
        if self.options.short:
            return 64
        if flush not in self.best_clients:
            rates = dict.fromkeys(PGBENCH_CLIENTS, 0)
            for _ in range(2):
                for clients in PGBENCH_CLIENTS:
                    # The time of 256 new connections is a part of pgbench's seconds.
                    report = self.inserts(service, clients, seconds=max(3, self.options.seconds))
                    rates[clients] = max(rates[clients], report["rate"])
            self.best_clients[flush] = max(rates, key=rates.get)
            self.results.record("inserts", flush=flush, rates=rates)
            print("  pgbench's INSERTs/s by clients: " + ", ".join(f"{n}: {rate:,.0f}" for n, rate in rates.items()))
        return self.best_clients[flush]

    def large_form(self):
        """A service with one form of `--rows` submissions, sent over HTTP when it is first used and then kept.

        `filling` has what was measured meanwhile.
        """
        if self.large is None:
            rows = self.options.rows
            print(f"  submitting {rows:,} times to one form", flush=True)
            service = self.large = self.shared_service() if self.options.short else self.new_service("large")
            service.form = service.meeting(f"{rows} submissions")
            cluster, size = service.cluster, f"SELECT pg_database_size('{service.database}')"
            cluster.sql("CHECKPOINT", service.database)
            bytes_before, wal_before = int(cluster.sql(size, service.database)), cluster.wal_position()
            report = service.submit([service.form], 256, NUMBERED_TEXT, count=rows)
            service.filling = {
                "private": memory(service.process.pid), "resident": memory(service.process.pid, "VmRSS"),
                "wal": (cluster.wal_position() - wal_before) / rows,
                "disk": (int(cluster.sql(size, service.database)) - bytes_before) / rows, "rate": report["rate"],
            }
            cluster.sql("VACUUM ANALYZE", service.database)
        return self.large

    def close(self):
        """Stops everything that this run has started, and removes its folder."""
        for service in self.services:
            with contextlib.suppress(SystemExit):
                service.stop()
        for cluster in self.clusters.values():
            cluster.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

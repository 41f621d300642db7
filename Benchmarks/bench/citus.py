"""A Citus cluster that somebody has started on this machine. The benchmark makes databases there and drops them."""
import contextlib, subprocess, sys, time, urllib.parse

from bench.cluster import tool
from bench.processes import children, cpu_seconds


class Server:
    """One of its servers. As a cluster for a service, it has plain databases, without the extension."""

    def __init__(self, url):
        self.parts = urllib.parse.urlsplit(url)
        # The parent of the server's processes.
        self.postmaster = int(self.sql("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)", "postgres"))
        if not children(self.postmaster):
            sys.exit(f"The server at {self.address} is not on this machine.")

    @property
    def address(self):
        return f"{self.parts.hostname}:{self.parts.port or 5432}"

    def at(self, address):
        """The server with another address and the same login."""
        user = self.parts.netloc.rpartition("@")[0]
        return Server(urllib.parse.urlunsplit(self.parts._replace(netloc=f"{user}@{address}" if user else address)))

    def url(self, database):
        return urllib.parse.urlunsplit(self.parts._replace(path="/" + database))

    def sql(self, text, database):
        done = subprocess.run([tool("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.url(database)],
                              input=text, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"psql failed: {done.stderr.strip()}")
        return done.stdout.strip()

    def create_database(self, name):
        self.drop_database(name)
        self.sql(f"CREATE DATABASE {name}", "postgres")

    def drop_database(self, name):
        """Citus may connect again in between."""
        for _ in range(50):
            with contextlib.suppress(SystemExit):
                return self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", "postgres")
            time.sleep(0.1)
        sys.exit(f"The database {name} of {self.address} could not be dropped.")

    def cpu_seconds(self):
        """The CPU time of all processes, including those that have ended."""
        return cpu_seconds(self.postmaster, with_children=True) + sum(map(cpu_seconds, children(self.postmaster)))


class Citus:
    """As a cluster for a service, it has databases whose tables can be distributed over all workers."""

    def __init__(self, url):
        self.coordinator = Server(url)
        maintenance = urllib.parse.urlsplit(url).path.lstrip("/") or "postgres"
        addresses = self.coordinator.sql(
            "SELECT nodename || ':' || nodeport FROM pg_dist_node ORDER BY groupid > 0, groupid", maintenance).split()
        if len(addresses) < 2 or self.coordinator.sql(
                "SELECT count(*) FROM pg_dist_node WHERE groupid = 0", maintenance) == "0":
            sys.exit("The cluster needs a coordinator (citus_set_coordinator_host) and workers (citus_add_node).")
        self.coordinator_address = addresses[0]
        self.workers = [self.coordinator.at(address) for address in addresses[1:]]
        self.worker_addresses = addresses[1:]

    @property
    def servers(self):
        return [self.coordinator, *self.workers]

    def url(self, database):
        return self.coordinator.url(database)

    def worker_urls(self, database):
        return " ".join(worker.url(database) for worker in self.workers)

    def sql(self, text, database):
        return self.coordinator.sql(text, database)

    def create_database(self, name):
        for server in self.servers:
            server.create_database(name)
            server.sql("CREATE EXTENSION citus", name)
        for function, address in [("citus_set_coordinator_host", self.coordinator_address),
                                  *(("citus_add_node", address) for address in self.worker_addresses)]:
            host, _, port = address.rpartition(":")
            self.sql(f"SELECT {function}('{host}', {port})", name)

    def drop_database(self, name):
        for server in self.servers:
            server.drop_database(name)

    def cpu_seconds(self):
        return sum(server.cpu_seconds() for server in self.servers)

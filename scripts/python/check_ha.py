"""Runs what docker-compose.ha.yml describes as processes, and loses one part of it after another under submissions.

    scripts/check-ha                      with the newest build
    scripts/check-ha --binary PROGRAM     with another one

Both servers of PostgreSQL are started by deploy/ha/postgres.sh, HAProxy has deploy/haproxy/haproxy.cfg, and the two
instances have the settings of docker-compose.ha.yml. Only folders, hosts and ports are replaced: everything is on free
ports of the loopback interface and in a temporary folder, in memory if there is room.

It drives the main job, kills and replaces an instance, loses the replica, kills the primary, promotes the replica, and
makes the old primary the replica of the new one. Meanwhile clients submit, and repeat a request without a response with
its key. Every one must be acknowledged, and every acknowledged one be stored once.

Exit status: 0 if every check succeeded, 1 if one failed.
"""

import argparse
import contextlib
import http.client
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import yaml

import main_job
import page_service
from chaos import instances, processes
from chaos.database import tool
from chaos.options import memory_folder
from check_proxy import UNKNOWN_CODES, replaced
from ha_load import Load
from main_job import Client, Unsuccessful, free_port, require

ROOT = page_service.ROOT
COMPOSE = ROOT / "docker-compose.ha.yml"
SCRIPT = ROOT / "deploy/ha/postgres.sh"
CONFIGURATION = ROOT / "deploy/haproxy/haproxy.cfg"
TIMEOUT = 300
WHILE_PARTS_ARE_LOST = 3
# Without the settings of the person who runs this.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("AFTERWORD_", "PG"))}


def eventually(what, condition, seconds=TIMEOUT):
    ends = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < ends, f"after {seconds} s still not: {what}")
        time.sleep(0.05)


class Process:
    """A part of the file that runs as a process."""

    def __init__(self, name, folder):
        self.name, self.log, self.process = name, folder / f"{name}.log", None

    def launch(self, command, environment):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT | environment)

    def kill(self):
        """Ends the process and its children without a shutdown."""
        processes.send_signal(processes.tree(self.process.pid), signal.SIGKILL)
        self.process.wait()

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(TIMEOUT)
        return self.process.returncode if self.process else 0


class Server(Process):
    """A server of PostgreSQL, as its user if this process is root."""

    def __init__(self, name, settings, folder, ports):
        super().__init__(name, folder)
        self.port, self.home = ports[name], folder / name
        self.home.mkdir()
        self.data = self.home / "cluster"
        self.prefix = []
        if os.geteuid() == 0:
            shutil.chown(self.home, "postgres", "postgres")
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        binaries = pathlib.Path(tool("initdb")).parent
        self.environment = settings | {
            "PGDATA": str(self.data), "PGPORT": str(self.port), "PEER_HOST": "127.0.0.1",
            "PEER_PORT": str(ports[settings["PEER"]]), "SECRETS": str(folder / "secrets"),
            "PATH": f"{binaries}:{ENVIRONMENT['PATH']}"}

    def start(self):
        options = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.home}"]
        self.launch([*self.prefix, "sh", SCRIPT, *options], self.environment)

    def sql(self, *commands):
        """Runs commands as docs/operations.md gives them."""
        done = subprocess.run(
            [tool("psql"), "-XqAt", f"--host={self.home}", f"--port={self.port}", "--username=afterword",
             *(f"--command={command}" for command in commands)], capture_output=True, text=True, env=ENVIRONMENT)
        require(done.returncode == 0, f"{self.name}: {commands[0]}: {done.stderr}")
        return done.stdout.strip()

    def accepts(self):
        require(self.process.poll() is None, f"{self.name} ended")
        return not subprocess.run(
            [tool("pg_isready"), "--quiet", "--host=127.0.0.1", f"--port={self.port}"], env=ENVIRONMENT).returncode

    def wait_until_synchronous(self, replica):
        states = f"SELECT sync_state FROM pg_stat_replication WHERE application_name = '{replica}'"
        eventually(f"commits of {self.name} wait for {replica}", lambda: self.sql(states) == "sync")


class Instance(Process):
    """An instance of the service, which shares its data folder with the other one."""

    def __init__(self, name, settings, folder, ports, program):
        super().__init__(name, folder)
        self.program, self.port = program, free_port()
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports.values())
        passfile = folder / "pgpass"
        self.environment = {"AFTERWORD_DATA": str(folder / "data"), "AFTERWORD_SENDMAIL": "none"}
        for key, value in settings.items():
            if key.endswith("_URL"):
                value = replaced(value, {"@" + ",".join(ports): "@" + hosts, "/run/afterword/pgpass": str(passfile)})
            self.environment[key] = value

    def start(self):
        self.launch([self.program, "serve", "--port", str(self.port)], self.environment)

    def client(self):
        return Client(f"http://127.0.0.1:{self.port}")

    def wait_until_ready(self):
        main_job.wait_until_ready(self.client(), TIMEOUT)

    def run(self, *command):
        return subprocess.run(
            [self.program, *command], capture_output=True, text=True, env=ENVIRONMENT | self.environment)


class Proxy(Process):
    def __init__(self, folder, apps):
        super().__init__("haproxy", folder)
        self.port, self.path = free_port(), folder / "haproxy.cfg"
        changes = {r"bind :8080$": f"bind 127.0.0.1:{self.port}"}
        changes |= {rf"server {app.name} {app.name}:8080$": f"server {app.name} 127.0.0.1:{app.port}" for app in apps}
        if os.geteuid():
            changes[r"^    (user|group) haproxy$"] = ""
        self.path.write_text(replaced(CONFIGURATION.read_text(), changes))

    def start(self):
        self.launch([instances.program(), "-db", "-f", self.path], {})


class Deployment:
    """All parts of docker-compose.ha.yml."""

    def __init__(self, program, folder):
        settings = {
            name: service.get("environment", {})
            for name, service in yaml.safe_load(COMPOSE.read_text())["services"].items()}
        self.folder = folder
        (folder / "secrets").mkdir()
        for name in ("postgres-password", "replication-password"):
            (folder / "secrets" / name).write_text(os.urandom(24).hex() + "\n")
        passfile = folder / "pgpass"
        passfile.touch(0o600)
        passfile.write_text("*:*:*:afterword:" + (folder / "secrets/postgres-password").read_text())
        ports = {"db1": free_port(), "db2": free_port()}
        self.db1, self.db2 = (Server(name, settings[name], folder, ports) for name in ports)
        self.app1, self.app2 = (
            Instance(name, settings[name], folder, ports, program) for name in ("app1", "app2"))
        self.proxy = Proxy(folder, [self.app1, self.app2])
        self.client = Client(f"http://127.0.0.1:{self.proxy.port}")

    def start(self):
        """Starts everything in the order of docker-compose.ha.yml."""
        for server in (self.db1, self.db2):
            server.start()
        eventually("the replica accepts connections", self.db2.accepts)
        for part in (self.app1, self.app2):
            part.start()
            part.wait_until_ready()
        self.proxy.start()
        main_job.wait_until_ready(self.client, TIMEOUT)

    def close(self):
        for part in (self.proxy, self.app1, self.app2):
            with contextlib.suppress(subprocess.TimeoutExpired):
                part.stop()
        for server in (self.db1, self.db2):
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.stop(signal.SIGQUIT)
        for part in (self.proxy, self.app1, self.app2, self.db1, self.db2):
            if part.process and part.process.poll() is None:
                part.kill()

    def logs(self):
        return "".join(
            f"--- {path.name}\n{path.read_text(errors='replace')[-2000:]}\n" for path in self.folder.glob("*.log"))


def the_address_of_a_client_counts(parts):
    """Guesses codes with forged addresses until the service refuses. Another client may still guess."""
    url = f"http://127.0.0.1:{parts.proxy.port}"
    one, other = (Client(url, source=source) for source in ("127.0.0.7", "127.0.0.8"))

    def guess(client, number):
        code = "".join(secrets.choice("abcdefghjkmnpqrstvwxyz") for _ in range(8))
        return client.send("GET", "/v1/forms/" + code, headers={"X-Forwarded-For": f"198.51.100.{number % 250}"}).status

    # The instances do not learn of each other's counts at once.
    refused = any(guess(one, number) == 429 for number in range(4 * UNKNOWN_CODES))
    require(refused, "a forged X-Forwarded-For escapes a limit")
    require(guess(other, 0) == 404, "one client's guesses count for another")


# The checks of losses, in this order. Each leaves everything running.

def instances_are_lost(parts, job):
    """An instance is killed and started again, and the other one is replaced as in a rolling upgrade."""
    with Load(job) as load:
        parts.app1.kill()
        time.sleep(WHILE_PARTS_ARE_LOST)
        parts.app1.start()
        parts.app1.wait_until_ready()
        time.sleep(WHILE_PARTS_ARE_LOST)
        killed = load.repeated
        require(parts.app2.stop() == 0, "an instance did not end with 0 after SIGTERM")
        time.sleep(1)
        parts.app2.start()
        parts.app2.wait_until_ready()
        time.sleep(1)
    load.require_all_stored()
    print(f"One instance was killed, and then the other one replaced: {load.summary()} by clients, {killed} of them "
          "after the kill.")


def the_replica_is_lost(parts, job):
    """Commits wait for the replica, until the primary no longer has to. Pages are still shown."""
    parts.db2.stop(signal.SIGINT)
    with Load(job, clients=1) as load:
        before = load.acknowledged
        time.sleep(WHILE_PARTS_ARE_LOST)
        require(load.acknowledged == before, "an answer was acknowledged that only the primary has")
        page = job.client.send("GET", f"/f/{job.code}", headers={"Accept": "text/html"})
        require(page.status == 200, f"without the replica a page returned {page.status}")
        parts.db1.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
        eventually("answers are acknowledged without the replica", lambda: load.acknowledged > before)
    load.require_all_stored()
    parts.db2.start()
    eventually("the replica accepts connections again", parts.db2.accepts)
    parts.db1.sql("ALTER SYSTEM SET synchronous_standby_names = 'db2'", "SELECT pg_reload_conf()")
    parts.db1.wait_until_synchronous("db2")
    print("The replica was stopped: answers waited, pages did not. Without synchronous_standby_names they continued.")


def the_primary_is_lost(parts, job):
    """The primary is killed, and the replica promoted."""
    with Load(job) as load:
        lost = time.monotonic()
        parts.db1.kill()
        parts.db2.sql("SELECT pg_promote()")
        eventually("answers are acknowledged again", lambda: load.last_acknowledgement > lost + 1)
        outage = load.longest_pause(since=lost)
        time.sleep(WHILE_PARTS_ARE_LOST)
    load.require_all_stored()
    print(f"The primary was killed and the replica promoted at once: {load.summary()} by clients, {outage:.1f} s "
          "without service.")


def the_old_primary_becomes_the_replica(parts, job):
    """The old primary does not start beside the new one. Without its data it becomes the replica."""
    parts.db1.start()
    require(parts.db1.process.wait(TIMEOUT) == 1, "the old primary started beside the new one")
    require("db2 is the primary now" in parts.db1.log.read_text(), "the old primary does not say why it does not start")
    shutil.rmtree(parts.db1.data)
    parts.db1.start()
    eventually("the old primary has become a replica", parts.db1.accepts)
    parts.db2.sql("ALTER SYSTEM SET synchronous_standby_names = 'db1'", "SELECT pg_reload_conf()")
    parts.db2.wait_until_synchronous("db1")
    with Load(job) as load:
        time.sleep(1)
    load.require_all_stored()
    print("The old primary refused to start beside the new one, and cloned it once its data was deleted.")


def check(parts):
    parts.start()
    account = main_job.first_admin((parts.folder / "data/first-admin").read_text())
    job = main_job.run(parts.client, account)
    require(parts.client.send("GET", "/metrics").status == 404, "HAProxy shows /metrics")
    the_address_of_a_client_counts(parts)
    parts.db1.wait_until_synchronous("db2")
    print("Two servers, two instances and HAProxy were started, and the main job succeeded.", flush=True)
    for one in (instances_are_lost, the_replica_is_lost, the_primary_is_lost, the_old_primary_becomes_the_replica):
        one(parts, job)
        sys.stdout.flush()
    logged = parts.proxy.log.read_text()
    require("Server instances/app1 is DOWN" in logged, "HAProxy does not log that an instance is down")
    require(job.code not in logged, "HAProxy logs a form's code")
    found = parts.app1.run("verify")
    require(found.returncode == 0, f"afterword verify: {found.stdout[-1000:]}{found.stderr[-1000:]}")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/check-ha", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", metavar="PROGRAM", help="another program than the newest build")
    options = parser.parse_args()
    if not instances.program():
        print("check-ha: HAProxy is not installed (scripts/setup test).", file=sys.stderr)
        return 1
    # So that Ctrl-C and SIGTERM stop everything.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        # As root, the servers run as another user.
        os.chmod(folder, 0o711)
        parts = Deployment(os.path.abspath(options.binary or page_service.program()), pathlib.Path(folder))
        try:
            check(parts)
        except (Unsuccessful, OSError, http.client.HTTPException, RuntimeError, subprocess.TimeoutExpired) as reason:
            print(f"FAILED  {reason}\n{parts.logs()}")
            return 1
        finally:
            parts.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

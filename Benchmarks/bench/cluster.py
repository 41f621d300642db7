"""A PostgreSQL cluster of the benchmark's own, with the settings of the service's private one."""
import os, pwd, shutil, signal, subprocess, sys, time

from bench.processes import children, cpu_seconds, title

SUPERUSER = "afterword"
# Its backends are recognized by their title, in which PostgreSQL writes the user.
PGBENCH_USER = "pgbench"
INITDB = ["--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-instructions"]
# As in `ClusterSettings` and `ClusterCreation` of the service, which has 100 connections; pgbench may need 256.
SETTINGS = [
    "listen_addresses=", "port=5432", "unix_socket_permissions=0700", "max_connections=320", "shared_buffers=128MB",
    "jit=off", "timezone=UTC", "fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_compression=lz4",
    "max_wal_size=2GB", "checkpoint_timeout=15min", "log_checkpoints=off", "cluster_name=afterword", "hot_standby_feedback=on",
]


def tool(name):
    """The path of a program of the newest PostgreSQL. It bypasses Debian's wrappers, so that they are not measured."""
    root = "/usr/lib/postgresql"
    versions = sorted(filter(str.isdigit, os.listdir(root)), key=int, reverse=True) if os.path.isdir(root) else []
    for version in versions:
        path = f"{root}/{version}/bin/{name}"
        if os.path.exists(f"{root}/{version}/bin/initdb") and os.path.exists(path):
            return path
    return shutil.which(name) or sys.exit(f"{name} is missing: run scripts/setup bench")


def cluster_user():
    """The user who runs a cluster: this one, or an unprivileged one if this is root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    sys.exit("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`.")


def as_cluster_user(command):
    user = cluster_user()
    if user.pw_uid == os.geteuid():
        return command
    setpriv = shutil.which("setpriv") or sys.exit("setpriv is missing: install util-linux")
    return [setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--", *command]


def make_folder(path):
    """A private folder of the cluster's user."""
    os.mkdir(path, 0o700)
    os.chown(path, cluster_user().pw_uid, cluster_user().pw_gid)
    return path


class Cluster:
    """A cluster of its own, or a streaming replica of a primary."""

    def __init__(self, folder, primary=None):
        os.mkdir(folder, 0o755)
        self.folder = folder
        self.data, self.sockets = make_folder(f"{folder}/data"), make_folder(f"{folder}/s")
        if len(self.sockets) > 80:
            sys.exit(f"The path of the folder is too long for a socket: {folder}. Choose another one with --folder.")
        if primary:
            self.run(tool("pg_basebackup"), f"--pgdata={self.data}", f"--host={primary.sockets}", "--port=5432",
                     f"--username={SUPERUSER}", "--write-recovery-conf", "--checkpoint=fast", "--no-password")
            self.start()
            return
        self.run(tool("initdb"), f"--pgdata={self.data}", f"--username={SUPERUSER}", "--auth=trust", *INITDB)
        self.start()
        self.sql(f"CREATE ROLE {PGBENCH_USER} SUPERUSER LOGIN", "postgres")

    def run(self, *command):
        done = subprocess.run(as_cluster_user(list(command)), cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{os.path.basename(command[0])} failed: {done.stderr.strip() or done.stdout.strip()}")

    def arguments(self):
        settings = [f"unix_socket_directories={self.sockets}", *SETTINGS]
        return ["-D", self.data] + [part for setting in settings for part in ("-c", setting)]

    def start(self):
        self.log = open(f"{self.folder}/log", "a")
        # In a session of its own, so that Ctrl-C stops the service first.
        self.process = subprocess.Popen(as_cluster_user([tool("postgres"), *self.arguments()]), cwd=self.folder,
                                        stdout=self.log, stderr=self.log, start_new_session=True)
        deadline = time.monotonic() + 60
        ready = [tool("pg_isready"), "-q", "-h", self.sockets]
        while subprocess.run(ready).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.log.name) as file:
                    sys.exit(f"PostgreSQL did not start: {file.read()[-2000:]}")
            time.sleep(0.02)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(120)
        self.log.close()

    def url(self, database):
        return f"postgresql:///{database}?host={self.sockets}&port=5432&user={SUPERUSER}"

    def psql(self, database, *arguments, stdin=None, stdout=subprocess.PIPE):
        done = subprocess.run([tool("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *arguments,
                               self.url(database)], input=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"psql failed: {done.stderr.strip()}")
        return (done.stdout or "").strip()

    def sql(self, text, database):
        return self.psql(database, stdin=text)

    def create_database(self, name):
        self.sql(f"CREATE DATABASE {name}", "postgres")

    def drop_database(self, name):
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", "postgres")

    def set(self, **settings):
        """Changes settings of the running cluster. None restores the default."""
        for name, value in settings.items():
            change = f"ALTER SYSTEM RESET {name}" if value is None else f"ALTER SYSTEM SET {name} = {value}"
            self.sql(change, "postgres")
        self.sql("SELECT pg_reload_conf()", "postgres")

    def wal_position(self):
        """The number of bytes that were ever written to the write-ahead log."""
        return int(self.sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')", "postgres"))

    def cpu_seconds(self):
        """The CPU time of all processes, including those that have ended."""
        postmaster = self.process.pid
        return cpu_seconds(postmaster, with_children=True) + sum(map(cpu_seconds, children(postmaster)))

    def await_end_of_pgbench(self):
        """Waits until its backends have ended, because the CPU time of a process that is ending is counted nowhere."""
        deadline = time.monotonic() + 10
        while any(f" {PGBENCH_USER} " in title(pid) for pid in children(self.process.pid)):
            if time.monotonic() > deadline:
                sys.exit("pgbench's connections did not end within 10 seconds.")
            time.sleep(0.02)

"""Builds the image of the Dockerfile, starts the services of docker-compose.yml from it, and drives the main job.
A mail server runs beside them, and a mail of the service has to arrive there.

    scripts/check-images                          with Docker or, without it, Podman
    scripts/check-images --program .build/release
    scripts/check-images --limited --storage FOLDER --program .build/release

It takes as long as a release build. With --program, a program that was built before takes the place of the stage that
compiles: FOLDER contains `afterword` and its folders of resources.

--limited is for a root user with Podman on a machine that reaches no registry of images, or whose containers cannot
have control groups. Then base images are made of Debian's packages with `debootstrap`, and containers share a network,
which is apart from the machine's. --storage keeps these images for the next time. --copy brings files of this machine
that the compiling stage needs.

Exit status: 0 if every check succeeded or neither engine is available, 1 if a check failed.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import yaml

import main_job
from attack import Account
from main_job import Client, Unsuccessful, free_port, require

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
STATE = "/var/lib/afterword"
# Longer than Docker waits for a container without a setting, 10 s.
SLOW_REQUEST = 12
# The user of the Dockerfile.
USER = "10001"
FINAL_STAGE = "FROM debian:bookworm-slim\n"
BASE, SWIFT_BASE, POSTGRES_BASE = "debian:bookworm-slim", "swift:6.3-bookworm", "postgres:15-bookworm"
# What the image of the compiler has beside the compiler.
SWIFT_PACKAGES = (
    "binutils ca-certificates g++ gcc git libc6-dev libcurl4 libedit2 libncurses6 libpython3.11 libsqlite3-0 "
    "libstdc++-12-dev libxml2 libz3-4 pkg-config tzdata zlib1g-dev").split()
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# A mail server beside the services, which prints what it receives.
MAIL_PORT = 8025
MAIL_DOCKERFILE = f"""FROM {BASE}
RUN apt-get update && apt-get install -y --no-install-recommends python3-aiosmtpd
CMD ["python3", "-u", "-m", "aiosmtpd", "--nosetuid", "--listen", "0.0.0.0:{MAIL_PORT}", \\
    "--class", "aiosmtpd.handlers.Debugging", "stdout"]
"""
SMTP = f"smtp://mail:{MAIL_PORT}?tls=off"
# The part of the official image's start that docker-compose.yml uses.
POSTGRES_START = """#!/bin/sh
set -eu
bin=/usr/lib/postgresql/15/bin data=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
    chown postgres "$data"
    exec setpriv --reuid=postgres --regid=postgres --clear-groups -- "$0" "$@"
fi
if [ ! -s $data/PG_VERSION ]; then
    $bin/initdb -D $data --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust \\
        --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
    echo "host all all all scram-sha-256" >>$data/pg_hba.conf
    echo "CREATE DATABASE \\"$POSTGRES_DB\\"" | $bin/postgres --single -D $data template1
fi
exec $bin/postgres -D $data -c listen_addresses='*'
"""


def run(*command, check=True, **options):
    done = subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if check and done.returncode:
        shown = " ".join(str(part) for part in command[:6])
        raise Unsuccessful(f"{shown} … failed ({done.returncode}):\n{(done.stdout + done.stderr)[-3000:]}")
    return done


def install(*packages):
    """An instruction that installs packages."""
    return f"RUN apt-get update && apt-get install -y --no-install-recommends {' '.join(packages)}\n"


def mail_context(folder):
    context = folder / "mail"
    context.mkdir(exist_ok=True)
    (context / "Dockerfile").write_text(MAIL_DOCKERFILE)
    return context


def context_of(program, folder):
    """A build context in which the first stage consists of a program that was already built."""
    out = folder / "context/out"
    out.mkdir(parents=True)
    source = pathlib.Path(program)
    shutil.copy(source / "afterword", out)
    for resources in source.glob("*.resources"):
        shutil.copytree(resources, out / resources.name)
    # A program that is not linked statically looks for Swift's libraries beside itself.
    for library in re.findall(r"=> (/\S*/swift/\S+)", run("ldd", out / "afterword").stdout):
        shutil.copy(library, out)
    text = (ROOT / "Dockerfile").read_text()
    require(text.count(FINAL_STAGE) == 1, f"the Dockerfile has no line {FINAL_STAGE}")
    last = text[text.index(FINAL_STAGE):]
    copies = ["COPY out/ /out/"]
    # Other files of that stage come from this machine.
    for number, path in enumerate(re.findall(r"^COPY --from=build (/\S+[^/]) ", last, re.M)):
        shutil.copy(path, out.parent / str(number))
        copies.append(f"COPY {number} {path}")
    (out.parent / "Dockerfile").write_text("\n".join(["FROM scratch AS build", *copies, "", last]))
    return out.parent


class Docker:
    """Docker with its plugin `compose`."""

    name = "Docker"

    @staticmethod
    def is_available():
        return shutil.which("docker") and not run("docker", "compose", "version", check=False).returncode \
            and not run("docker", "info", check=False).returncode

    def __init__(self, folder, context, _):
        self.project = "afterword-check-" + secrets.token_hex(4)
        password = folder / "postgres-password"
        password.write_text(secrets.token_hex(24))
        override = folder / "override.yml"
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        # A port of this machine that is free, and a password that is not the operator's.
        override.write_text(
            f"services:\n  afterword:\n    image: {self.project}\n    build: {json.dumps(str(context))}\n"
            f"    ports: !override\n      - 127.0.0.1:{port}:8080\n"
            f"    environment:\n      AFTERWORD_SMTP: {SMTP}\n"
            f"  mail:\n    build: {json.dumps(str(mail_context(folder)))}\n    image: {self.project}-mail\n"
            f"secrets:\n  postgres-password:\n    file: {json.dumps(str(password))}\n")
        self.files = ["--project-name", self.project, "--file", COMPOSE, "--file", override]
        self.password = password.read_text()

    def compose(self, *arguments, check=True):
        return run("docker", "compose", *self.files, *arguments, check=check, cwd=ROOT)

    def build(self):
        self.compose("build")

    def image(self):
        return json.loads(run("docker", "image", "inspect", self.project).stdout)[0]["Config"]

    def up(self):
        self.compose("up", "--detach", "--wait")
        return self.address

    def execute(self, *command):
        return self.compose("exec", "-T", "afterword", *command).stdout

    def container(self):
        name = self.compose("ps", "--all", "--quiet", "afterword").stdout.strip()
        return json.loads(run("docker", "inspect", name).stdout)[0]

    def stop(self):
        self.compose("stop", "afterword")

    def remove_containers(self):
        self.compose("rm", "--force", "--stop")

    def logs(self, name=None):
        return self.compose("logs", *([name] if name else []), check=False).stdout

    def close(self):
        self.compose("down", "--volumes", check=False)
        run("docker", "image", "rm", "--force", self.project, f"{self.project}-mail", check=False)


class Podman:
    """Podman, which starts the services as docker-compose.yml describes them."""

    name = "Podman"

    @staticmethod
    def is_available():
        return shutil.which("podman") and not run("podman", "info", check=False).returncode

    def __init__(self, folder, context, options):
        self.project = "afterword-check-" + secrets.token_hex(4)
        self.folder, self.context, self.limited = folder, context, options.limited
        self.copied = options.copy
        # The network of --limited has no other user of this port.
        self.port = 8080 if self.limited else free_port()
        self.services = yaml.safe_load(COMPOSE.read_text())["services"]
        self.services["afterword"]["environment"]["AFTERWORD_SMTP"] = SMTP
        self.services["mail"] = {"restart": "no"}
        (folder / "secrets").mkdir(exist_ok=True)
        self.password = secrets.token_hex(24)
        (folder / "secrets/postgres-password").write_text(self.password)
        self.command = ["podman"]
        if self.limited:
            storage = pathlib.Path(options.storage or folder / "storage").resolve()
            self.command += ["--storage-driver=vfs", f"--root={storage}/root", f"--runroot={storage}/run",
                             "--cgroup-manager=cgroupfs"]
        self.has_pod = False

    def podman(self, *arguments, check=True, **options):
        return run(*self.command, *arguments, check=check, **options)

    # Images

    def build(self):
        isolation = []
        if self.limited:
            self.make_bases(compiles=self.context == ROOT)
            isolation = ["--isolation=chroot", "--network=host", "--pull=never"]
        # Layers are copies in the storage of --limited. Only Docker's format has health checks.
        for tag, context in ((self.project, self.context), (f"{self.project}-mail", mail_context(self.folder))):
            self.podman("build", "--layers=false", "--format=docker", f"--tag={tag}", *isolation, context)

    def make_bases(self, compiles):
        """Makes the base images that are missing."""
        mirror = re.search(r"https?://\S+/debian\b", run("apt-cache", "policy").stdout).group()
        self.make_base(BASE, lambda root: run("debootstrap", "--variant=minbase", "bookworm", root, mirror))
        self.make_base(POSTGRES_BASE, self.postgres_base, f"FROM {BASE}\n"
                       f"{install('postgresql-15')}"
                       "COPY start /usr/local/bin/start\nENV PGDATA=/var/lib/postgresql/data\n"
                       "RUN install -d -o postgres /var/lib/postgresql/data\n"
                       "VOLUME /var/lib/postgresql/data\nENTRYPOINT [\"/usr/local/bin/start\"]\n")
        if compiles:
            swift = pathlib.Path(json.loads(run("swift", "-print-target-info").stdout)["paths"]["runtimeResourcePath"])
            toolchain = swift.parents[1]
            copies = "".join(f"COPY --from=machine {path} {path}\n" for path in [toolchain, *self.copied])
            self.make_base(SWIFT_BASE, None, f"FROM {BASE}\n{install(*SWIFT_PACKAGES)}{copies}"
                           f"ENV PATH={toolchain}/bin:{SEARCH_PATH}\n")

    def make_base(self, name, prepare, dockerfile=None):
        full = "docker.io/library/" + name
        if full in self.podman("image", "ls", "--format={{.Repository}}:{{.Tag}}").stdout.split():
            return
        print(f"Making {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            if dockerfile is None:
                prepare(root / "root")
                dockerfile = f"FROM scratch\nCOPY root/ /\nENV PATH={SEARCH_PATH}\n"
            elif prepare:
                prepare(root)
            (root / "Dockerfile").write_text(dockerfile)
            self.podman("build", "--layers=false", "--isolation=chroot", "--network=host", "--pull=never",
                        "--build-context=machine=/", f"--tag={full}", root)

    @staticmethod
    def postgres_base(root):
        (root / "start").write_text(POSTGRES_START)
        (root / "start").chmod(0o755)

    def image(self):
        image = json.loads(self.podman("image", "inspect", self.project).stdout)[0]
        return image["Config"] | {"Healthcheck": image.get("Healthcheck", {})}

    # Containers

    def network(self):
        """All services in one network, in which their names are those of the machine."""
        if self.limited:
            return ["--network=host", "--cgroups=disabled", "--add-host=postgres:127.0.0.1", "--add-host=mail:127.0.0.1",
                    "--ulimit=nofile=16384:16384", "--ulimit=nproc=8192:8192"]
        if not self.has_pod:
            self.podman("pod", "create", f"--name={self.project}", f"--publish=127.0.0.1:{self.port}:8080",
                        "--add-host=postgres:127.0.0.1", "--add-host=mail:127.0.0.1")
            self.has_pod = True
        return [f"--pod={self.project}"]

    def start(self, name, service):
        options = [f"--env={key}={value}" for key, value in service.get("environment", {}).items()]
        options += [f"--tmpfs={path}" for path in service.get("tmpfs", [])]
        options += [f"--volume={self.project}-{volume}" for volume in service.get("volumes", [])]
        options += [f"--volume={self.folder}/secrets/{secret}:/run/secrets/{secret}:ro,z"
                    for secret in service.get("secrets", [])]
        if grace := service.get("stop_grace_period"):
            options.append(f"--stop-timeout={grace.removesuffix('s')}")
        command = []
        if entrypoint := service.get("entrypoint"):
            first, *command = (part.replace("$$", "$") for part in entrypoint)
            options.append(f"--entrypoint={first}")
        self.podman(
            "run", "--detach", f"--name={self.project}-{name}", f"--restart={service['restart']}", *self.network(),
            *options, service.get("image") or self.project + ("-mail" if name == "mail" else ""), *command)

    def wait_until_healthy(self, name, service):
        kind, *test = service["healthcheck"]["test"]
        require(kind == "CMD", f"the health check of {name} is {kind}")
        ends, last = time.monotonic() + 60, None
        while time.monotonic() < ends:
            last = self.podman("exec", f"{self.project}-{name}", *test, check=False)
            if last.returncode == 0:
                return
            time.sleep(0.2)
        raise Unsuccessful(f"{name} is not healthy after 60 s: {last.stdout}{last.stderr}")

    def up(self):
        waiting = dict(self.services)
        while waiting:
            name = next(
                name for name, service in waiting.items() if not set(service.get("depends_on", {})) & set(waiting))
            service = waiting.pop(name)
            self.start(name, service)
            if "healthcheck" in service:
                self.wait_until_healthy(name, service)
        return f"http://127.0.0.1:{self.port}"

    def execute(self, *command):
        return self.podman("exec", f"{self.project}-afterword", *command).stdout

    def container(self):
        return json.loads(self.podman("container", "inspect", f"{self.project}-afterword").stdout)[0]

    def stop(self):
        self.podman("stop", f"{self.project}-afterword")

    def remove_containers(self):
        self.podman("rm", "--force", "--time=30", *(f"{self.project}-{name}" for name in self.services), check=False)

    def logs(self, name=None):
        return "".join(
            done.stdout + done.stderr
            for done in (self.podman("logs", f"{self.project}-{each}", check=False)
                         for each in ([name] if name else self.services)))

    def close(self):
        self.remove_containers()
        if self.has_pod:
            self.podman("pod", "rm", "--force", self.project, check=False)
        for volume in self.podman("volume", "ls", "--quiet", check=False).stdout.split():
            if volume.startswith(self.project):
                self.podman("volume", "rm", "--force", volume, check=False)
        self.podman("image", "rm", "--force", self.project, f"{self.project}-mail", check=False)


# The checks

def check_image(engine):
    config = engine.image()
    require(config["User"] in ("afterword", USER), f"the image runs as {config['User'] or 'root'}")
    require(config["Entrypoint"] == ["/usr/local/lib/afterword/afterword"], f"its entrypoint is {config['Entrypoint']}")
    require(config.get("Healthcheck", {}).get("Test"), "it has no health check")


def check_services(engine):
    client = Client(engine.up())
    main_job.wait_until_ready(client, 60)
    account = main_job.first_admin(engine.execute("cat", STATE + "/first-admin"))
    job = main_job.run(client, account)

    # Not root, and the password is known only to files in memory.
    status = engine.execute("cat", "/proc/1/status")
    require(re.search(rf"^Uid:\t{USER}\t", status, re.M), f"the service runs as {status.split('Uid:')[1].split()[0]}")
    mode = engine.execute("stat", "--format=%a %u", "/run/afterword/pgpass").strip()
    require(mode == f"600 {USER}", f"the password file has mode and owner {mode}")
    require(engine.password not in json.dumps(engine.container()), "the container's description has the password")

    mail_arrives(engine, client, account)

    # What the image has to have beside the program.
    judged = engine.execute("afterword", "doctor")
    require("fine     charts" in judged and "wrong" not in judged, f"doctor says:\n{judged}")
    engine.execute("afterword", "backup", "--to", STATE + "/backups", "--keep", "14")
    require(engine.execute("find", STATE + "/backups", "-name", "database.dump", "-size", "+10k").strip(), "no backup")
    engine.execute(
        "afterword", "export", "charts", "--series", job.series, "--format", "png", "--output", "/tmp/charts")
    require(engine.execute("find", "/tmp/charts", "-name", "*.png", "-size", "+1k").strip(), "no charts were drawn")
    require("ko" in engine.execute("fc-list", ":lang=ko", "lang"), "the image has no Korean font")

    # A killed service comes back by itself.
    pid = engine.container()["State"]["Pid"]
    try:
        require("afterword" in pathlib.Path(f"/proc/{pid}/cmdline").read_text(), "the container's process is elsewhere")
        os.kill(pid, 9)
    except (OSError, Unsuccessful) as reason:
        print(f"Not tried: whether a killed service is started again ({reason}).")
    else:
        ends = time.monotonic() + 30
        while engine.container()["State"]["Pid"] in (0, pid):
            require(time.monotonic() < ends, "a killed service is not started again")
            time.sleep(0.2)
        main_job.wait_until_ready(client, 60)
        require(job.count() == 2, "submissions are missing after a kill")

    # It ends in order, and new containers continue with the same data.
    stop_with_a_request_in_flight(engine, client, job)
    code = engine.container()["State"]["ExitCode"]
    require(code == 0, f"the service ended with {code}")
    engine.remove_containers()
    client = Client(engine.up())
    main_job.wait_until_ready(client, 60)
    client.sign_in(Account(account.email, account.password))
    job.client = client
    require(job.count() == 3, "new containers have other data")


def mail_arrives(engine, client, account):
    """Asks for a new password, and expects the mail with its link at the server beside the service."""
    status = client.send("POST", "/v1/password-resets", {"email": account.email}).status
    require(status == 202, f"asking for a new password returned {status}")
    ends = time.monotonic() + 30
    while "/reset" not in (received := engine.logs("mail").replace("=\n", "")):
        require(time.monotonic() < ends, f"no mail arrived:\n{received}")
        time.sleep(0.2)
    require(f"To: {account.email}" in received.replace("<", "").replace(">", ""), f"not to the admin:\n{received}")


def stop_with_a_request_in_flight(engine, client, job):
    """Stops the service while a submission arrives slowly, and expects it to be answered."""
    body = json.dumps({"answers": {"pace": 3}}).encode()
    connection = client.connection(timeout=60)
    connection.putrequest("POST", f"/v1/forms/{job.code}/submissions")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body[:5])
    stopping = threading.Thread(target=engine.stop)
    stopping.start()
    time.sleep(SLOW_REQUEST)
    try:
        connection.send(body[5:])
        status = connection.getresponse().status
        require(status == 201, f"a submission in flight returned {status} while the service was stopped")
    except (OSError, http.client.HTTPException) as error:
        raise Unsuccessful(f"a submission in flight was lost while the service was stopped ({error!r})") from error
    finally:
        connection.close()
        stopping.join()


def perform(options, stages):
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(options.folder or stack.enter_context(tempfile.TemporaryDirectory()))
        os.chmod(folder, 0o711)
        kind = Podman if options.limited or not Docker.is_available() else Docker
        context = ROOT
        if options.program:
            context = folder / "context" if options.folder else context_of(options.program, folder)
        engine = kind(folder, context, options)
        if options.project:
            engine.project = options.project
        try:
            if "build" in stages:
                start = time.monotonic()
                engine.build()
                check_image(engine)
                what = "without compiling" if options.program else "completely"
                print(f"Dockerfile: {engine.name} built it {what} ({time.monotonic() - start:.0f} s).", flush=True)
            if "inside" in stages:
                return inside(engine, options, folder)
            check_services(engine)
            print(f"docker-compose.yml: {engine.name} started the services, and the main job succeeded.", flush=True)
        except (Unsuccessful, OSError, http.client.HTTPException, RuntimeError) as reason:
            print(f"FAILED  {reason}\n{engine.logs()[-3000:]}")
            return 1
        finally:
            engine.close()
    return 0


def inside(engine, options, folder):
    """The checks of the services, where containers can have no network and no control groups of their own."""
    command = [sys.executable, __file__, "--limited", "--inside", f"--folder={folder}", f"--project={engine.project}"]
    command += [f"--storage={options.storage}"] if options.storage else []
    script = 'mount --make-rprivate / && mount -t cgroup2 cgroup2 /sys/fs/cgroup && ip link set lo up && exec "$@"'
    return subprocess.run(["unshare", "--mount", "--net", "sh", "-c", script, "sh", *command]).returncode


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/check-images", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", metavar="FOLDER", help="use a program that was built before")
    parser.add_argument("--limited", action="store_true", help="make base images, and share the network")
    parser.add_argument("--storage", metavar="FOLDER", help="with --limited: keep images here")
    parser.add_argument("--copy", metavar="PATH", action="append", default=[],
                        help="with --limited: a path of this machine for the compiling stage")
    for name in ("--folder", "--project"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.limited and not Docker.is_available() and not Podman.is_available():
        print("Dockerfile and docker-compose.yml: not built and not started, because neither Docker with its plugin "
              "`compose` nor Podman works here (see scripts/check-images --help for --limited).")
        return 0
    if options.limited and (os.geteuid() or not shutil.which("podman") or not shutil.which("debootstrap")):
        print("--limited needs root, podman and debootstrap (scripts/setup images).", file=sys.stderr)
        return 1
    if options.inside:
        return perform(options, ["run"])
    return perform(options, ["build", "inside"] if options.limited else ["build", "run"])


if __name__ == "__main__":
    sys.exit(main())

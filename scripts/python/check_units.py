"""Checks the systemd units in deploy/systemd, and runs them under a separate systemd instance.

    scripts/check-units [--only-files]

`systemd-analyze` judges the files. Without it, the directives are compared with a list. The trial needs root and
namespaces: a systemd is started on a temporary copy of this machine's files, in namespaces of its own, so nothing of
the machine changes. It starts the newest build, or the program in AFTERWORD, as docs/operations.md says. Exit status: 0
if every check succeeded, 1 if not.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import main_job
import page_service
from main_job import Client, Unsuccessful, require

ROOT = page_service.ROOT
UNITS = ROOT / "deploy/systemd"
SERVICES = ("afterword.service", "afterword-backup.service")
MAXIMUM_EXPOSURE = 2.0
PROGRAM = "/usr/local/lib/afterword/afterword"
CONFIG, STATE, BACKUPS = "/etc/afterword/afterword.yaml", "/var/lib/afterword", "/var/lib/afterword-backups"
# What the services must set where systemd-analyze is missing.
WANTED = {
    "User": "afterword", "UMask": "0077", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "",
    "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "PrivateDevices": "yes",
    "PrivateUsers": "yes", "ProtectProc": "invisible", "ProcSubset": "pid", "ProtectClock": "yes",
    "ProtectHostname": "yes", "ProtectControlGroups": "yes", "ProtectKernelLogs": "yes", "ProtectKernelModules": "yes",
    "ProtectKernelTunables": "yes", "RestrictNamespaces": "yes", "RestrictRealtime": "yes", "RestrictSUIDSGID": "yes",
    "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes", "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
    "SystemCallArchitectures": "native", "SystemCallFilter": "@system-service ~@privileged @resources",
    "KillMode": "mixed",
}


# The files

def directives(path):
    """The directives of a unit. Repeated ones are joined."""
    found = {}
    for line in path.read_text().splitlines():
        name, is_directive, value = line.partition("=")
        if is_directive and not line.startswith("#"):
            found[name] = f"{found[name]} {value}" if found.get(name) else value
    return found


def file_faults():
    """The faults of the units as files."""
    for name in SERVICES:
        found = directives(UNITS / name)
        for key, value in WANTED.items():
            if found.get(key) != value:
                yield f"{name}: {key}={found.get(key)}, not {value}"
    if not shutil.which("systemd-analyze"):
        return
    for name in SERVICES:
        judged = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--no-pager", UNITS / name], capture_output=True,
            text=True)
        exposure = re.search(r"Overall exposure level for \S+ ([\d.]+)", judged.stdout)
        if not exposure:
            yield f"{name}: systemd-analyze cannot judge it: {judged.stderr}"
        elif float(exposure[1]) > MAXIMUM_EXPOSURE:
            yield f"{name}: its exposure is {exposure[1]}, not at most {MAXIMUM_EXPOSURE}"
    with tempfile.TemporaryDirectory() as folder:
        # Installed units name a program that this machine may not have.
        for path in UNITS.iterdir():
            pathlib.Path(folder, path.name).write_text(path.read_text().replace(PROGRAM, shutil.which("true")))
        verified = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *sorted(pathlib.Path(folder).iterdir())], capture_output=True,
            text=True)
        if verified.returncode or verified.stderr:
            yield f"systemd-analyze verify: {verified.stderr.strip()}"


# The trial

class Systemd:
    """A systemd of its own. Its network is that of this process, which must be a private one."""

    def __init__(self, folder, program):
        self.folder = folder
        self.group = self.make_group()
        self.messages = []
        master, slave = os.openpty()
        threading.Thread(target=self.read, args=[master], daemon=True).start()
        self.process = subprocess.Popen(
            ["unshare", "--fork", "--kill-child", "--pid", "--mount", "--ipc", "--uts", "--cgroup",
             ROOT / "scripts/private-systemd", folder, program.parent, os.ttyname(slave)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=lambda: (self.group / "cgroup.procs").write_text(str(os.getpid())))
        self.enter = None

    @staticmethod
    def make_group():
        """A control group, so that systemd manages no process but its own."""
        for line in pathlib.Path("/proc/mounts").read_text().splitlines():
            _, place, kind = line.split()[:3]
            if kind == "cgroup2":
                group = pathlib.Path(place, f"afterword-check-{os.getpid()}")
                group.mkdir()
                return group
        raise Unsuccessful("there is no cgroup2 file system")

    def wait(self):
        ends = time.monotonic() + 30
        while time.monotonic() < ends and self.process.poll() is None:
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            if children:
                self.enter = ["nsenter", f"--target={children[0]}", "--all", "--"]
                if self.run("systemctl", "is-active", "check.target").stdout.strip() == "active":
                    return
            time.sleep(0.05)
        self.process.kill()
        raise Unsuccessful(f"a private systemd did not start: {self.process.stdout.read()}")

    def run(self, *command, user=None):
        """A command on the private machine."""
        change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"] if user else []
        return subprocess.run([*self.enter, *change, *command], capture_output=True, text=True, cwd="/", timeout=120)

    def succeed(self, *command, user=None):
        done = self.run(*command, user=user)
        require(done.returncode == 0, f"{' '.join(command)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def show(self, unit, name):
        return self.succeed("systemctl", "show", "--value", f"--property={name}", unit).strip()

    def wait_for_state(self, unit, state, seconds=20):
        ends = time.monotonic() + seconds
        while self.show(unit, "ActiveState") != state:
            require(time.monotonic() < ends, f"{unit} is {self.show(unit, 'ActiveState')}, not {state}")
            time.sleep(0.05)

    def read(self, terminal):
        with contextlib.suppress(OSError):
            while text := os.read(terminal, 4096):
                self.messages.append(text.decode(errors="replace"))

    def logs(self):
        """The end of what systemd and the services printed."""
        status = self.run("systemctl", "status", "--no-pager", "afterword", "probe").stdout if self.enter else ""
        logs = [path.read_text()[-2000:] for path in sorted(self.folder.glob("*.log"))]
        return "\n".join(["", *logs, status, *self.messages])

    def stop(self):
        # Its namespaces end with it, and so do all its processes and mounts.
        self.process.kill()
        self.process.wait()
        ends = time.monotonic() + 5
        while time.monotonic() < ends:
            with contextlib.suppress(OSError):
                for path in sorted(self.group.glob("**/"), reverse=True):
                    path.rmdir()
                return
            time.sleep(0.05)


def prepare(folder):
    """Units and settings as they are installed. Only the log goes to a file, because there is no journal."""
    units = folder / "units"
    shutil.copytree(UNITS, units)
    for name in SERVICES:
        path = units / name
        path.write_text(path.read_text().replace("[Install]", f"[Service]\nStandardOutput=append:/check/{name}.log\n"
                                                 f"StandardError=inherit\n\n[Install]"))
        if "[Install]" not in path.read_text():
            path.write_text(path.read_text() + f"StandardOutput=append:/check/{name}.log\nStandardError=inherit\n")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    probe = re.sub(
        r"^ExecStart=.*$", f"ExecStart=/usr/bin/python3 /check/unit_probe.py {STATE} {limit}",
        (UNITS / "afterword.service").read_text(), flags=re.M)
    probe = probe.replace("Type=exec", "Type=oneshot\nStandardOutput=append:/check/probe.log\nStandardError=inherit")
    (units / "probe.service").write_text(probe.replace("Restart=on-failure", "Restart=no"))
    shutil.copy(ROOT / "scripts/python/unit_probe.py", folder)
    settings = (ROOT / "deploy/afterword.yaml").read_text()
    (folder / "afterword.yaml").write_text(
        settings.replace("https://feedback.example.org", "http://localhost:8080").replace("trusted-proxies: 1\n", ""))


def trial(systemd):
    """The life of an installed service."""
    client = Client("http://127.0.0.1:8080")

    # The restrictions hold.
    systemd.succeed("systemctl", "start", "probe")
    faults = (systemd.folder / "probe.log").read_text()
    require(not faults, f"under the unit's restrictions:\n{faults}")

    # The service creates its PostgreSQL and works.
    systemd.succeed("systemctl", "start", "afterword")
    main_job.wait_until_ready(client, 30)
    account = main_job.first_admin(systemd.succeed("cat", STATE + "/first-admin"))
    job = main_job.run(client, account)
    processes = systemd.succeed("ps", "-eo", "user,args")
    as_root = re.search(r"^root\s.*(afterword serve|postgres)", processes, re.M)
    require(not as_root, f"something runs as root:\n{processes}")

    # Commands next to it use the database that it has started.
    systemd.succeed(PROGRAM, "verify", "--config", CONFIG, user="afterword")
    systemd.succeed("psql", "-h", STATE + "/run", "-U", "afterword", "-c", "SELECT 1", "afterword")
    back_up(systemd)

    # It comes back after kill -9, with its data.
    systemd.succeed("systemctl", "kill", "--signal=KILL", "--kill-whom=main", "afterword")
    ends = time.monotonic() + 20
    while systemd.show("afterword", "NRestarts") != "1":
        require(time.monotonic() < ends, "systemd did not restart a killed service")
        time.sleep(0.05)
    main_job.wait_until_ready(client, 30)
    require(job.count() == 2, "submissions are missing after a kill")

    # It ends in order: requests in flight are answered, which takes the database.
    body = json.dumps({"answers": {"pace": 3}}).encode()
    connection = client.connection()
    connection.putrequest("POST", f"/v1/forms/{job.code}/submissions")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body[:5])
    systemd.succeed("systemctl", "stop", "--no-block", "afterword")
    time.sleep(0.5)
    connection.send(body[5:])
    status = connection.getresponse().status
    require(status == 201, f"a submission in flight returned {status} while the service was stopped")
    connection.close()
    systemd.wait_for_state("afterword", "inactive")
    require(systemd.show("afterword", "Result") == "success", "stopping failed")
    log = systemd.succeed("cat", STATE + "/postgres.log")
    require("database system is shut down" in log.splitlines()[-1], f"PostgreSQL was not stopped in order:\n{log}")
    require("postgres" not in systemd.succeed("ps", "-eo", "args"), "PostgreSQL is still running")

    # A backup needs no running service.
    systemd.succeed("systemctl", "start", "afterword-backup")
    require(len(dumps(systemd)) == 2, "the backup's unit made no backup while the service was stopped")

    # A wrong setting is not tried again and again.
    systemd.succeed("sh", "-c", f"echo 'port: many' >> {CONFIG}")
    systemd.succeed("systemctl", "start", "afterword")
    systemd.wait_for_state("afterword", "failed")
    require(systemd.show("afterword", "ExecMainStatus") == "2", "a wrong setting has another exit status than 2")
    require(systemd.show("afterword", "NRestarts") == "0", "a service with a wrong setting is restarted")


def dumps(systemd):
    return systemd.succeed("find", BACKUPS, "-path", "*/afterword-*/database.dump", "-size", "+10k").split()


def back_up(systemd):
    """Arms the timer, makes a backup by its unit, and checks that `doctor` knows of the backup."""
    systemd.succeed("systemctl", "start", "afterword-backup.timer")
    require(systemd.show("afterword-backup.timer", "NextElapseUSecRealtime"), "the timer has no next time")
    systemd.succeed("systemctl", "start", "afterword-backup")
    made = dumps(systemd)
    require(len(made) == 1, f"the backup's unit made {made or 'nothing'}")
    systemd.succeed("pg_restore", "--list", made[0])
    judged = systemd.succeed(PROGRAM, "doctor", "--config", CONFIG, user="afterword")
    require(re.search("^fine +backup", judged, re.M), f"doctor does not report the backup:\n{judged}")


def obstacle():
    """Why the units cannot be tried here, or None."""
    if os.geteuid() != 0:
        return "that needs root"
    for program in ("unshare", "nsenter", "setpriv", "ip", "ps"):
        if not shutil.which(program):
            return f"{program} is not installed"
    for path in ("/lib/systemd/systemd", "/usr/bin/python3"):
        if not os.access(path, os.X_OK):
            return f"{path} does not exist"
    tried = subprocess.run(
        ["unshare", "--fork", "--pid", "--mount", "--ipc", "--uts", "--cgroup", "--net", "sh", "-c",
         "mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r && "
         "mount -t overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w overlay /mnt/r && "
         "mount -t sysfs sysfs /mnt/r/sys && mount -t cgroup2 cgroup2 /mnt/r/sys/fs/cgroup"],
        capture_output=True, text=True)
    if tried.returncode:
        return f"namespaces, overlays or control groups cannot be used ({tried.stderr.strip()})"
    return None


def inside(program):
    """The trial, in a network of its own, in which the documented ports are free."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o755)
        prepare(folder)
        systemd = Systemd(folder, pathlib.Path(program))
        try:
            systemd.wait()
            trial(systemd)
        except (Unsuccessful, OSError, http.client.HTTPException, RuntimeError) as reason:
            print(f"FAILED  deploy/systemd: {reason}{systemd.logs()}")
            return 1
        finally:
            systemd.stop()
    print("deploy/systemd: a systemd of its own ran the units, and the main job succeeded.")
    return 0


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/check-units", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only-files", action="store_true", help="do not try the units")
    parser.add_argument("--inside", metavar="PROGRAM", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options.inside)
    faults = list(file_faults())
    for fault in faults:
        print(f"FAILED  deploy/systemd: {fault}")
    if faults or options.only_files:
        return 1 if faults else 0
    if reason := obstacle():
        print(f"deploy/systemd: checked as files, but not tried, because {reason}.")
        return 0
    program = os.path.realpath(page_service.program())
    return subprocess.run(["unshare", "--net", sys.executable, __file__, "--inside", program]).returncode


if __name__ == "__main__":
    sys.exit(main())

"""Runs in place of the service, under the restrictions of its systemd unit. Tries what must fail and what must work.

Prints a line for each fault. Arguments: the unit's state folder, and the limit of open files outside the unit.
"""

import ctypes
import mmap
import os
import pathlib
import resource
import socket
import stat
import subprocess
import sys

STATE, HARD_LIMIT = pathlib.Path(sys.argv[1]), int(sys.argv[2])
CLONE_NEWUSER, ADDR_NO_RANDOMIZE, IPC_CREAT, IPC_RMID = 0x1000_0000, 0x004_0000, 0o1000, 0
libc = ctypes.CDLL(None, use_errno=True)


def call(function, *arguments):
    """Calls a C function that returns -1 at a failure."""
    result = function(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def set_user_id_bit():
    path = STATE / "probe"
    path.touch()
    path.chmod(0o700 | stat.S_ISUID)


def executable_memory():
    mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)


def first_process():
    pathlib.Path("/proc/1/status").read_text()


def shared_memory():
    path = pathlib.Path("/dev/shm/afterword-probe")
    path.write_text("x")
    path.unlink()


def system_v_memory():
    number = call(libc.shmget, 0, 4096, IPC_CREAT | 0o600)
    call(libc.shmctl, number, IPC_RMID, None)


IMPOSSIBLE = {
    "writing in /usr": lambda: pathlib.Path("/usr/probe").touch(),
    "writing in a folder that is open to all": lambda: pathlib.Path("/srv/open/probe").touch(),
    "reading /root": lambda: os.listdir("/root"),
    "reading another user's process": first_process,
    "reading kernel settings": lambda: pathlib.Path("/proc/sys/kernel/hostname").read_text(),
    "a network interface's packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "memory that is writable and executable": executable_memory,
    "a file with a set-user-id bit": set_user_id_bit,
    "a user namespace": lambda: call(libc.unshare, CLONE_NEWUSER),
    "another personality": lambda: call(libc.personality, ADDR_NO_RANDOMIZE),
    "another priority": lambda: os.nice(1),
    "real-time scheduling": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "mounting": lambda: call(libc.mount, b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    "another host name": lambda: socket.sethostname("probe"),
}
POSSIBLE = {
    "writing the state folder": lambda: (STATE / "probe").write_text("x"),
    "a Unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "an IPv4 socket": lambda: socket.socket(socket.AF_INET).close(),
    "an IPv6 socket": lambda: socket.socket(socket.AF_INET6).close(),
    "POSIX shared memory": shared_memory,
    "System V shared memory": system_v_memory,
    "a child process": lambda: subprocess.run(["/bin/sh", "-c", "exit 0"], check=True),
    "temporary files": lambda: pathlib.Path("/tmp/probe").touch(),
}


def main():
    if os.geteuid() == 0:
        print("the unit runs as root")
    for name, action in IMPOSSIBLE.items():
        try:
            action()
            print(f"{name} is possible")
        except OSError:
            pass
    for name, action in POSSIBLE.items():
        try:
            action()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name} is impossible ({error})")
    status = dict(line.split(":\t", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
    for name, wanted in {"CapBnd": "0" * 16, "CapEff": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}.items():
        if status[name].strip() != wanted:
            print(f"{name} is {status[name]}")
    if pathlib.Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]:
        print("all users of the machine are mapped into the unit's user namespace")
    devices = {name for name in os.listdir("/dev") if stat.S_ISBLK(os.lstat(f"/dev/{name}").st_mode)}
    if devices:
        print(f"block devices are visible: {devices}")
    # Some containers do not let systemd raise a limit.
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits not in ((65536, 65536), (HARD_LIMIT, HARD_LIMIT)):
        print(f"the limit of open files is {limits}")
    previous = os.umask(0)
    if previous != 0o077:
        print(f"files are created with the mask {previous:o}")


main()

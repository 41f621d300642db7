"""A clock of the service's own, moved by libfaketime while the service runs."""

import ctypes
import functools
import glob
import os
import secrets
import shutil
import subprocess
import tempfile

LIBRARY = "/usr/lib/*/faketime/libfaketime.so.1"
SHARED = "/dev/shm"


# libfaketime also moves the deadlines of timers whose clock it leaves alone. A change of the time of day does not do
# that: a task that sleeps for a millisecond would sleep for a day.
TIMERS = """
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
int timerfd_settime(int fd, int flags, const struct itimerspec *next, struct itimerspec *last) {
    return syscall(SYS_timerfd_settime, fd, flags, next, last);
}
"""
COMPILERS = ("clang", "cc", "gcc")


def library():
    found = glob.glob(LIBRARY)
    return found[0] if found else None


def compiler():
    return next((path for path in map(shutil.which, COMPILERS) if path), None)


def why_not():
    """What is missing for a clock of its own; None if nothing is."""
    if library() is None:
        return "libfaketime is not installed (scripts/setup test)"
    return None if compiler() else "no C compiler is installed"


@functools.cache
def unmoved_timers():
    """A library by which timers keep their deadlines, compiled for this run."""
    folder = tempfile.TemporaryDirectory(prefix="afterword-chaos-")
    # The database's user loads it too.
    os.chmod(folder.name, 0o755)
    path = f"{folder.name}/timers.so"
    command = [compiler(), "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", path]
    subprocess.run(command, input=TIMERS, text=True, check=True)
    # The folder is removed with its last reference.
    return folder, path


class MovableClock:
    """The time of day of a service. Its database has the system's clock, and intervals are measured by the system's."""

    def __init__(self, folder):
        self.file = f"{folder}/clock"
        self.names = []
        self.move(0)

    def move(self, seconds):
        """Moves the clock of the running service by this difference to the system's."""
        draft = f"{self.file}.new"
        with open(draft, "w") as file:
            file.write(f"{seconds:+d}")
        os.replace(draft, self.file)

    def environment(self):
        """The variables for one start.

        Without shared memory of a given name, the library makes it and sets a variable, which moves the environment;
        Swift's runtime then does not find the arguments of the program.
        """
        name = f"/afterword-chaos-{secrets.token_hex(4)}"
        self.names.append(name)
        create_shared(name)
        return {
            "LD_PRELOAD": f"{unmoved_timers()[1]} {library()}", "FAKETIME_SHARED": f"{name} {name}", "FAKETIME_TIMESTAMP_FILE": self.file,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_SKIP_CMDS": "postgres",
        }

    def remove(self):
        for name in self.names:
            for path in (f"{SHARED}{name}", f"{SHARED}/sem.{name[1:]}"):
                if os.path.exists(path):
                    os.remove(path)
        self.names = []


def create_shared(name):
    """The semaphore and the memory that libfaketime expects, open to the database's user too."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sem_open.restype = ctypes.c_void_p
    mask = os.umask(0)
    try:
        if not libc.sem_open(name.encode(), os.O_CREAT | os.O_EXCL, 0o666, 1):
            raise OSError(ctypes.get_errno(), "sem_open failed")
        with open(f"{SHARED}{name}", "wb") as file:
            file.write(bytes(4096))
    finally:
        os.umask(mask)

"""A clock of the service's own, moved by libfaketime while the service runs."""

import ctypes
import glob
import os
import secrets

LIBRARY = "/usr/lib/*/faketime/libfaketime.so.1"
SHARED = "/dev/shm"


def library():
    found = glob.glob(LIBRARY)
    return found[0] if found else None


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
            "LD_PRELOAD": library(), "FAKETIME_SHARED": f"{name} {name}", "FAKETIME_TIMESTAMP_FILE": self.file,
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

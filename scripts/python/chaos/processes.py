"""Processes, their descriptors and their memory, from /proc."""

import os
import re
import signal


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return None


def tree(pid):
    """A process and its descendants, the process first."""
    parents = {int(name): parent(name) for name in os.listdir("/proc") if name.isdigit()}
    found = [pid] if pid in parents else []
    for one in found:
        found += [child for child, its_parent in parents.items() if its_parent == one]
    return found


def working_directory(pid):
    """The working directory of a process, or None if it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/cwd").removesuffix(" (deleted)")
    except OSError:
        return None


def working_in(folder):
    """The processes whose working directory is this folder or below it, such as the postmaster of a cluster."""
    folder, found = os.path.realpath(folder), []
    for name in filter(str.isdigit, os.listdir("/proc")):
        directory = working_directory(name)
        if directory and (directory == folder or directory.startswith(folder + "/")):
            found.append(int(name))
    return found


def send_signal(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def is_running(pid):
    """Whether the process exists and has not ended as a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def kill_all_in(folder):
    """Ends what was left behind in a folder of this harness."""
    send_signal(working_in(folder), signal.SIGKILL)


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def anonymous_memory(pid):
    """The private memory (RssAnon) in MiB."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"^RssAnon:\s+(\d+)", file.read(), re.M).group(1)) / 1024

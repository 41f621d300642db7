"""CPU time and memory of processes, from /proc."""
import os, re, resource, threading

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid, with_children=False):
    """The CPU time of a process, with that of its ended children if wanted. 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15 if with_children else 13]) / TICKS


def children(pid):
    """The processes that this process has started and that still run."""
    found = []
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{other}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[1] == str(pid):
                    found.append(int(other))
        except OSError:
            continue
    return found


def title(pid):
    """The command line of a process. PostgreSQL writes there what a backend does, and for which user."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def memory(pid, field="RssAnon"):
    """Memory in MB: `RssAnon` is private, `VmRSS` resident, with the mapped files."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"^{field}:\s+(\d+)", file.read(), re.M).group(1)) / 1024


def ended_children_cpu():
    """The CPU time of the programs that this process has started and awaited."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class PeakMemory:
    """The largest values of private and resident memory while a `with` block runs, read every 20 ms."""

    def __init__(self, pid):
        self.pid, self.private, self.resident = pid, 0, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.ended.wait(0.02):
            self.read()

    def read(self):
        self.private = max(self.private, memory(self.pid))
        self.resident = max(self.resident, memory(self.pid, "VmRSS"))

    def __enter__(self):
        self.read()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Cost:
    """The CPU time of services and of their cluster while a `with` block runs, in microseconds for each unit."""

    def __init__(self, *services, cluster=None):
        self.services = services
        self.cluster = cluster or (services[0].cluster if services else None)

    def now(self):
        services = sum(cpu_seconds(service.process.pid) for service in self.services)
        return services, self.cluster.cpu_seconds() if self.cluster else 0

    def __enter__(self):
        self.before = self.now()
        return self

    def __exit__(self, *_):
        after = self.now()
        self.services_seconds, self.postgres_seconds = (new - old for new, old in zip(after, self.before))

    def each(self, count):
        return {"service": self.services_seconds / count * 1e6, "postgres": self.postgres_seconds / count * 1e6}

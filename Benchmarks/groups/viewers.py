"""Live viewers: the memory of each, and how long it takes until a change has reached the last of them."""
import json, resource, subprocess, sys, time

from bench.generators import compiled
from bench.processes import Cost, memory
from bench.requests import answers, request

CHANGES = 5
# Each instance accepts viewers up to three quarters of its connections, three quarters of those without an account.
FILES_FOR_A_VIEWER = 2


class Viewers:
    """Open streams of one form, in another process."""

    def __init__(self, service, count, meeting, folder):
        with open(f"{folder}/stream", "wb") as file:
            file.write(request("GET", f"/v1/meetings/{meeting['id']}/results/live",
                               {"Authorization": f"Bearer {service.token}", "Accept": "text/event-stream"}))
        self.process = subprocess.Popen([compiled("viewers", folder), str(service.port), str(count), file.name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        return self.process.stdout.readline().strip() or sys.exit("The program of the viewers has ended early.")

    def await_change(self, change):
        """Milliseconds from the acknowledged change until the first, half, 99 %, and the last of the viewers had it."""
        self.process.stdin.write("next\n")
        self.process.stdin.flush()
        self.read()
        change()
        acknowledged = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        return [max(0, int(moment) - acknowledged) / 1e6 for moment in self.read().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def allow_open_files(count):
    """Raises the limit of open files for this process and the service. Returns whether it suffices."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count * FILES_FOR_A_VIEWER
    if hard < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
        except (ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    # The service needs a third more than its viewers.
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] * 0.7 > count


def counts(largest):
    smaller = [count for count in (100, 1_000) if count < largest]
    return [*smaller, largest]


def measure(bench):
    largest = bench.options.viewers
    if not allow_open_files(largest):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        for key in ("viewer-memory", "viewer-last"):
            bench.results.lack(key, f"the limit of open files is {hard:,}; fewer with --viewers")
        print(f"  not measured: the limit of open files is {hard:,}")
        return
    with bench.service("viewers") as service:
        for turn in bench.rounds:
            for count in counts(largest):
                each, delays, cost = measured(bench, service, count)
                bench.results.record("viewers", viewers=count, kib=each, delays=delays, **cost)
                last = sorted(delay[-1] for delay in delays)[len(delays) // 2]
                if count == largest:
                    bench.results.add("viewer-memory", each)
                    bench.results.add("viewer-last", last)
                print(f"  {count:6,} viewers: {each:5.1f} KiB each; a change reaches the first after"
                      f" {delays[0][0]:.0f} ms, the last after {last:.0f} ms (median of {len(delays)}); CPU of"
                      f" the service {cost['service']:.1f} µs for each viewer and change", flush=True)


def measured(bench, service, count):
    # A new process, because memory that viewers have left is not returned to the system.
    service.restart()
    meeting = service.meeting(f"{count} viewers")
    service.submit_once(meeting, answers(0))
    before = memory(service.process.pid)
    viewers = Viewers(service, count, meeting, bench.folder)
    try:
        delays, changes = [], 2 if bench.options.short else CHANGES
        with Cost(service) as cost:
            for number in range(changes):
                # An event is delayed by at most a quarter of a second after the one before.
                time.sleep(0.5)
                delays.append(viewers.await_change(lambda: service.submit_once(meeting, answers(number))))
        event = len(json.dumps(service.call("GET", f"/v1/meetings/{meeting['id']}/results"), separators=(",", ":")))
        each = (memory(service.process.pid) - before) * 1024 / count
        return each, delays, {**cost.each(count * changes), "event": event}
    finally:
        viewers.close()

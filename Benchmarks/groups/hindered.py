"""The p99 of submissions at a fixed rate beside connections that are silent, read nothing, or view live results.

The service may open 1,024 files, so that its limits are reached, and one address may have all connections. The silent
ones are more than the service may open files, so they are opened after those of the submitting clients; the others
before.
"""
import contextlib, re, socket, time
from concurrent import futures

from bench.requests import answers, request
from groups.viewers import Viewers, allow_open_files

FILES = 1_024
SILENT, UNREAD = 1_100, 500
RATE, CLIENTS = 200, 32
# The longest response that anybody gets, often enough to exceed the buffers of a connection.
LONG = "/assets/chart.js"
REPEATED = 20


def measure(bench):
    if not allow_open_files(FILES + SILENT):
        reason = "the limit of open files is too low"
        for key in ("hindered-silent", "hindered-unread", "hindered-viewers"):
            bench.results.lack(key, reason)
        print(f"  not measured: {reason}")
        return
    with bench.service("hindered") as service:
        service.stop()
        service.start("--connections-per-address", "0", "--viewers-per-address", "0", files=FILES)
        viewers = accepted_viewers(service)
        for turn in bench.rounds:
            alone = submit(bench, service)
            unread = request("GET", LONG) * REPEATED
            kinds = {
                "silent": (SILENT, lambda: submit(bench, service, connections(service.port, SILENT, b""))),
                "unread": (UNREAD, lambda: submit_beside(bench, service, connections(service.port, UNREAD, unread))),
                "viewers": (viewers, lambda: submit_beside(bench, service, live_viewers(bench, service, viewers))),
            }
            for name, (count, measured) in kinds.items():
                beside = measured()
                ratio = beside["p99"] / alone["p99"]
                bench.results.record("hindered", kind=name, count=count, alone=alone, beside=beside)
                bench.results.add(f"hindered-{name}", ratio)
                print(f"  {count:,} {name}: p99 {beside['p99']:.2f} ms, {ratio:.2f} of {alone['p99']:.2f} ms alone",
                      flush=True)


def accepted_viewers(service):
    """The limit that the service has logged at its start."""
    with open(f"{service.data}.log") as log:
        return int(re.findall(r"\bviewers=(\d+)", log.read())[-1])


def submit(bench, service, others=contextlib.nullcontext()):
    """Submits, and opens the other connections once those of the clients are open."""
    meeting, seconds = service.meeting("Hindered"), bench.options.seconds
    with futures.ThreadPoolExecutor() as pool:
        load = pool.submit(service.submit, [meeting], CLIENTS, seconds=seconds, rate=RATE)
        time.sleep(min(0.3, seconds / 4))
        with others:
            return load.result()


def submit_beside(bench, service, others):
    """Submits once the other connections are open, and their buffers are full."""
    with others:
        time.sleep(min(1, bench.options.seconds))
        return submit(bench, service)


@contextlib.contextmanager
def connections(port, count, sent):
    """Connections that send some bytes and then neither read nor close. The service may refuse or close them."""
    sockets = []
    for _ in range(count):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", port))
        sockets.append(connection)
    if sent:
        time.sleep(0.1)
        for connection in sockets:
            with contextlib.suppress(OSError):
                connection.send(sent)
    yield
    for connection in sockets:
        connection.close()


@contextlib.contextmanager
def live_viewers(bench, service, count):
    meeting = service.meeting("Viewed")
    service.submit_once(meeting, answers(0))
    viewers = Viewers(service, count, meeting, bench.folder)
    yield
    viewers.close()

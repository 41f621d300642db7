"""How long `/livez` and `/readyz` take while many clients submit, on the main port and on the one of `--health-port`.

Clients, service and PostgreSQL share the machine: without an idle core the times include the wait for CPU time.
"""
import http.client, socket, statistics, threading, time
from concurrent import futures

from groups.viewers import allow_open_files

CLIENTS = 3000


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def probe(port, path, keeps_alive, until, times, faults):
    """Sends requests until the time is up, on one connection or each on a new one."""
    connection = None
    while time.monotonic() < until:
        begin = time.monotonic()
        try:
            connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                faults.append(str(answer.status))
        except OSError as error:
            faults.append(type(error).__name__)
            connection = None
        times.append((time.monotonic() - begin) * 1000)
        if connection and not keeps_alive:
            connection.close()
            connection = None
        time.sleep(0.1)


def measure(bench):
    clients = 100 if bench.options.short else CLIENTS
    if not allow_open_files(clients):
        print(f"  not measured: the limit of open files does not allow {clients:,} clients")
        return
    with bench.service("health") as service:
        service.stop()
        health_port = free_port()
        service.start("--health-port", str(health_port))
        form, seconds = service.meeting("Health"), max(1, bench.options.seconds)
        # The service has accepted all connections after some time, and the load ends after the probes.
        before = min(2, seconds / 2)
        load = futures.ThreadPoolExecutor().submit(service.submit, [form], clients, seconds=before + seconds)
        time.sleep(before)
        until = time.monotonic() + seconds - 0.5
        ports = {"main": service.port, "health": health_port}
        kinds = {(name, port, path, keeps_alive): ([], []) for name, port in ports.items()
                 for path in ("/livez", "/readyz") for keeps_alive in (True, False)}
        threads = [threading.Thread(target=probe, args=(*kind[1:], until, *lists)) for kind, lists in kinds.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        report = load.result()
        print(f"  {clients:,} clients: {report['rate']:,.0f} submissions/s, p50 {report['p50']:.0f} ms")
        for (name, _, path, keeps_alive), (times, faults) in kinds.items():
            median = statistics.median(times)
            bench.results.record("health", port=name, path=path, kept=keeps_alive, clients=clients, times=times,
                                 faults=faults)
            note = "" if path != "/livez" else " (limit 100 ms)"
            kind = "kept" if keeps_alive else "new"
            print(f"  {path} on the {name} port, {kind} connection: median {median:.1f} ms{note}, at most"
                  f" {max(times):.0f} ms of {len(times)}, {len(faults)} failed")

"""The limit of the load generator: what it reaches with a server that does nothing, and with the service's `/livez`."""
import contextlib, subprocess

from bench.generators import compiled
from bench.requests import request, submissions

# As long as the response to a submission.
HEAD = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 156\r\n\r\n"
RESPONSE = HEAD + b"{" + b" " * 154 + b"}"


@contextlib.contextmanager
def bare_server(folder):
    """The port of a server that answers each request with the same bytes."""
    with open(f"{folder}/response", "wb") as file:
        file.write(RESPONSE)
    command = [compiled("bare", folder), file.name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        yield int(server.stdout.readline())
        # The server ends when its input is closed.
        server.stdin.close()
        server.wait(10)


def measure(bench):
    seconds, reached = bench.options.seconds, {}
    with bare_server(bench.folder) as port, bench.service("limit_of_load") as service:
        for turn in bench.rounds:
            for clients in (64, 256):
                bare = bench.load.run(port, submissions(["0" * 13]), clients, seconds=seconds)
                livez = bench.load.run(service.port, [request("GET", "/livez")], clients, seconds=seconds, status=200)
                bench.results.record("limit", clients=clients, bare=bare, livez=livez)
                reached[clients] = max(reached.get(clients, 0), bare["rate"])
                print(f"  {clients:3} clients: {bare['rate']:7,.0f}/s from a bare server ({bare['client']:.1f} µs of"
                      f" CPU each), {livez['rate']:7,.0f}/s from /livez", flush=True)
    bench.results.notes.append("The load generator itself reaches " + " and ".join(
        f"{rate:,.0f} requests/s with {clients} clients" for clients, rate in reached.items()) + " on this machine.")

"""The limit of the load generator: what it reaches with a server that does nothing, and with the service's `/livez`."""
from bench.bare import answering
from bench.requests import request, submissions


def measure(bench):
    seconds, reached = bench.options.seconds, {}
    with answering(bench.folder) as server, bench.service("limit_of_load") as service:
        for turn in bench.rounds:
            for clients in (64, 256):
                bare = bench.load.run(server.port, submissions(["0" * 13]), clients, seconds=seconds)
                livez = bench.load.run(service.port, [request("GET", "/livez")], clients, seconds=seconds, status=200)
                bench.results.record("limit", clients=clients, bare=bare, livez=livez)
                reached[clients] = max(reached.get(clients, 0), bare["rate"])
                print(f"  {clients:3} clients: {bare['rate']:7,.0f}/s from a bare server ({bare['client']:.1f} µs of"
                      f" CPU each), {livez['rate']:7,.0f}/s from /livez", flush=True)
    bench.results.notes.append("The load generator itself reaches " + " and ".join(
        f"{rate:,.0f} requests/s with {clients} clients" for clients, rate in reached.items()) + " on this machine.")

"""Rate and CPU time of submissions by the number of clients, beside pgbench's bare INSERT. For a plot only."""

CLIENTS = (1, 4, 16, 64, 256, 1024)
# pgbench needs a connection for each client.
MOST_INSERTING = 256


def measure(bench):
    with bench.service("by_clients") as service:
        bench.prepare_inserts(service)
        for turn in bench.rounds:
            for clients in (1, 64) if bench.options.short else CLIENTS:
                bare = bench.inserts(service, clients) if clients <= MOST_INSERTING else None
                meeting = service.meeting(f"{clients} clients")
                report = service.submit([meeting], clients, seconds=bench.options.seconds)
                bench.results.record("clients", clients=clients, submissions=report, inserts=bare)
                inserts = f"; bare INSERT {bare['rate']:7,.0f}/s, {bare['postgres']:6.1f} µs" if bare else ""
                print(f"  {clients:4} clients: {report['rate']:7,.0f}/s, service {report['service']:6.1f}"
                      f" + PostgreSQL {report['postgres']:6.1f} µs{inserts}", flush=True)

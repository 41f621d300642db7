"""The latency of submissions and of pgbench's bare INSERTs at fractions of their maximum rates.

Both load generators send at random moments and count from the moment at which a request was due, so that a server that
stops for a while is charged for all requests that would have been sent.
"""

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
CLIENTS = 256


def measure(bench):
    seconds = bench.options.seconds
    with bench.service("latency") as service:
        bench.prepare_inserts(service)
        best = bench.best_inserting_clients(service)
        for turn in bench.rounds:
            max_rate = service.submit([service.meeting("The maximum")], CLIENTS, seconds=seconds)["rate"]
            max_insert_rate = bench.inserts(service, best)["rate"]
            for share in (0.5,) if bench.options.short else SHARES:
                meeting = service.meeting(f"{share} of the maximum")
                paced = service.submit([meeting], CLIENTS, seconds=seconds, rate=max_rate * share)
                inserts = bench.paced_inserts(service, best, max_insert_rate * share)
                bench.results.record("latency", share=share, max_rate=max_rate, max_insert_rate=max_insert_rate,
                                     submissions=paced, inserts=inserts)
                if share == 0.5:
                    bench.results.add("p99", paced["p99"] / inserts["p99"])
                print(f"  {share:4.0%} of the maximum: {max_rate * share:7,.0f} submissions/s, p50 {paced['p50']:.2f},"
                      f" p99 {paced['p99']:.2f} ms; {max_insert_rate * share:7,.0f} INSERTs/s, p50 {inserts['p50']:.2f},"
                      f" p99 {inserts['p99']:.2f} ms", flush=True)

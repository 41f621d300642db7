"""The rate of submissions where a flush is slow, which PostgreSQL's `commit_delay` imitates.

The process that flushes sleeps before it does so, while it holds the lock of the write-ahead log, as it would on a slow
disk. Transactions that commit meanwhile are flushed next, all together.
"""


def measure(bench):
    delay = bench.options.commit_delay
    with bench.service("slow_flush") as service:
        bench.prepare_inserts(service)
        # With `commit_siblings = 0` every flush is delayed, also that of the only transaction.
        service.cluster.set(commit_delay=delay, commit_siblings=0)
        try:
            best = bench.best_inserting_clients(service, flush=f"{delay} µs")
            for turn in bench.rounds:
                bare = bench.inserts(service, best)
                reports = {}
                for clients in (64, 256):
                    meeting = service.meeting(f"Slow flush, {clients} clients")
                    report = reports[clients] = service.submit([meeting], clients, seconds=bench.options.seconds)
                    bench.results.add(f"slow-{clients}", report["rate"] / bare["rate"])
                    print(f"  {clients:3} clients: {report['rate']:7,.0f}/s, p99 {report['p99']:.1f} ms;"
                          f" bare INSERT with {best} clients {bare['rate']:7,.0f}/s", flush=True)
                bench.results.record("flush", delay=delay, best=best, bare=bare, submissions=reports)
        finally:
            service.cluster.set(commit_delay=None, commit_siblings=None)

"""Details of a form with many submissions, read after a new answer, so that nothing comes from a cache."""
import http.client, json, statistics, sys, time, urllib.parse

REPETITIONS = 20


def paths(base, rows):
    """The figure (None if it has none) and the path of each reading, by name."""
    words = urllib.parse.quote("few words")
    return {
        "where, one of five": ("filter", base + "?where=pace:3"),
        "where, two conditions": ("filter", base + "?where=pace:3&where=depth:7"),
        "cross-tab": ("crosstab", base + "/crosstab?rows=pace&columns=depth"),
        "search, in every text": ("search", base + f"/better/answers?q={words}"),
        "search, in one": ("search", base + f"/better/answers?q={rows * 7 // 10:08}"),
        "search, in none": ("search", base + "/better/answers?q=nowhere"),
        "a page of texts": (None, base + "/better/answers?limit=50"),
        "words": (None, base + "/better/terms"),
        "timeline": (None, base + "/timeline?bucket=minute"),
    }


def measure(bench):
    service = bench.large_form()
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    found = paths(f"/v1/meetings/{service.form['id']}/results", bench.options.rows)
    medians = {}
    for name, (figure, path) in found.items():
        times, partial = [], False
        for _ in range(2 if bench.options.short else REPETITIONS):
            service.submit_once(service.form, {"pace": 3})
            begin = time.perf_counter()
            connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
            times.append((time.perf_counter() - begin) * 1000)
            if answer.status != 200:
                sys.exit(f"{path}: {answer.status} {body}")
            partial = bool(body.get("partial") or body.get("sampled"))
        medians.setdefault(figure, []).append(statistics.median(times))
        bench.results.record("inside", what=name, times=times, partial=partial)
        print(f"  {name}: {statistics.median(times):.0f} ms, at most {max(times):.0f} ms of {len(times)},"
              f" {'partial, and marked as such' if partial else 'complete'}", flush=True)
    # The slowest reading of each kind decides.
    for figure in ("filter", "crosstab", "search"):
        bench.results.add(figure, max(medians[figure]))

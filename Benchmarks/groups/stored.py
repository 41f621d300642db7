"""What a submission and a result cost by the number of submissions that are stored already.

A few thousand submissions are sent over HTTP, and their rows are copied with other ids, times and texts. Then
`afterword verify --repair` counts them, so that this group does not depend on the tables of counts.
"""
import statistics, time

from bench.requests import NUMBERED_TEXT, TEXT

SEED = 1_000
CLIENTS = 64
RESULTS = 40
COPIED_AT_ONCE = 500_000


def sizes(largest):
    """1,000 and its multiples by ten, up to the largest."""
    found, size = [], SEED
    while size < largest:
        found.append(size)
        size *= 10
    return [*found, largest]


def grow(service, meeting, count):
    """Copies the form's rows until it has `count`. PostgreSQL inserts them sorted by id, which is faster."""
    form = meeting["form"]["id"]
    text = "'Answer number ' || lpad(n::text, 8, '0') || ', in a few words.'"
    changed = {
        "id": "gen_random_uuid()", "submitted_at": "s.submitted_at - n * interval '1 ms'",
        "submitted_on": "((s.submitted_at - n * interval '1 ms') AT TIME ZONE 'UTC')::date",
        "answers": f"jsonb_set(s.answers, '{{better}}', to_jsonb({text}))",
    }
    names = service.cluster.sql("""
        SELECT attname FROM pg_attribute
        WHERE attrelid = 'submission'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
        ORDER BY attnum
    """, service.database).split()
    values = ", ".join(f"{changed[name]} AS {name}" if name in changed else f"s.{name}" for name in names)
    service.cluster.sql(f"CREATE TABLE IF NOT EXISTS copied AS SELECT row_number() OVER () AS place, * FROM submission"
                        f" WHERE form_id = '{form}' LIMIT {SEED}", service.database)
    present = int(service.cluster.sql(f"SELECT count(*) FROM submission WHERE form_id = '{form}'", service.database))
    for begin in range(present, count, COPIED_AT_ONCE):
        end = min(begin + COPIED_AT_ONCE, count)
        service.cluster.sql(f"""
            INSERT INTO submission ({", ".join(names)})
            SELECT {values} FROM generate_series({begin + 1}, {end}) AS n JOIN copied s ON s.place = n % {SEED} + 1
            ORDER BY {names.index("id") + 1}
        """, service.database)
    if count > present:
        service.command("verify", "--repair", accepted=(0, 3))
        service.stored += count - present
    service.cluster.sql("VACUUM ANALYZE", service.database)
    service.cluster.sql("CHECKPOINT", service.database)
    # After a checkpoint, the first change of a page writes the whole page to the log. Ids are random, so this many
    # submissions change most pages of the primary key, which has about 150 rows in each.
    service.submit([meeting], CLIENTS, TEXT, count=max(SEED, count // 50))


def result_times(service, meetings, repetitions):
    """Milliseconds of each form's result after a new submission, by turns, so that it is rendered again."""
    times = [[] for _ in meetings]
    for _ in range(repetitions):
        for meeting, list in zip(meetings, times):
            service.submit_once(meeting, {"pace": 3})
            begin = time.perf_counter()
            service.call("GET", f"/v1/meetings/{meeting['id']}/results")
            list.append((time.perf_counter() - begin) * 1000)
    return [statistics.median(list) for list in times]


def with_none_stored(bench, rate=None):
    """Submissions to the only form of a new database."""
    with bench.service("stored_none") as service:
        form = service.meeting("Empty")
        service.submit([form], CLIENTS, count=CLIENTS * 4)
        return service.submit([form], CLIENTS, TEXT, seconds=bench.options.seconds, rate=rate)


def measure(bench):
    most = bench.options.stored
    # Half of the maximum, so that the median is the latency of a service that is not saturated.
    rate = with_none_stored(bench)["rate"] / 2
    with bench.service("stored_many") as service:
        small, large = service.meeting("Small"), service.meeting("Large")
        for form in (small, large):
            service.submit([form], 16, NUMBERED_TEXT, count=SEED)
        for size in [most] if bench.options.short else sizes(most):
            grow(service, large, size)
            for turn in bench.rounds:
                none = with_none_stored(bench, rate)
                many = service.submit([large], CLIENTS, TEXT, seconds=bench.options.seconds, rate=rate)
                of_small, of_large = result_times(service, [small, large], 3 if bench.options.short else RESULTS)
                bench.results.record("stored", stored=size, rate=rate, submissions=many, none=none,
                                     result_small=of_small, result=of_large)
                if size == most:
                    bench.results.add("p50-stored", many["p50"] / none["p50"])
                    bench.results.add("result-stored", of_large / of_small)
                print(f"  {size:10,} stored: p50 {many['p50']:.2f} ms ({none['p50']:.2f} with none), service"
                      f" {many['service']:.1f} + PostgreSQL {many['postgres']:.1f} µs; result {of_large:.2f} ms"
                      f" ({of_small:.2f} with 1,000)", flush=True)

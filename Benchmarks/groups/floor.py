"""The floor: what the kernel, libpq, zlib and PostgreSQL cost for the same bytes, measured by bare programs.

They check nothing. What the service takes beyond them is its own; a limit that they miss, nobody can hold with
PostgreSQL. The values are printed and kept in the JSON file.
"""
import io, shutil, socket, subprocess, sys, time, urllib.request, zipfile, zlib

from bench.bare import FORMS, answering, stored_and_counted, storing
from bench.cluster import Cluster, tool
from bench.processes import Cost, memory
from bench.requests import submissions
from groups.export import copied
from groups.reading import requests
from groups.start import timed
from groups.viewers import allow_open_files

# The level of compression of the service's spreadsheets.
LEVEL = 2


def measure(bench):
    with bench.service("floor") as service:
        bench.prepare_inserts(service)
        forms = [service.meeting(f"One of {FORMS}") for _ in range(2 if bench.options.short else FORMS)]
        for turn in bench.rounds:
            writing(bench, service, forms)
            slow_flush(bench, service)
            reading(bench, service, forms[0])
            viewers(bench)
            start(bench, service)
        stored_rows(bench, service)
    for turn in bench.rounds:
        spreadsheet(bench, bench.large_form())


def keep(bench, what, **values):
    bench.results.record("floor", what=what, **values)


def show(name, report):
    print(f"  {name:36} {report['rate']:7,.0f}/s, p50 {report['p50']:5.1f} ms, p99 {report['p99']:5.1f} ms; program"
          f" {report['service']:5.1f} + PostgreSQL {report['postgres']:5.1f} µs", flush=True)


def load(bench, program, messages, clients, **amount):
    with Cost(program) as cost:
        report = bench.load.run(program.port, messages, clients, **amount)
    return {**report, **cost.each(report["ok"])}


def store(bench, service, program, forms, clients, **amount):
    """Submissions to the bare program, all of which must be stored and counted."""
    before = stored_and_counted(service)
    report = load(bench, program, submissions([f"{number:013}" for number in range(forms)]), clients, **amount)
    added = [after - earlier for after, earlier in zip(stored_and_counted(service), before)]
    if added != [report["ok"]] * 2:
        sys.exit(f"The bare program acknowledged {report['ok']} submissions, and stored and counted {added}.")
    return report


def writing(bench, service, forms):
    seconds, best = bench.options.seconds, bench.best_inserting_clients(service)
    bare, best_bare = bench.inserts(service, 64), bench.inserts(service, best)
    counting = bench.inserts(service, 64, "insert_and_count.sql")
    with storing(service, bench.folder) as program:
        for clients, count in ((64, 1), (256, 1), (256, len(forms))):
            floor = store(bench, service, program, count, clients, seconds=seconds)
            ours = service.submit(forms[:count], clients, seconds=seconds)
            keep(bench, "writing", clients=clients, forms=count, floor=floor, service=ours, bare=bare,
                 best_bare=best_bare, counting=counting)
            show(f"{clients} clients, {count} forms: service", ours)
            show("  floor", floor)
            print(f"    floor: CPU to a bare INSERT {(floor['service'] + floor['postgres']) / bare['postgres']:.2f},"
                  f" rate to INSERTs at their best {floor['rate'] / best_bare['rate']:.2f},"
                  f" to INSERT and tally {floor['rate'] / counting['rate']:.1f}", flush=True)
            if clients == 256 and count == 1:
                half = floor["rate"] / 2
        paced = store(bench, service, program, 1, 256, seconds=seconds, rate=half)
    inserts = bench.paced_inserts(service, best, best_bare["rate"] / 2)
    keep(bench, "latency", floor=paced, inserts=inserts)
    print(f"  p99 at half of the maximum: floor {paced['p99']:.2f} ms, INSERTs {inserts['p99']:.2f} ms", flush=True)


def slow_flush(bench, service):
    delay = bench.options.commit_delay
    service.cluster.set(commit_delay=delay, commit_siblings=0)
    try:
        best = bench.best_inserting_clients(service, flush=f"{delay} µs")
        bare = bench.inserts(service, best)
        for clients in (64, 256):
            for divisor in (1, 2, 3):
                with storing(service, bench.folder, divisor) as program:
                    floor = store(bench, service, program, 1, clients, seconds=bench.options.seconds)
                keep(bench, "slow flush", clients=clients, divisor=divisor, floor=floor, bare=bare)
                show(f"flush of {delay} µs, {clients} clients: floor", floor)
                print(f"    a batch when 1/{divisor} of the clients wait; rate to INSERTs at their best"
                      f" {floor['rate'] / bare['rate']:.2f}", flush=True)
    finally:
        service.cluster.set(commit_delay=None, commit_siblings=None)


def response_bytes(service, message):
    """The bytes of the service's response to a request."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(message)

        def received():
            return connection.recv(1 << 16) or sys.exit("The service closed the connection before its response ended.")
        found = received()
        while b"\r\n\r\n" not in found:
            found += received()
        head, _, body = found.partition(b"\r\n\r\n")
        lengths = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        # A 304 may have the length of the body that it does not have.
        while b" 304 " not in head[:15] and lengths and len(body) < lengths[0]:
            body += received()
        return head + b"\r\n\r\n" + body


def reading(bench, service, meeting):
    """The kernel's part of a reading, beside the service."""
    for name, (clients, message, status) in requests(service, meeting, meeting["id"]).items():
        if name not in ("livez", "cached", "not-modified", "page"):
            continue
        ours = load(bench, service, [message], clients, seconds=bench.options.seconds, status=status)
        with answering(bench.folder, response_bytes(service, message)) as program:
            floor = load(bench, program, [message], clients, seconds=bench.options.seconds, status=status)
        keep(bench, name, service=ours, floor=floor)
        show(f"{name}: service", ours)
        show("  floor", floor)


def viewers(bench):
    """The private memory of connections that are open, for which a bare program keeps nothing itself."""
    count = bench.options.viewers
    if not allow_open_files(count):
        return
    with answering(bench.folder) as program:
        before = memory(program.process.pid)
        connections = [socket.create_connection(("127.0.0.1", program.port)) for _ in range(count)]
        for connection in connections:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            connection.recv(1 << 16)
        each = (memory(program.process.pid) - before) * 1024 / count
        for connection in connections:
            connection.close()
    keep(bench, "viewers", viewers=count, kib=each)
    print(f"  {count:,} connections: {each:.2f} KiB each", flush=True)


def stored_rows(bench, service):
    """Bare INSERTs into a table that has rows, and into an empty one, at half of the rate of the empty one."""
    cluster, stored = service.cluster, bench.options.stored
    cluster.sql("TRUNCATE bench", service.database)
    rate = bench.inserts(service, 64)["rate"] / 2
    cluster.sql("TRUNCATE bench", service.database)
    none = bench.paced_inserts(service, 64, rate)
    cluster.sql(f"""
        INSERT INTO bench (form_id, id, version, answers, submitted_on, submitted_at)
        SELECT b.form_id, gen_random_uuid(), b.version, b.answers, b.submitted_on, b.submitted_at - n * interval '1 ms'
        FROM (SELECT * FROM bench LIMIT 1) AS b, generate_series(1, {stored}) AS n
        ORDER BY 2
    """, service.database)
    cluster.sql("VACUUM ANALYZE bench", service.database)
    cluster.sql("CHECKPOINT", service.database)
    # As in the group `stored`, so that most pages were written to the log since the checkpoint.
    end = time.monotonic() + bench.options.seconds * 4
    while time.monotonic() < end:
        bench.inserts(service, 64)
    many = bench.paced_inserts(service, 64, rate)
    cluster.sql("TRUNCATE bench", service.database)
    keep(bench, "stored", stored=stored, rate=rate, none=none, many=many)
    print(f"  bare INSERTs with {stored:,} rows: p50 {many['p50']:.2f} ms, with none {none['p50']:.2f} ms:"
          f" {many['p50'] / none['p50']:.2f}", flush=True)


def start(bench, service):
    """The schema of the service, created by psql in one transaction after `initdb` and a start; and a bare program that
    connects to the given database and listens."""
    schema = f"{bench.folder}/schema.sql"
    subprocess.run([tool("pg_dump"), "--schema-only", "--no-owner", "--no-privileges", "--exclude-table=bench*", "-f",
                    schema, service.cluster.url(service.database)], check=True)
    folder = f"{bench.folder}/schema"
    began = time.perf_counter()
    cluster = Cluster(folder)
    started = time.perf_counter() - began
    try:
        cluster.create_database("floor")
        created = timed(lambda: cluster.psql("floor", "-1", "-f", schema, stdout=subprocess.DEVNULL))
        connected = timed(lambda: cluster.sql("SELECT", "floor"))
    finally:
        cluster.stop()
        shutil.rmtree(folder)
    with storing(service, bench.folder) as program:
        given = program.starting
    keep(bench, "start", initdb_and_start=started, schema=created, connect=connected, given=given)
    print(f"  initdb and start {started:.2f} s, the schema by psql {created:.2f} s, psql itself {connected:.2f} s;"
          f" given database {given:.3f} s", flush=True)


def spreadsheet(bench, service):
    """Compressing the bytes of the spreadsheet, beside the time in which psql copies the same rows."""
    message = urllib.request.Request(f"{service.url}/v1/meetings/{service.form['id']}/export/submissions.xlsx",
                                     headers={"Authorization": f"Bearer {service.token}"})
    with urllib.request.urlopen(message) as answer, zipfile.ZipFile(io.BytesIO(answer.read())) as file:
        parts = [file.read(name) for name in file.namelist()]

    def compress():
        for part in parts:
            deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            size = 1 << 16
            for begin in range(0, len(part), size):
                deflate.compress(part[begin:begin + size])
            deflate.flush()
    compressing, copying = timed(compress), copied(service)
    size = sum(map(len, parts))
    keep(bench, "spreadsheet", bytes=size, compressing=compressing, copying=copying)
    print(f"  spreadsheet of {size / 1e6:.0f} MB: compressing {compressing:.1f} s; \\copy {copying:.1f} s", flush=True)

"""Programs in C that do hardly more than the kernel, libpq and PostgreSQL: `clients/bare.c` and `clients/floor.c`."""
import contextlib, subprocess, time

from bench.generators import compiled

# As long as the response to a submission.
HEAD = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 156\r\n\r\n"
RESPONSE = HEAD + b"{" + b" " * 154 + b"}"
# The forms that `storing` counts.
FORMS = 100
# As many rows as the service changes for each form of a batch: its counts, its state, and its minute.
COUNTS = 12


class BareProgram:
    """A running program, with what `Cost` reads of a service, and the seconds until it listened."""

    def __init__(self, process, began, cluster=None):
        self.process, self.cluster = process, cluster
        self.port = int(process.stdout.readline())
        self.starting = time.perf_counter() - began


@contextlib.contextmanager
def running(command, cluster=None):
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield BareProgram(process, began, cluster)
        # The program ends when its input is closed.
        process.stdin.close()
        process.wait(10)


def response_file(folder, response):
    with open(f"{folder}/response", "wb") as file:
        file.write(response)
    return file.name


def answering(folder, response=RESPONSE):
    """A server that answers each request with the same bytes."""
    return running([compiled("bare", folder), response_file(folder, response)])


def storing(service, folder, divisor=3):
    """A server that stores and counts submissions, in batches that begin when its clients divided by `divisor` wait."""
    service.cluster.sql(f"""
        CREATE TABLE IF NOT EXISTS bench_counts (form integer, bucket integer, count bigint NOT NULL,
            PRIMARY KEY (form, bucket)) WITH (fillfactor = 50);
        INSERT INTO bench_counts SELECT form, bucket, 0
            FROM generate_series(0, {FORMS - 1}) AS form, generate_series(1, {COUNTS}) AS bucket ON CONFLICT DO NOTHING;
    """, service.database)
    command = [compiled("floor", folder, "libpq"), service.cluster.url(service.database),
               response_file(folder, RESPONSE), str(divisor)]
    return running(command, service.cluster)


def stored_and_counted(service):
    """The number of rows, and the number of submissions that `storing` has counted."""
    rows, counted = service.cluster.sql(
        f"SELECT (SELECT count(*) FROM bench) || ' ' || (SELECT sum(count)::bigint / {COUNTS} FROM bench_counts)",
        service.database).split()
    return int(rows), int(counted)

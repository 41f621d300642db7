"""The figures that `make bench` measures, with the values that must hold and those to aim at."""
import dataclasses, statistics


@dataclasses.dataclass(frozen=True)
class Figure:
    key: str
    group: str
    text: str
    must: float
    aim: float
    unit: str = ""
    # Whether the value must be at most or at least `must`.
    at_most: bool = True
    digits: int = 2

    def reached(self, value):
        """`aim`, `must`, or `no`."""
        def holds(limit):
            return value <= limit if self.at_most else value >= limit
        return "aim" if holds(self.aim) else "must" if holds(self.must) else "no"

    def measured(self, values):
        """The median, with the range if there are several values."""
        shown = min(values), statistics.median(values), max(values)
        low, middle, high = (f"{value:,.{self.digits}f}" for value in shown)
        unit = f" {self.unit}" if self.unit else ""
        return middle + unit + (f" ({low} to {high})" if len(values) > 1 else "")

    def limit(self, value):
        return f"{'≤' if self.at_most else '≥'} {value:g}" + (f" {self.unit}" if self.unit else "")


def ratio_of_rates(key, group, text, must, aim):
    return Figure(key, group, text, must, aim, at_most=False)


def milliseconds(key, group, text, must, aim):
    return Figure(key, group, text, must, aim, "ms", digits=0)


def seconds(key, group, text, must, aim):
    return Figure(key, group, text, must, aim, "s")


FIGURES = [
    Figure("cpu-against", "ingest", "CPU of a submission, 256 clients, to the program of --against", 0.55, 0.45),
    Figure("cpu-bare", "ingest", "CPU of a submission to that of a bare INSERT, 64 clients", 1.0, 0.7),
    ratio_of_rates("rate-256", "ingest", "submissions/s, 256 clients, to pgbench at its best", 1.3, 1.8),
    ratio_of_rates("rate-64", "ingest", "submissions/s, 64 clients, to pgbench at its best", 1.1, 1.5),
    ratio_of_rates("rate-counting", "ingest", "submissions/s to pgbench's INSERT and tally, 64 clients", 12, 20),
    ratio_of_rates("forms", "ingest", "submissions/s to 100 forms, to those to one", 0.85, 0.95),
    ratio_of_rates("anonymous", "ingest", "submissions/s to an anonymous form, to those to a named one", 0.9, 0.95),
    Figure("two-instances-hot", "instances", "CPU of a submission with two instances, one form, to one's", 1.1, 1.05),
    Figure("two-instances-many", "instances", "the same, 100 forms", 1.1, 1.05),
    Figure("three-instances-hot", "instances", "CPU of a submission with three instances, one form, to one's", 1.15,
           1.1),
    Figure("three-instances-many", "instances", "the same, 100 forms, three instances", 1.15, 1.1),
    Figure("citus-workers", "citus", "CPU of Citus workers for a submission, one form, to plain PostgreSQL's", 1.3,
           1.1),
    Figure("citus-coordinator", "citus", "CPU of the coordinator, to plain PostgreSQL's", 0.1, 0.05, digits=3),
    Figure("direct-workers", "citus", "workers with --worker-urls, one form", 1.3, 1.1),
    Figure("direct-coordinator", "citus", "coordinator with --worker-urls, one form", 0.1, 0.01, digits=3),
    Figure("citus-workers-many", "citus", "workers, 100 forms", 1.3, 1.1),
    Figure("citus-coordinator-many", "citus", "coordinator, 100 forms", 0.1, 0.05, digits=3),
    Figure("direct-workers-many", "citus", "workers with --worker-urls, 100 forms", 1.3, 1.1),
    Figure("direct-coordinator-many", "citus", "coordinator with --worker-urls, 100 forms", 0.1, 0.01, digits=3),
    ratio_of_rates("slow-256", "flush", "slow flush: submissions/s, 256 clients, to pgbench at its best", 1.3, 1.8),
    ratio_of_rates("slow-64", "flush", "slow flush: submissions/s, 64 clients, to pgbench at its best", 1.1, 1.5),
    ratio_of_rates("peer", "peer", "submissions/s to FastAPI and psycopg, 64 clients", 8, 12),
    Figure("p99", "latency", "p99 at half of the maximum rate, to pgbench's at half of its", 1.5, 1.1),
    Figure("p50-stored", "stored", "p50 of a submission with {stored} stored, to 0", 1.1, 1.0),
    Figure("result-stored", "stored", "result JSON, not cached, with {stored} stored, to 1,000", 1.2, 1.0),
    Figure("cached", "reading", "CPU of a cached result to /livez", 2, 1.3),
    Figure("not-modified", "reading", "CPU of a result's 304 to /livez", 2, 1.3),
    Figure("page", "reading", "CPU of the participant's page to /livez", 8, 4),
    Figure("host-page", "reading", "CPU of the host's results page to its result JSON", 10, 5),
    milliseconds("filter", "inside", "filter after a new answer, {rows} stored", 200, 100),
    milliseconds("crosstab", "inside", "cross-tab after a new answer, {rows} stored", 200, 100),
    milliseconds("search", "inside", "search after a new answer, {rows} stored", 200, 100),
    ratio_of_rates("csv", "export", "submissions.csv of {rows} rows to psql's \\copy", 0.8, 1.0),
    ratio_of_rates("xlsx", "export", "submissions.xlsx to that CSV", 0.4, 0.6),
    Figure("memory-idle", "memory", "private memory, idle", 12, 8, "MB", digits=1),
    Figure("memory-after", "memory", "private memory after {rows} submissions", 16, 12, "MB", digits=1),
    Figure("memory-export", "memory", "private memory during an export of {rows} rows", 16, 12, "MB", digits=1),
    Figure("resident", "memory", "resident memory in all, at most", 40, 30, "MB", digits=1),
    Figure("viewer-memory", "viewers", "memory of each of {viewers} viewers", 25, 10, "KiB", digits=1),
    milliseconds("viewer-last", "viewers", "last of {viewers} viewers served after a change", 250, 100),
    seconds("import", "import", "import of {import_rows} rows", 6, 3),
    seconds("verify", "import", "verify of them, with and without statistics", 3, 1),
    seconds("start-new", "start", "first start, beyond initdb and pg_ctl start", 0.3, 0.1),
    seconds("start-existing", "start", "next start, beyond pg_ctl start", 0.15, 0.05),
    seconds("start-given", "start", "start on a given database", 0.1, 0.05),
    milliseconds("refusal", "overload", "a refusal, median, five times as many clients as may wait", 100, 20),
    milliseconds("livez-overload", "overload", "/livez on the main port meanwhile, median", 100, 20),
    milliseconds("after-overload", "overload", "first submission accepted after it", 100, 20),
    Figure("hindered-silent", "hindered", "p99 of submissions beside 1,100 silent connections, to alone", 3, 1.5),
    Figure("hindered-unread", "hindered", "p99 beside 500 connections that read nothing, to alone", 3, 1.5),
    Figure("hindered-viewers", "hindered", "p99 beside as many viewers as 1,024 files allow, to alone", 3, 1.5),
    Figure("backup", "backup", "backup of {rows} submissions to pg_dump", 2, 1.2),
    Figure("backup-and-restore", "backup", "backup and verified restore of them to pg_dump", 4, 3),
    Figure("disk", "disk", "disk per submission, {rows} stored", 350, 250, "B", digits=0),
    Figure("wal", "disk", "write-ahead log per submission", 550, 450, "B", digits=0),
]
BY_KEY = {figure.key: figure for figure in FIGURES}

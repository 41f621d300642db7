"""What a submission costs: CPU time of the service and of PostgreSQL, and the rate, beside pgbench's bare INSERT."""
import json, os, re, resource, shutil, statistics, tempfile, time

from service import Service, pgbench, psql, wrk

CLIENTS = (64, 256)
# The private cluster accepts fewer than 256 connections.
BARE_CLIENTS = 64
TICKS = os.sysconf("SC_CLK_TCK")


def spent(pid, children=False):
    """Seconds of CPU time of a process, with those of its ended children if wanted."""
    try:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15 if children else 13]) / TICKS


def backends(data):
    """The cluster's first process, and its children."""
    postmaster = int(open(os.path.join(data, "postgres", "postmaster.pid")).readline())
    children = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = open(f"/proc/{pid}/status").read()
        except OSError:
            continue
        if re.search(rf"^PPid:\s+{postmaster}$", status, re.M):
            children.add(pid)
    return postmaster, children


def postgres(data):
    """Seconds of CPU time of a cluster, with its ended processes."""
    postmaster, children = backends(data)
    return spent(postmaster, children=True) + sum(spent(pid) for pid in children)


def clients_spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Cost:
    """CPU time, in microseconds a unit, of what runs in a `with` block."""

    def __init__(self, service):
        self.service = service

    def now(self):
        return spent(self.service.process.pid), postgres(self.service.data), clients_spent()

    def __enter__(self):
        self.before = self.now()
        return self

    def __exit__(self, *_):
        after = self.now()
        self.seconds = {
            "service": after[0] - self.before[0],
            "postgres": after[1] - self.before[1],
            "client": after[2] - self.before[2],
        }

    def each(self, count):
        return {name: seconds / count * 1e6 for name, seconds in self.seconds.items()}


def measured(service, options, clients, turn):
    """One turn of pgbench, then of submissions to a new form."""
    with Cost(service) as cost:
        known = backends(service.data)[1]
        inserts = pgbench(service.data, "insert.sql", options.seconds, BARE_CLIENTS)
        # The CPU time of a backend that is ending is counted nowhere.
        deadline = time.monotonic() + 10
        while backends(service.data)[1] - known and time.monotonic() < deadline:
            time.sleep(0.05)
    bare = {"rate": inserts, **cost.each(inserts * options.seconds)}
    form = service.meeting(f"Turn {turn} with {clients} clients")
    with Cost(service) as cost:
        rate, errors, median, high = wrk(service, form["form"]["code"], options.seconds, clients)
    counted = service.call("GET", f"/v1/meetings/{form['id']}/results", token=service.token)["submissions"]
    if errors or counted < rate * options.seconds * 0.9:
        raise SystemExit(f"{errors} errors, {counted} counted of about {rate * options.seconds:.0f}")
    return {"rate": rate, "p50": median, "p99": high, **cost.each(counted), "bare": bare}


def ingest(program, options):
    programs = {"now": program}
    if options.against:
        programs = {"before": options.against, **programs}
    folder = tempfile.mkdtemp(prefix="afterword-bench-")
    os.chmod(folder, 0o755)
    services, rounds = {}, []
    try:
        for name, path in programs.items():
            services[name] = service = Service(path, os.path.join(folder, name))
            service.sign_in()
            psql(service.data, "CREATE TABLE bench (LIKE submission INCLUDING ALL)")
        for turn in range(options.rounds):
            for clients in CLIENTS:
                values = {name: measured(service, options, clients, turn) for name, service in services.items()}
                rounds.append({"clients": clients, **values})
                for name, value in values.items():
                    bare = value["bare"]
                    print(f"  {clients:3} clients, {name:6}: {value['rate']:6.0f}/s, p99 {value['p99']:5.1f} ms;"
                          f" service {value['service']:5.1f} + PostgreSQL {value['postgres']:5.1f} µs"
                          f" (client {value['client']:4.1f}); bare INSERT {bare['rate']:6.0f}/s,"
                          f" {bare['postgres']:5.1f} µs", flush=True)
    finally:
        for service in services.values():
            if service.process.poll() is None:
                service.stop()
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rounds, file, indent=1)
    report(rounds, options.against)


def cpu(value):
    return value["service"] + value["postgres"]


def report(rounds, against):
    def line(text, clients, ratio, limit):
        values = sorted(ratio(each) for each in rounds if each["clients"] == clients)
        print(f"{text}: {statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f}), limit {limit}")

    if against:
        line("CPU a submission at 256 clients, beside the program before", 256,
             lambda each: cpu(each["now"]) / cpu(each["before"]), "at most 0.55")
    line("CPU a submission at 64 clients, beside PostgreSQL's for a bare INSERT", 64,
         lambda each: cpu(each["now"]) / each["now"]["bare"]["postgres"], "at most 1.0")
    line("submissions a second at 256 clients, beside bare INSERTs", 256,
         lambda each: each["now"]["rate"] / each["now"]["bare"]["rate"], "at least 1.3")
    line("submissions a second at 64 clients, beside bare INSERTs", 64,
         lambda each: each["now"]["rate"] / each["now"]["bare"]["rate"], "at least 1.1")

"""The load generators: `load` for HTTP, which is compiled from Benchmarks/clients, and pgbench."""
import glob, json, math, os, re, shutil, subprocess, sys, tempfile

from bench.cluster import PGBENCH_USER, tool
from bench.processes import TICKS, Cost, ended_children_cpu

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def compiled(name, folder, package=None):
    """A program from Benchmarks/clients, compiled into the folder when it is first used, and linked with a library."""
    program = f"{folder}/clients/{name}"
    os.makedirs(f"{folder}/clients", exist_ok=True)
    if not os.path.exists(program):
        compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("gcc")
        if not compiler:
            sys.exit("A C compiler is missing: run scripts/setup bench")
        source = f"{HERE}/clients/{name}.c"
        query = ["pkg-config", "--cflags", "--libs", package]
        library = subprocess.run(query, check=True, capture_output=True, text=True).stdout.split() if package else []
        subprocess.run([compiler, "-O2", "-D_GNU_SOURCE", "-o", program, source, "-lm", *library], check=True)
    return program


class Load:
    """Sends HTTP requests and returns what `load` reports: counts, seconds, latencies in milliseconds, `rate`."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, port, requests, clients, seconds=None, count=None, rate=None, status=201, allows_others=False):
        """Stops the run if a response has another status, unless these are allowed, or if a connection was closed."""
        program = compiled("load", self.folder)
        with tempfile.NamedTemporaryFile(dir=self.folder) as file:
            for request in requests:
                file.write(b"%d\n" % len(request) + request)
            file.flush()
            amount = ["count", str(count)] if count else ["seconds", str(seconds)]
            paced = ["rate", f"{rate:.3f}"] if rate else []
            done = subprocess.run([program, str(port), str(clients), str(status), file.name, *amount, *paced],
                                  capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"The load generator failed: {done.stderr.strip()}")
        report = json.loads(done.stdout)
        if report["other"] and not allows_others or report["broken"]:
            sys.exit(f"{report['other']} responses without status {status}, {report['broken']} closed connections."
                     f" {done.stderr.strip()}")
        report["rate"] = report["ok"] / report["seconds"]
        report["client"] = report["cpu"] / max(report["ok"], 1) * 1e6
        return report


def pgbench(cluster, database, script, seconds, clients):
    """Repeats the statements of a script. Returns the rate and the CPU time of each transaction.

    A new connection costs PostgreSQL as much as some hundred transactions. A run with a single transaction for each
    client shows how much, and is subtracted.
    """
    single = transactions(cluster, database, script, clients, "-t", "1")
    report = transactions(cluster, database, script, clients, *duration(seconds))
    count = report["count"] - single["count"]
    return {"rate": report["rate"], "count": report["count"],
            # Less than a tick of the clock cannot be measured, and nothing divides by 0.
            **{name: max(1 / TICKS, report[name] - single[name]) / count * 1e6 for name in ("client", "postgres")}}


def transactions(cluster, database, script, clients, *amount):
    """The rate, the number of transactions, and the seconds of CPU time of pgbench and of PostgreSQL."""
    with Cost(cluster=cluster) as cost:
        before = ended_children_cpu()
        out = run_pgbench(cluster, database, script, clients, *amount)
        client = ended_children_cpu() - before
        cluster.await_end_of_pgbench()
    return {"rate": float(re.search(r"tps = ([\d.]+)", out).group(1)),
            "count": int(re.search(r"transactions actually processed: (\d+)", out).group(1)),
            "client": client, "postgres": cost.postgres_seconds}


def duration(seconds):
    """The options for the length of a run. pgbench takes whole seconds; below one, each client runs 10 transactions."""
    return ("-T", str(math.ceil(seconds))) if seconds >= 1 else ("-t", "10")


def paced_pgbench(cluster, database, script, seconds, clients, rate):
    """Repeats the statements at a fixed rate. Returns latencies in milliseconds since each was due."""
    with tempfile.TemporaryDirectory() as folder:
        out = run_pgbench(cluster, database, script, clients, *duration(seconds), "--rate", f"{rate:.1f}", "--log",
                          "--log-prefix", f"{folder}/log")
        cluster.await_end_of_pgbench()
        times = sorted(int(line.split()[2]) for path in glob.glob(f"{folder}/log*") for line in open(path))
    if not times:
        sys.exit(f"pgbench did nothing at {rate:.1f} a second: {out}")
    return {"rate": rate, "count": len(times),
            **{name: times[int(share * (len(times) - 1))] / 1000 for name, share in (("p50", 0.5), ("p99", 0.99))}}


def run_pgbench(cluster, database, script, clients, *options):
    done = subprocess.run(
        [tool("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(2, clients)),
         "-f", f"{HERE}/sql/{script}", *options,
         "-h", cluster.sockets, "-U", PGBENCH_USER, database], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pgbench failed: {done.stderr.strip()}")
    return done.stdout

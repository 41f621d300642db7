"""The memory of the service without PostgreSQL: private (RssAnon), and resident with the mapped files of libraries."""
import subprocess, sys

from bench.processes import PeakMemory, memory


def exported(service, name):
    """Reads an export to its end. Returns its size, seconds, and rows by the trailer."""
    trailers, url = f"{service.data}.trailers", f"{service.url}/v1/meetings/{service.form['id']}/export/{name}"
    done = subprocess.run(
        ["curl", "-sS", "-f", "-o", "/dev/null", "-D", trailers, "-H", f"Authorization: Bearer {service.token}",
         "-w", "%{size_download} %{time_total} %{time_starttransfer}", url], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"The export {name} failed: {done.stderr.strip()}")
    size, seconds, first = done.stdout.split()
    with open(trailers) as file:
        found = dict(line.lower().strip().split(": ", 1) for line in file if ": " in line)
    return {"bytes": int(size), "seconds": float(seconds), "first": float(first), "rows": int(found["afterword-rows"])}


def measure(bench):
    service = bench.large_form()
    filling = service.filling
    bench.results.add("memory-after", filling["private"])
    for turn in bench.rounds:
        service.restart()
        service.call("GET", "/readyz")
        idle, idle_resident = memory(service.process.pid), memory(service.process.pid, "VmRSS")
        with PeakMemory(service.process.pid) as peak:
            exported(service, "submissions.csv")
        bench.results.record("memory", idle=idle, idle_resident=idle_resident, after=filling["private"],
                             after_resident=filling["resident"], export=peak.private, export_resident=peak.resident)
        bench.results.add("memory-idle", idle)
        bench.results.add("memory-export", peak.private)
        bench.results.add("resident", max(idle_resident, filling["resident"], peak.resident))
        print(f"  private / resident: idle {idle:.1f} / {idle_resident:.1f} MB, after {bench.options.rows:,}"
              f" submissions {filling['private']:.1f} / {filling['resident']:.1f} MB, during an export"
              f" {peak.private:.1f} / {peak.resident:.1f} MB", flush=True)

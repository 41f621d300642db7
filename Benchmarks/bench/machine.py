"""The facts about a machine without which its figures mean nothing."""
import os, platform, re, statistics, subprocess, time

from bench.cluster import tool


def flush_cost(folder, seconds):
    """The median time of a flush in microseconds: `fdatasync` after 8 KiB, as for the write-ahead log."""
    path, page, times = os.path.join(folder, "flush"), bytes(8192), []
    file = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        # Preallocates the file, so that a flush does not have to write a new file size.
        os.pwrite(file, bytes(1 << 20), 0)
        os.fsync(file)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            os.pwrite(file, page, len(times) % 128 * 8192)
            begin = time.perf_counter()
            os.fdatasync(file)
            times.append(time.perf_counter() - begin)
    finally:
        os.close(file)
        os.remove(path)
    return statistics.median(times) * 1e6


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def facts(folder, seconds):
    version = subprocess.run([tool("postgres"), "--version"], check=True, capture_output=True, text=True).stdout
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": platform.release(),
        "postgresql": re.search(r"\d+[.\d]*", version).group(),
        "flush_us": round(flush_cost(folder, seconds), 1),
        "load": round(os.getloadavg()[0], 2),
    }


def sentence(facts):
    return (f"{facts['cores']} cores ({facts['processor']}), {facts['memory_gib']} GiB, Linux {facts['kernel']},"
            f" PostgreSQL {facts['postgresql']}; a flush takes {facts['flush_us']} µs; load {facts['load']} at the start")

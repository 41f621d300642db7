"""The time from the start of the program to its first answer, beside `initdb` and `pg_ctl start` alone.

`pg_ctl` looks every 0.1 s whether the server has started, so its own time is a multiple of that.
"""
import shutil, subprocess, time, urllib.error, urllib.request

from bench.cluster import INITDB, SETTINGS, as_cluster_user, make_folder, tool
from bench.service import Service


def timed(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def run_as_cluster_user(folder, *command):
    subprocess.run(as_cluster_user(list(command)), cwd=folder, check=True, stdout=subprocess.DEVNULL)


def bare_cluster(bench):
    """Seconds of `initdb`, of the first `pg_ctl start`, and of the next one."""
    data, sockets = make_folder(f"{bench.folder}/bare"), make_folder(f"{bench.folder}/b")
    settings = " ".join(f"-c {setting}" for setting in [f"unix_socket_directories={sockets}", *SETTINGS])
    control = [tool("pg_ctl"), "--pgdata", data, "--silent", "--wait"]
    start = [*control, "--options", settings, "--log", f"{data}/log", "start"]
    stop = [*control, "--mode", "fast", "stop"]
    create = [tool("initdb"), f"--pgdata={data}", "--auth=peer", *INITDB]
    initdb = timed(lambda: run_as_cluster_user(bench.folder, *create))
    first = timed(lambda: run_as_cluster_user(bench.folder, *start))
    run_as_cluster_user(bench.folder, *stop)
    next = timed(lambda: run_as_cluster_user(bench.folder, *start))
    run_as_cluster_user(bench.folder, *stop)
    shutil.rmtree(data)
    shutil.rmtree(sockets)
    return initdb, first, next


def first_answer(service):
    """Starts the service and returns the seconds until it has answered that it is ready."""
    begin = time.perf_counter()
    service.start()
    while True:
        try:
            urllib.request.urlopen(f"{service.url}/readyz", timeout=60).close()
            break
        except urllib.error.HTTPError:
            time.sleep(0.002)
    seconds = time.perf_counter() - begin
    service.stop()
    return seconds


def measure(bench):
    with bench.service("start") as given:
        given.stop()
        for turn in bench.rounds:
            initdb, first, next = bare_cluster(bench)
            private = Service(bench.program, f"{bench.folder}/private")
            bench.services.append(private)
            new, existing = first_answer(private), first_answer(private)
            bench.services.remove(private)
            shutil.rmtree(private.data)
            on_given = first_answer(given)
            bench.results.record("start", initdb=initdb, pg_ctl_first=first, pg_ctl=next, new=new, existing=existing,
                                 given=on_given)
            bench.results.add("start-new", new - initdb - first)
            bench.results.add("start-existing", existing - next)
            bench.results.add("start-given", on_given)
            print(f"  private database: new {new:.2f} s, existing {existing:.2f} s; given database {on_given:.2f} s;"
                  f" initdb {initdb:.2f} s, pg_ctl start {first:.2f} and {next:.2f} s", flush=True)

"""The rate of submissions beside a peer: FastAPI and psycopg on uvicorn, with two workers."""
import contextlib, json, os, signal, socket, subprocess, sys, time, urllib.error, urllib.request

from bench.options import ROOT
from bench.requests import QUESTIONS, submissions

CLIENTS = 64
PYTHON = f"{ROOT}/.venv/bin/python"


def has_packages():
    if not os.path.exists(PYTHON):
        return False
    tried = subprocess.run([PYTHON, "-c", "import fastapi, psycopg_pool, uvicorn, uvloop"], stderr=subprocess.DEVNULL)
    return tried.returncode == 0


@contextlib.contextmanager
def peer(cluster, database, folder):
    """The port of the running peer."""
    cluster.sql("""
        CREATE TABLE IF NOT EXISTS peer_submission (LIKE submission INCLUDING ALL);
        CREATE TABLE IF NOT EXISTS peer_tally (form_id uuid, question text, bucket text, count bigint NOT NULL,
            PRIMARY KEY (form_id, question, bucket)) WITH (fillfactor = 50);
    """, database)
    environment = {**os.environ, "PEER_DATABASE": cluster.url(database), "PEER_QUESTIONS": json.dumps(QUESTIONS)}
    # The workers inherit the socket, so that no port has to be chosen.
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener, open(f"{folder}/peer.log", "w") as log:
        port = listener.getsockname()[1]
        process = subprocess.Popen(
            [PYTHON, "-m", "uvicorn", "fastapi_app:app", "--fd", str(listener.fileno()), "--workers", "2",
             "--no-access-log", "--log-level", "warning"],
            cwd=f"{ROOT}/Benchmarks/peers", env=environment, pass_fds=[listener.fileno()], stdout=log, stderr=log)
        try:
            await_answers(process, port, log.name)
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def await_answers(process, port, log):
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/docs", timeout=60)
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                with open(log) as file:
                    sys.exit(f"The peer did not start: {file.read()[-2000:]}")
            time.sleep(0.05)


def measure(bench):
    if not has_packages():
        sys.exit("FastAPI and its packages are missing in .venv: run scripts/setup bench")
    with bench.service("peer") as service:
        cluster, sent = service.cluster, 0
        with peer(cluster, service.database, bench.folder) as port:
            # Both workers prepare their statements first.
            sent += bench.load.run(port, submissions(["a" * 13]), CLIENTS, seconds=bench.options.seconds)["ok"]
            for turn in bench.rounds:
                theirs = bench.load.run(port, submissions(["a" * 13]), CLIENTS, seconds=bench.options.seconds)
                sent += theirs["ok"]
                ours = service.submit([service.meeting("Beside a peer")], CLIENTS, seconds=bench.options.seconds)
                bench.results.record("peer", submissions=ours, peer=theirs)
                bench.results.add("peer", ours["rate"] / theirs["rate"])
                print(f"  {ours['rate']:7,.0f}/s, p99 {ours['p99']:.1f} ms; FastAPI {theirs['rate']:7,.0f}/s,"
                      f" p99 {theirs['p99']:.1f} ms", flush=True)
        stored = cluster.sql("SELECT (SELECT count(*) FROM peer_submission) || ' ' || (SELECT count FROM peer_tally"
                             " WHERE bucket = '#submissions')", service.database)
        if stored != f"{sent} {sent}":
            sys.exit(f"The peer acknowledged {sent} submissions, and stored and counted {stored}.")

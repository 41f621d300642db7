"""A private service with its cluster, and the load generators that measure it."""
import json, os, re, shutil, signal, subprocess, sys, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?"},
    {"key": "depth", "kind": "rating", "title": "Would you come again?", "min": 0, "max": 10, "metric": "nps"},
    {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": True,
     "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The discussion"}], "other": True},
    {"key": "role", "kind": "choice", "title": "You are", "options": [{"id": "guest", "label": "a guest"}]},
    {"key": "better", "kind": "text", "title": "What should change?"},
]


class Service:
    """A running `afterword serve` on a data folder."""

    def __init__(self, program, data):
        self.program, self.data = program, data
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "serve", "--data", self.data, "--port", "0"],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            sys.exit(f"the service did not start: {line!r}")
        self.url = found.group(0)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def call(self, method, path, body=None, token=None, headers=()):
        request = urllib.request.Request(self.url + path, method=method, headers=dict(headers))
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=120) as answer:
            content = answer.read()
            return json.loads(content) if content else None

    def sign_in(self):
        words = dict(line.split(": ", 1) for line in open(os.path.join(self.data, "first-admin")).read().splitlines()
                     if ": " in line)
        lower = {key.strip().lower(): value.strip() for key, value in words.items()}
        email = lower.get("e-mail") or lower.get("email")
        self.token = self.call("POST", "/v1/sessions", {"email": email, "password": lower["password"]})["token"]

    def meeting(self, title):
        created = self.call("POST", "/v1/meetings", {"title": title, "timeZone": "UTC", "questions": QUESTIONS}, self.token)
        self.call("POST", f"/v1/meetings/{created['id']}/form/publish", token=self.token)
        return created

    def high_water(self):
        """The peak resident memory of the service's process in MB, without PostgreSQL."""
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024


def tool(name):
    found = shutil.which(name)
    for version in sorted(os.listdir("/usr/lib/postgresql"), reverse=True) if not found else []:
        path = f"/usr/lib/postgresql/{version}/bin/{name}"
        found = found or (path if os.path.exists(path) else None)
    return found or sys.exit(f"{name} is missing: run scripts/setup bench")


def database(data, name="afterword"):
    """The private cluster's address, derived from the folder of its socket."""
    pid = open(os.path.join(data, "postgres", "postmaster.pid")).read().splitlines()
    return f"host={pid[4]} port={pid[3]} user=afterword dbname={name}"


def psql(data, sql, name="afterword"):
    return subprocess.run([tool("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", database(data, name)],
                          input=sql, check=True, capture_output=True, text=True).stdout.strip()


def pgbench(data, script, seconds, clients):
    out = subprocess.run([tool("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(seconds),
                          "-f", os.path.join(HERE, script), database(data)],
                         check=True, capture_output=True, text=True).stdout
    return float(re.search(r"tps = ([\d.]+)", out).group(1))


def wrk(service, code, seconds, clients):
    out = subprocess.run([tool("wrk"), "-t", "2", "-c", str(clients), "-d", f"{seconds}s", "-s",
                          os.path.join(HERE, "submit.lua"), f"{service.url}/v1/forms/{code}/submissions"],
                         check=True, capture_output=True, text=True).stdout
    requests, micros, errors, median, high = re.search(r"RESULT (\d+) (\d+) (\d+) ([\d.]+) ([\d.]+)", out).groups()
    return int(requests) / (int(micros) / 1e6), int(errors), float(median), float(high)

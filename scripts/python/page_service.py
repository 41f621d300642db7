"""A service for the checks of pages, and a browser."""

import contextlib
import datetime
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A site that may embed public forms. The service itself uses 127.0.0.1.
FRAMING = "http://localhost:*"
CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]


class Service:
    """`afterword serve` on a free port and a temporary folder."""

    def __init__(self, program, folder, sendmail="none", options=()):
        self.data, self.log = folder + "/data", folder + "/log"
        self.command = [
            program, "serve", "--data", self.data, "--sign-up", "on", "--sendmail", sendmail,
            "--frame-ancestors", FRAMING, *options, "--port"]
        self.start("0")
        first = pathlib.Path(self.data, "first-admin").read_text()
        self.email, self.password = re.search(r"\S+@\S+", first).group(), first.split()[-1]
        token = self.call("POST", "/v1/sessions", {"email": self.email, "password": self.password})["token"]
        self.token = "Bearer " + token

    def start(self, port):
        self.process = subprocess.Popen(
            [*self.command, port], stdout=subprocess.PIPE, stderr=open(self.log, "a"), text=True)
        line = self.process.stdout.readline()
        if " at " not in line:
            raise SystemExit("The service did not start: " + pathlib.Path(self.log).read_text())
        self.base = line.split(" at ")[1].strip()

    def restart(self):
        """Stops the service, and starts it again at the same address."""
        self.stop()
        self.start(self.base.rsplit(":", 1)[1])

    def call(self, method, path, body=None, headers=None):
        """The API's response as JSON. For a GET of a form, `etag` has its ETag."""
        headers = {"Content-Type": "application/json", **(headers or {})}
        if getattr(self, "token", None):
            headers["Authorization"] = self.token
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, method=method, data=data, headers=headers)
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            value = json.loads(text) if text else {}
            if isinstance(value, dict) and answer.headers["ETag"]:
                value["etag"] = answer.headers["ETag"]
            return value

    def form(self, questions, title="Retro of the week", publish=True, meeting=None, **settings):
        """A meeting's published form. `meeting` has the meeting's id."""
        created = self.call("POST", "/v1/meetings", {"title": title, **(meeting or {})})
        path = f"/v1/meetings/{created['id']}/form"
        tag = self.call("GET", path)["etag"]
        form = self.call("PUT", path, {"title": title, "questions": questions, **settings}, {"If-Match": tag})
        if publish:
            form = self.call("POST", path + "/publish")
        return {**form, "meeting": created["id"], "checkIn": created}

    def submissions(self, form):
        return self.call("GET", f"/v1/meetings/{form['meeting']}/results")["submissions"]

    def mailed(self, pattern):
        """The match in the newest mail that contains the pattern. Mails are written to files."""
        for _ in range(1200):
            mails = sorted(pathlib.Path(self.data, "mails").glob("*.txt"))
            found = re.findall(pattern, "\n".join(mail.read_text() for mail in mails))
            if found:
                return found[-1]
            time.sleep(0.05)
        raise AssertionError("no mail matches " + pattern)

    def host(self, email, name="A host", password="a long password"):
        """An account, created by the command line next to the running service."""
        subprocess.run(
            [self.process.args[0], "account", "create", "--data", self.data, "--email", email, "--name", name,
             "--role", "host", "--password-stdin"],
            input=password + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
        return password

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=180)


def psql(service):
    return ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", service.data + "/run", "-U", "afterword", "afterword"]


def sql(service, text):
    subprocess.run(psql(service), input=text, text=True, check=True)


def program():
    """The newest build, or the program in AFTERWORD."""
    if named := os.environ.get("AFTERWORD"):
        return named
    newest = subprocess.run([ROOT / "scripts/newest-build", "afterword"], check=True, capture_output=True, text=True)
    return str(ROOT / newest.stdout.strip())


@contextlib.contextmanager
def service(sendmail="none", options=()):
    with tempfile.TemporaryDirectory() as folder:
        # As root, the database runs as another user.
        os.chmod(folder, 0o711)
        running = Service(program(), folder, sendmail, options)
        try:
            yield running
        finally:
            running.stop()


@contextlib.contextmanager
def embedding_page(address):
    """A page that embeds another one, served on a free port. Returns the port."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f'<!doctype html><title>A wiki</title><iframe title="x" src="{address}"></iframe>'.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def chromium():
    found = [path for path in CHROMIUM if os.access(path, os.X_OK)]
    if not found:
        raise SystemExit("Chromium is not installed: run scripts/setup test")
    return found[0]


def hours_from_now(hours):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


"""Runs nginx and Caddy with the files in deploy/ in front of a private service, and checks what docs/operations.md
promises of them.

    scripts/check-proxy [--only nginx]

Only ports, names, certificates and log files of the configuration are replaced. The service is the newest build, or the
program in AFTERWORD. A proxy that is not installed is skipped. Exit status: 0 if every check succeeded, 1 if not.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import main_job
import page_service
from attack import get_page, hidden_fields, page_session, post_form
from main_job import Client, EventStream, Unsuccessful, free_port, require

ROOT = page_service.ROOT
NAME = "feedback.example.org"
SERVICE = "127.0.0.1:8080"
# Within one second, and the time that a busy machine needs for everything else.
LIVE_SECONDS = 1.0
UNKNOWN_CODES = 100
# The largest body that nginx passes on, and only to a few pages.
MAXIMUM_BODY = 64 << 20
# In place of the limit in nginx's configuration.
STREAMS_PER_ADDRESS = 12
FORM = "application/x-www-form-urlencoded"
# A proxy that refuses a body while it arrives closes the connection soon afterwards (Go's server, and so Caddy, after
# 0.5 s), and the refusal is lost if the client has not read it by then. curl's exit codes for that are: no reply, a
# failed write and a failed read.
CUT_WHILE_SENDING = (52, 55, 56)
ATTEMPTS = 4
# A person who may see no code, no token and no address would find this word in a log.
SECRET = "hunter7secret"


def replaced(text, replacements):
    """The text after replacements, each of which must apply."""
    for pattern, replacement in replacements.items():
        text, count = re.subn(pattern, replacement, text, flags=re.M)
        if not count:
            raise Unsuccessful(f"the configuration has nothing like {pattern}")
    return text


class Proxy:
    """A proxy's process. `folder` has its configuration, certificate and logs."""

    def __init__(self, folder, upstream, port, plain_port):
        self.folder, self.upstream, self.port, self.plain_port = folder, upstream, port, plain_port
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", self.certificate,
             "-keyout", self.key], check=True, capture_output=True)
        self.process = None

    def start(self):
        variables = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(self.folder))
        with open(self.folder / "output.log", "a") as output:
            self.process = subprocess.Popen(
                self.unprivileged(self.command()), stdout=output, stderr=subprocess.STDOUT, cwd=self.folder,
                env={"PATH": os.environ["PATH"], **variables})
        ends = time.monotonic() + 20
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None or time.monotonic() > ends:
                raise Unsuccessful(f"{self.name} did not start:\n{self.logs()}")
            time.sleep(0.02)

    def unprivileged(self, command):
        """As root, the command as another user who owns the folder."""
        if os.geteuid() != 0:
            return command
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, 65534, 65534)
        return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *command]

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=30)
            self.process = None

    def logs(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def client(self, source=None):
        return Client(f"https://localhost:{self.port}", certificate=self.certificate, source=source)


class Nginx(Proxy):
    name, program, file = "nginx", "/usr/sbin/nginx", "deploy/nginx/afterword.conf"
    limits_bodies = limits_clients = True

    def command(self):
        site = replaced((ROOT / self.file).read_text(), {
            re.escape(NAME): "localhost", re.escape(SERVICE): self.upstream, r"^ *listen \[::\].*\n": "",
            r"listen 80;": f"listen 127.0.0.1:{self.plain_port};", r"listen 443 ": f"listen 127.0.0.1:{self.port} ",
            r"limit_conn afterword_clients \d+": f"limit_conn afterword_clients {STREAMS_PER_ADDRESS}",
            r"/etc/letsencrypt/live/localhost/fullchain\.pem": str(self.certificate),
            r"/etc/letsencrypt/live/localhost/privkey\.pem": str(self.key), r"/var/log/nginx/": f"{self.folder}/"})
        (self.folder / "site.conf").write_text(site)
        temporary = "".join(
            f"  {kind}_temp_path {self.folder}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # The rest as in Debian's nginx.conf, whose logs and compression the site has to overrule.
        (self.folder / "nginx.conf").write_text(
            f"daemon off;\nworker_processes 1;\npid {self.folder}/nginx.pid;\nerror_log {self.folder}/main.log info;\n"
            "events { worker_connections 512; }\n"
            f"http {{\n  access_log {self.folder}/access.log;\n  gzip on;\n{temporary}"
            f"  include {self.folder}/site.conf;\n}}\n")
        return [self.program, "-c", str(self.folder / "nginx.conf"), "-e", str(self.folder / "main.log")]


class Caddy(Proxy):
    name, program, file = "Caddy", shutil.which("caddy") or "/usr/bin/caddy", "deploy/caddy/Caddyfile"
    # It passes bodies on. If the service refuses one early, a client that is still sending may miss the answer.
    limits_bodies = limits_clients = False

    def command(self):
        text = replaced((ROOT / self.file).read_text(), {
            r"\A((?:#.*\n)*)\{\n": (
                "\\1{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n"
                f"\thttp_port {self.plain_port}\n\thttps_port {self.port}\n"),
            rf"^{re.escape(NAME)} \{{\n": f"localhost:{self.port} {{\n\ttls {self.certificate} {self.key}\n",
            re.escape(SERVICE): self.upstream})
        (self.folder / "Caddyfile").write_text(text)
        return [self.program, "run", "--adapter", "caddyfile", "--config", str(self.folder / "Caddyfile")]


class Setup:
    """A proxy in front of the service."""

    def __init__(self, proxy, service, account, addresses):
        self.proxy, self.service, self.account = proxy, service, account
        # The service itself, without the proxy.
        self.direct = Client(service.base)
        self.client = proxy.client()
        # Two clients, neither of which may count as the other.
        self.one, self.other = (proxy.client(source=address) for address in addresses)
        self.job = None

    def curl(self, *arguments):
        return subprocess.run(
            ["curl", "--silent", "--show-error", "--cacert", self.proxy.certificate, "--max-time", "20", *arguments],
            capture_output=True, text=True, check=False)


# The checks, in this order. The first provides the form for the others.

def main_job_through_the_proxy(setup):
    setup.job = main_job.run(setup.client, setup.account)


def cookies_belong_to_this_origin(setup):
    """Signs in by pages. Cookies are secure and have the prefix that binds them to the host."""
    client = setup.client
    names = page_session(client, setup.account)
    require(all(name.startswith("__Host-") for name in names), f"cookies are named {', '.join(names)}")
    page = client.send("GET", "/sign-in")
    lines = [value for name, value in page.headers if name.lower() == "set-cookie"]
    secure = [line for line in lines if "Secure" in line and "HttpOnly" in line]
    require(lines and secure == lines, f"cookies are not secure: {lines}")
    fields = hidden_fields(get_page(client, setup.job.page, names).text)
    answer = post_form(client, setup.job.page, fields | {"act": "close"}, names, origin="https://evil.example.org")
    require(answer.status == 403, f"a form from another origin returned {answer.status}")


def event_streams_are_not_buffered(setup):
    """Reads a form's results and a host's page, and expects each submission within a second."""
    job, client = setup.job, setup.client
    cookies = page_session(client, setup.account)
    streams = {
        job.meeting + "/results/live": {"Authorization": "Bearer " + job.bearer},
        "/v1/live": {"Authorization": "Bearer " + job.bearer},
        job.page + "/live": {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
    }
    for path, headers in streams.items():
        stream = EventStream(client, path, headers)
        try:
            require(stream.wait(lambda _: True, 10) is not None, f"{path} sends nothing")
            wanted = f'"submissions":{job.count() + 1}'
            require(job.submit().status == 201, "a submission failed")
            seconds = stream.wait(lambda event: wanted in event.replace(" ", ""), 5)
            require(seconds is not None and seconds <= LIVE_SECONDS, f"{path} showed a submission after {seconds} s")
        finally:
            stream.close()
    ends = time.monotonic() + 5
    while setup.direct.metric("live_viewers") != 0:
        require(time.monotonic() < ends, "streams that were closed are still open behind the proxy")
        time.sleep(0.05)


def http2_works(setup):
    """Reads a page and an event stream over HTTP/2."""
    url = f"https://localhost:{setup.proxy.port}"
    shown = "%{http_version} %{http_code}"
    page = setup.curl("--http2", "--output", os.devnull, "--write-out", shown, url + "/sign-in")
    require(page.stdout == "2 200", f"HTTP/2 returned {page.stdout}{page.stderr}")
    job = setup.job
    stream = subprocess.Popen(
        ["curl", "--silent", "--no-buffer", "--http2", "--max-time", "20", "--cacert", setup.proxy.certificate,
         "--header", "Authorization: Bearer " + job.bearer, url + job.meeting + "/results/live"],
        stdout=subprocess.PIPE, text=True)
    try:
        wanted, start = job.count() + 1, None
        for line in stream.stdout:
            if not line.startswith("data: "):
                continue
            if json.loads(line[6:])["submissions"] == wanted:
                break
            start = time.monotonic()
            job.submit()
        require(start and time.monotonic() - start <= LIVE_SECONDS, "an event over HTTP/2 took more than a second")
    finally:
        stream.kill()
        stream.wait()


def the_real_address_counts(setup):
    """Guesses codes until the service refuses. Neither a forged header nor the proxy's address changes who counts."""
    def guess(client, forged=None):
        headers = {"X-Forwarded-For": forged, "Forwarded": f"for={forged}", "X-Real-IP": forged} if forged else {}
        code = "".join(secrets.choice("abcdefghjkmnpqrstvwxyz") for _ in range(8))
        return client.send("GET", "/v1/forms/" + code, headers=headers, connection=kept[client]).status

    kept = {client: client.connection() for client in (setup.one, setup.other)}
    try:
        statuses = [guess(setup.one, f"198.51.100.{number}") for number in range(UNKNOWN_CODES)]
        require(set(statuses) == {404}, f"guesses below the limit returned {set(statuses)}")
        require(guess(setup.one, "198.51.100.200") == 429, "a forged X-Forwarded-For escapes a limit")
        require(guess(setup.one) == 429, "the client's own address is not what counts")
        require(guess(setup.other) == 404, "one client's guesses count for another")
        # A forgery must not use up the limit of its victim either.
        source = setup.other.source[0]
        require(guess(setup.one, source) == 429 and guess(setup.other) == 404, "a forged address counts for its owner")
    finally:
        for connection in kept.values():
            connection.close()


def one_address_has_a_share(setup):
    """Opens event streams from one address until nginx refuses. Another client is still served."""
    if not setup.proxy.limits_clients:
        return
    path, headers = setup.job.meeting + "/results/live", {"Authorization": "Bearer " + setup.job.bearer}
    streams = [EventStream(setup.one, path, headers) for _ in range(STREAMS_PER_ADDRESS)]
    try:
        require(setup.one.send("GET", "/sign-in").status == 503, "one address may open any number of streams")
        require(setup.other.send("GET", "/sign-in").status == 200, "one client's streams count for another")
    finally:
        for stream in streams:
            stream.close()


def large_bodies_get_413(setup):
    """Bodies around the limits in docs/operations.md, sent with HTTP/1.1 and HTTP/2."""
    job, cookies = setup.job, page_session(setup.client, setup.account)
    submissions = f"/v1/forms/{job.code}/submissions"
    token, cookie = f"Authorization: Bearer {job.bearer}", "; ".join(f"{n}={v}" for n, v in cookies.items())
    body = setup.proxy.folder / "body"

    def post(path, size, version, *headers, kind="application/json"):
        text = '{"answers": {"better": "%s"}}' if kind.endswith("json") else "csrf=x&text=%s"
        if size > MAXIMUM_BODY:
            os.truncate(body, size)
        else:
            body.write_text(text % ("x" * size))
        given = [part for header in (f"Content-Type: {kind}", *headers) for part in ("--header", header)]
        for _ in range(ATTEMPTS):
            done = setup.curl(
                version, "--output", "-", "--write-out", "\n%{http_code} %{content_type}", "--data-binary",
                f"@{body}", *given, f"https://localhost:{setup.proxy.port}{path}")
            if done.returncode not in CUT_WHILE_SENDING:
                break
        text, _, found = done.stdout.rpartition("\n")
        return text, found, done.stderr

    problem, page = "413 application/problem+json", "413 text/html"
    for version in ("--http1.1", "--http2"):
        form = f"Cookie: {cookie}", f"Origin: {setup.client.origin}"
        cases = [
            # Its size is accepted, and the question's own limit refuses it.
            ("a submission of 200 KiB", "422", post(submissions, 200 << 10, version)),
            ("a submission of 300 KiB", problem, post(submissions, 300 << 10, version)),
            ("a meeting of 2.5 MiB", problem, post("/v1/meetings", 5 << 19, version, token)),
            ("a page of 9 MiB", page, post(job.page + "/form", 9 << 20, version, *form, kind=FORM)),
        ]
        if setup.proxy.limits_bodies:
            cases += [
                ("a submission of 20 MiB", "413", post(submissions, 20 << 20, version)),
                ("a page of 100 MiB", "413", post(job.page + "/form", 100 << 20, version, *form, kind=FORM)),
            ]
        for name, expected, (text, found, error) in cases:
            require(found.startswith(expected), f"{name}, {version}: {found} {text[:200]} {error[-200:]}")
            require(expected != page or "<h1>" in text, f"{name}, {version}: not a page of the service: {text[:200]}")


def transport_is_protected(setup):
    """HSTS once on every answer, a redirect from http, no old TLS, no other name, no metrics."""
    client = setup.client
    answers = {path: client.send("GET", path) for path in ("/", "/sign-in", "/f/unknown", "/v1/me", "/metrics")}
    for path, answer in answers.items():
        found = [value for name, value in answer.headers if name.lower() == "strict-transport-security"]
        require(len(found) == 1 and "max-age=" in found[0], f"{path}: Strict-Transport-Security is {found}")
    require(answers["/metrics"].status == 404, f"/metrics returned {answers['/metrics'].status}")
    plain = http.client.HTTPConnection("127.0.0.1", setup.proxy.plain_port, timeout=10)
    plain.request("GET", f"/f/{SECRET}", headers={"Host": "localhost"})
    answer = plain.getresponse()
    place = answer.getheader("Location", "")
    plain.close()
    require(answer.status in (301, 308) and place.startswith("https://localhost"),
            f"http returned {answer.status} to {place}")
    url = f"https://localhost:{setup.proxy.port}/"
    old = setup.curl("--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", "--tlsv1", url)
    require(old.returncode != 0, "TLS 1.1 is accepted")
    wrong = setup.curl("--insecure", "--connect-to", f"::127.0.0.1:{setup.proxy.port}", "https://other.example.org/")
    require(wrong.returncode != 0, "another name is served")


def secret_paths(text):
    """Paths below those of the table in docs/operations.md, each with the secret."""
    table = text.split("That server must not log them:")[1].split("\n\n")[1]
    paths = []
    for path in re.findall(r"`(/[^`]*)`", "\n".join(line.split("|")[1] for line in table.splitlines()[2:])):
        path = path.replace("…", secrets.token_hex(4))
        paths.append(path + SECRET if path.endswith(("/", "=")) else f"{path}?token={SECRET}")
    require(len(paths) >= 12, f"docs/operations.md lists only {paths}")
    return paths


def no_log_contains_a_secret(setup):
    """Requests secret paths while the service runs and while nothing answers, then reads everything that was logged."""
    client = setup.client
    paths = secret_paths((ROOT / "docs/operations.md").read_text())

    def request_all():
        statuses, kept = set(), client.connection()
        for path in paths:
            headers = {"Referer": client.origin + path}
            for method, place in (("GET", path), ("POST", path), ("GET", "/static/style.css"), ("GET", "/sign-in")):
                body = b"{}" if method == "POST" else None
                statuses.add(client.send(method, place, body, headers, connection=kept).status)
        kept.close()
        return statuses

    require(not {502, 504} & request_all(), "the service did not answer")
    setup.proxy.stop()
    setup.proxy.upstream = f"127.0.0.1:{free_port()}"
    setup.proxy.start()
    found = request_all()
    require(found <= {502, 503}, f"without a service the proxy returned {found}")
    text = setup.proxy.logs()
    leaked = next((line for line in text.splitlines() if SECRET in line), None)
    require(leaked is None, f"a log has: {leaked}")
    require(setup.job.code not in text, "a log has the form's code")
    if setup.proxy.name == "nginx":
        require('"GET /sign-in" 200' in text and '"GET /sign-in" 502' in text, "the log lacks what it may contain")
        require(setup.account.email not in text, "a log has a mail address")


CHECKS = [
    main_job_through_the_proxy, cookies_belong_to_this_origin, event_streams_are_not_buffered, http2_works,
    the_real_address_counts, one_address_has_a_share, large_bodies_get_413, transport_is_protected,
    no_log_contains_a_secret,
]


def check(proxy, service, addresses):
    """Runs all checks on one proxy and returns the number of failures."""
    failures = 0
    try:
        proxy.start()
        account = main_job.first_admin(pathlib.Path(service.data, "first-admin").read_text())
        setup = Setup(proxy, service, account, addresses)
        for one in CHECKS:
            try:
                one(setup)
            except (Unsuccessful, OSError, http.client.HTTPException, RuntimeError) as reason:
                failures += 1
                print(f"FAILED  {proxy.name}: {one.__name__.replace('_', ' ')}: {reason}", flush=True)
            if not setup.job:
                # The others use its form.
                break
    except Unsuccessful as reason:
        failures += 1
        print(f"FAILED  {reason}", flush=True)
    finally:
        proxy.stop()
    return failures


def main():
    kinds = {"nginx": Nginx, "caddy": Caddy}
    parser = argparse.ArgumentParser(
        prog="scripts/check-proxy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=kinds, help="one of them")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        # As root, the database and the proxies run as other users.
        os.chmod(folder, 0o711)
        port, plain_port = free_port(), free_port()
        service = page_service.Service(
            page_service.program(), folder,
            options=["--public-url", f"https://localhost:{port}", "--trusted-proxies", "1"])
        try:
            for number, (name, kind) in enumerate(kinds.items()):
                if options.only not in (None, name):
                    continue
                if not os.access(kind.program, os.X_OK):
                    print(f"{kind.file}: not checked, because {name} is not installed (scripts/setup test).")
                    continue
                own = pathlib.Path(folder, name)
                own.mkdir()
                proxy = kind(own, service.base.removeprefix("http://"), port, plain_port)
                failed = check(proxy, service, (f"127.0.0.{21 + number}", f"127.0.0.{31 + number}"))
                failures += failed
                if not failed:
                    print(f"{kind.file}: {len(CHECKS)} checks with {kind.name} succeeded.", flush=True)
        finally:
            service.stop()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

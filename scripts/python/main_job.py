"""A client of a deployed service, and the main job that shows whether the deployment works.

The service may be behind a proxy with a certificate of its own, and is always on this machine.
"""

import contextlib
import http.client
import io
import json
import re
import secrets
import socket
import ssl
import struct
import threading
import time
import zipfile
import zlib

from attack import Account, Target, get_page, hidden_fields, page_session, post_form

QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?"},
    {"key": "better", "kind": "text", "title": "What should we change?"},
]
JPEG_OR_PNG = (b"\xff\xd8", b"\x89PNG")


class Unsuccessful(Exception):
    """A step of the main job has another result than expected. The message says which."""


def require(condition, message):
    if not condition:
        raise Unsuccessful(message)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class LoopbackTLS(http.client.HTTPSConnection):
    """A connection to 127.0.0.1 that expects a certificate for `localhost`."""

    def __init__(self, port, timeout, context, source):
        super().__init__("localhost", port, timeout=timeout, context=context)
        self.source = source

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port), self.timeout, self.source)
        self.sock = self._context.wrap_socket(plain, server_hostname="localhost")


class Client(Target):
    """
    - certificate: the file of the certificate that https has to use.
    - source: the address of this machine from which the client connects, such as `127.0.0.7`.
    """

    def __init__(self, address, account=None, certificate=None, source=None):
        super().__init__(address, account, None)
        self.source = (source, 0) if source else None
        self.context = ssl.create_default_context(cafile=certificate) if certificate else None

    def connection(self, timeout=60):
        if self.context:
            return LoopbackTLS(self.port, timeout, self.context, self.source)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=self.source)

    def sign_in(self, account):
        self.host = account
        answer = self.send("POST", "/v1/sessions", {"email": account.email, "password": account.password})
        require(answer.status == 201, f"signing in returned {answer.status}: {answer.text[:200]}")
        account.bearer = answer.json["token"]

    def metric(self, name):
        """A metric of the service, which proxies do not show."""
        found = re.search(rf"^{name} (\S+)$", self.send("GET", "/metrics").text, re.M)
        return float(found[1]) if found else None


class EventStream:
    """An open event stream. Its events arrive on a separate thread."""

    def __init__(self, client, path, headers):
        self.connection = client.connection(timeout=30)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", **headers})
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        require(self.response.status == 200, f"the event stream {path} returned {self.response.status}")
        self.events, self.changed = [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        # The connection is closed by the other thread.
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            for line in self.response:
                if line.startswith(b"data: "):
                    with self.changed:
                        self.events.append(line[6:].decode())
                        self.changed.notify_all()

    def wait(self, condition, timeout):
        """The number of seconds until an event fulfils the condition, or None."""
        start = time.monotonic()
        with self.changed:
            found = self.changed.wait_for(lambda: any(condition(event) for event in self.events), timeout)
        return time.monotonic() - start if found else None

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.connection.close()


def png(width=40, height=30):
    """A red PNG image."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\xff\0\0" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def first_admin(text):
    """The account in the file `first-admin`."""
    return Account(re.search(r"\S+@\S+", text).group(), text.split()[-1])


def wait_until_ready(client, seconds):
    """Waits until `/readyz` is 200, and returns the number of seconds that took."""
    start, last = time.monotonic(), None
    while time.monotonic() < start + seconds:
        try:
            last = client.send("GET", "/readyz", timeout=5).status
            if last == 200:
                return time.monotonic() - start
        except (OSError, http.client.HTTPException) as error:
            last = error
        time.sleep(0.05)
    raise Unsuccessful(f"the service was not ready within {seconds} s ({last})")


class Job:
    """A published form of a signed-in host."""

    def __init__(self, client, title="Deployment"):
        self.client, self.bearer = client, client.host.bearer
        created = client.call("POST", "/v1/meetings", {"title": title}, self.bearer)
        self.meeting, self.series = f"/v1/meetings/{created['id']}", created["seriesId"]
        self.page = f"/meetings/{created['id']}"
        answer = client.send("GET", self.meeting + "/form", bearer=self.bearer)
        tag = next(value for name, value in answer.headers if name.lower() == "etag")
        body = {"title": title, "questions": QUESTIONS}
        client.call("PUT", self.meeting + "/form", body, self.bearer, {"If-Match": tag})
        self.form = client.call("POST", self.meeting + "/form/publish", bearer=self.bearer)
        self.code = self.form["code"]

    def submit(self, client=None, rating=4, key=None, text="Shorter talks"):
        """A submission by the API."""
        return (client or self.client).send(
            "POST", f"/v1/forms/{self.code}/submissions", {"answers": {"pace": rating, "better": text}},
            {"Idempotency-Key": key or secrets.token_urlsafe(24)})

    def answer_by_page(self, client=None):
        """Fills in the form's page as a browser does, and returns its cookies."""
        client, path = client or self.client, f"/f/{self.code}"
        page = client.send("GET", path, headers={"Accept": "text/html"})
        require(page.status == 200 and "How was the pace?" in page.text, f"the form's page returned {page.status}")
        cookies = page.cookies()
        sent = post_form(client, path, hidden_fields(page.text) | {"a.pace": "5"}, cookies)
        require(sent.status == 303, f"the form's page returned {sent.status} to an answer")
        cookies |= sent.cookies()
        thanks = get_page(client, path + "/sent", cookies)
        require(thanks.status == 200, f"the page after an answer returned {thanks.status}")
        return cookies

    def count(self):
        return self.client.call("GET", self.meeting + "/results", bearer=self.bearer)["submissions"]

    def files(self):
        """Reads a file of each kind that needs a library or a program of the machine."""
        client, bearer = self.client, self.bearer

        def read(path):
            answer = client.send("GET", path, bearer=bearer)
            require(answer.status == 200, f"{path} returned {answer.status}: {answer.text[:200]}")
            return answer.body

        sheet = zipfile.ZipFile(io.BytesIO(read(self.meeting + "/export/submissions.xlsx")))
        require(sheet.testzip() is None, "the workbook is broken")
        require(b"Shorter talks" in read(self.meeting + "/export/submissions.csv"), "the CSV file lacks an answer")
        require(b"<svg" in read(self.meeting + "/results/pace.svg"), "the picture is no SVG")
        require(read(self.meeting + "/form.qr.png").startswith(b"\x89PNG"), "the QR code is no PNG")
        answer = client.send("PUT", self.meeting + "/image", png(), {"Content-Type": "image/png"}, bearer)
        require(answer.status == 200, f"an image returned {answer.status}: {answer.text[:200]}")
        require(read(self.meeting + "/image").startswith(JPEG_OR_PNG), "the image is no image")


def run(client, account):
    """The main job, from signing in to files of the results. Returns the job for further checks."""
    client.sign_in(account)
    cookies = page_session(client, account)
    home = get_page(client, "/home", cookies)
    require(home.status == 200 and 'action="/home"' in home.text, f"a signed-in host's page returned {home.status}")
    job = Job(client)
    live = EventStream(client, job.meeting + "/results/live", {"Authorization": "Bearer " + job.bearer})
    try:
        job.answer_by_page()
        key = secrets.token_urlsafe(24)
        stored, replayed = job.submit(key=key), job.submit(key=key)
        require(stored.status == 201, f"a submission returned {stored.status}: {stored.text[:200]}")
        require(replayed.status in (200, 201), f"a repeated submission returned {replayed.status}")
        require(replayed.json["receipt"] == stored.json["receipt"], "a repeated submission has another receipt")
        require(job.count() == 2, f"two submissions were stored, and the results count {job.count()}")
        seconds = live.wait(lambda event: json.loads(event).get("submissions") == 2, timeout=5)
        require(seconds is not None, "the event stream did not show the submissions within 5 s")
    finally:
        live.close()
    job.files()
    return job

"""Runs known attacks on a service and reports which of them it withstands.

    scripts/attack                                   the newest build, on a private PostgreSQL
    scripts/attack http://127.0.0.1:8080 --host ann@example.org --viewer vic@example.org

Without an address, the script starts the newest build (or the program in AFTERWORD) with a limit of 1,024 open files,
creates the accounts it needs, and removes everything afterwards. With an address, it uses two existing accounts: a
host, and another account that becomes a viewer of the series that it creates. Their passwords come from the environment
(ATTACK_HOST_PASSWORD, ATTACK_VIEWER_PASSWORD). It leaves a series named "Attack" in the trash there, and skips attacks
that need the service's log or its mails. Attack only your own services: addresses of other machines require --mine.

Exit status: 0 if every attack was withstood, 1 if one was not, 2 for misuse.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import html
import http.client
import io
import ipaddress
import json
import os
import pathlib
import re
import resource
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN_FILE_LIMIT = 1_024
CHECK_IN_HEADCOUNT = 10
# The number of seconds within which a new client must be served while all connections are in use.
ADMISSION_TIMEOUT = 30
MAXIMUM_BODY = 64 * 1024 * 1024


class Failed(Exception):
    """The attack succeeded. The message says how."""


class Skipped(Exception):
    """The attack could not be run. The message says why."""


@dataclasses.dataclass
class Account:
    email: str
    password: str
    bearer: str = ""


@dataclasses.dataclass
class Answer:
    status: int
    headers: list
    body: bytes

    @property
    def json(self):
        return json.loads(self.body) if self.body else {}

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def cookies(self):
        """The name and value of each cookie in the response."""
        found = {}
        for name, value in self.headers:
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                found[key.strip()] = rest.partition(";")[0]
        return found


class Target:
    """A running service, with its accounts and its log (None if it can't be read)."""

    def __init__(self, address, host, viewer, public_url=None, log=None, mails=None, process=None):
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise SystemExit(f"attack: {address} is not an address like http://127.0.0.1:8080")
        self.scheme, self.name = parts.scheme, parts.hostname
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        self.host, self.viewer, self.log, self.mails, self.process = host, viewer, log, mails, process
        self.public = urllib.parse.urlsplit(public_url or address)
        self.origin = f"{self.public.scheme}://{self.public.netloc}"

    def connection(self, timeout=60):
        if self.scheme == "https":
            return http.client.HTTPSConnection(self.name, self.port, timeout=timeout)
        return http.client.HTTPConnection(self.name, self.port, timeout=timeout)

    def send(self, method, path, body=None, headers=None, bearer=None, timeout=60, connection=None):
        headers = dict(headers or {})
        if bearer:
            headers["Authorization"] = "Bearer " + bearer
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        own = connection or self.connection(timeout)
        try:
            own.request(method, path, body, headers)
            response = own.getresponse()
            return Answer(response.status, response.getheaders(), response.read(MAXIMUM_BODY))
        finally:
            if connection is None:
                own.close()

    def call(self, method, path, body=None, bearer=None, headers=None):
        """The response's JSON. Any failure ends the script, because no attack is possible then."""
        answer = self.send(method, path, body, headers, bearer)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path} returned {answer.status}: {answer.text[:300]}")
        return answer.json

    def sign_in(self, account):
        answer = self.send("POST", "/v1/sessions", {"email": account.email, "password": account.password})
        if answer.status != 201:
            raise SystemExit(f"attack: {account.email} cannot sign in ({answer.status}): {answer.text[:200]}")
        account.bearer = answer.json["token"]

    async def open(self):
        secure = ssl.create_default_context() if self.scheme == "https" else None
        return await asyncio.open_connection(self.name, self.port, ssl=secure)

    async def raw(self, request, timeout=60):
        """Status and body of one request on a new connection. Status 0 if the connection ended without a response."""
        async def exchange():
            reader, writer = await self.open()
            try:
                writer.write(request)
                await writer.drain()
                return await reader.read(MAXIMUM_BODY)
            finally:
                writer.close()
        try:
            text = await asyncio.wait_for(exchange(), timeout)
        except (OSError, asyncio.TimeoutError):
            return 0, b""
        status = re.match(rb"HTTP/1\.1 (\d{3})", text)
        return int(status.group(1)) if status else 0, text

    def head(self, method, path, headers=(), body=b""):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.public.netloc}", "Connection: close", *headers]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Meeting:
    """A meeting of the attacked host with a published form."""

    def __init__(self, target, questions, meeting=None, **settings):
        bearer = target.host.bearer
        self.created = target.call("POST", "/v1/meetings", {"title": "Attack", **(meeting or {})}, bearer)
        self.id, self.series = self.created["id"], self.created["seriesId"]
        path = f"/v1/meetings/{self.id}/form"
        answer = target.send("GET", path, bearer=bearer)
        tag = next(value for name, value in answer.headers if name.lower() == "etag")
        target.call("PUT", path, {"title": "Attack", "questions": questions, **settings}, bearer, {"If-Match": tag})
        self.form = target.call("POST", path + "/publish", bearer=bearer)


RATING = [{"key": "pace", "kind": "rating", "title": "How was the pace?"}]


def expect(condition, message):
    if not condition:
        raise Failed(message)


# F1

def silent_connections_do_not_block_the_service(target):
    """Opens more connections than the service may open files, sends nothing, then uses an old and a new connection."""
    count = target.silent
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 200:
        raise Skipped(f"this machine limits a process to {hard} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 200)), hard))
    early = target.connection(timeout=10)

    def early_answers():
        with contextlib.suppress(OSError, http.client.HTTPException):
            return target.send("GET", "/livez", connection=early).status == 200
        return False

    expect(early_answers(), "the service does not respond before the attack")
    silent = []
    try:
        for _ in range(count):
            one = socket.socket()
            one.setblocking(False)
            with contextlib.suppress(BlockingIOError, ConnectionError):
                one.connect((socket.gethostbyname(target.name), target.port))
            silent.append(one)
        admitted, since = False, time.monotonic()
        # A connection that sends nothing must be closed long before.
        while time.monotonic() < since + ADMISSION_TIMEOUT:
            expect(early_answers(), f"an earlier connection gets no response after {time.monotonic() - since:.0f} s")
            with contextlib.suppress(OSError, http.client.HTTPException):
                admitted = target.send("GET", "/livez", timeout=2).status == 200
            if admitted:
                break
            time.sleep(1)
        expect(admitted, f"{count} silent connections block new clients for {ADMISSION_TIMEOUT} s")
    finally:
        for one in silent:
            one.close()
        early.close()
    expect(target.process is None or target.process.poll() is None, "the process ended")
    expect(target.send("GET", "/readyz", timeout=10).status == 200, "the service is not ready afterwards")


# F2

def page_session(target, account):
    """Signs in like a browser, and returns the cookies and headers of its pages."""
    page = target.send("GET", "/sign-in", headers={"Host": target.public.netloc})
    cookies = page.cookies()
    fields = hidden_fields(page.text)
    fields |= {"email": account.email, "password": account.password}
    answer = post_form(target, "/sign-in", fields, cookies)
    if answer.status != 303:
        raise RuntimeError(f"the sign-in page returned {answer.status}")
    return {name: value for name, value in (cookies | answer.cookies()).items() if value}


def hidden_fields(text):
    return {
        html.unescape(name): html.unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', text)}


def post_form(target, path, fields, cookies, site="same-origin", origin=None):
    headers = {
        "Host": target.public.netloc, "Content-Type": "application/x-www-form-urlencoded",
        "Origin": origin or target.origin, "Cookie": "; ".join(f"{n}={v}" for n, v in cookies.items())}
    if site:
        headers["Sec-Fetch-Site"] = site
    return target.send("POST", path, urllib.parse.urlencode(fields).encode(), headers)


def get_page(target, path, cookies):
    return target.send("GET", path, headers={
        "Host": target.public.netloc, "Cookie": "; ".join(f"{n}={v}" for n, v in cookies.items())})


def sibling_sites_cannot_act_for_a_host(target):
    """Sets cookies as a sibling subdomain can, and submits forms from there."""
    if target.public.scheme != "https":
        raise Skipped("the prefixes of cookie names require https")
    meeting = Meeting(target, RATING)
    cookies = page_session(target, target.host)
    session = next(name for name in cookies if name.endswith("-session"))
    csrf = next(name for name in cookies if name.endswith("-csrf"))
    expect(session.startswith("__Host-") and csrf.startswith("__Host-"), "cookies lack the prefix __Host-")
    page = f"/meetings/{meeting.id}"
    planted = "D" * len(cookies[csrf])

    def state():
        return target.call("GET", f"/v1/meetings/{meeting.id}/form", bearer=target.host.bearer)["state"]

    def plain(name):
        return name.removeprefix("__Host-")

    sibling = "https://evil." + target.public.hostname.partition(".")[2]
    real = hidden_fields(get_page(target, page, cookies).text)
    attempts = {
        "a planted __Secure- token": ({session: cookies[session], "__Secure-" + plain(csrf): planted}, planted,
                                      "same-site", sibling),
        "a planted __Secure- token and no Sec-Fetch-Site": (
            {session: cookies[session], "__Secure-" + plain(csrf): planted}, planted, None, sibling),
        "the correct token from a sibling": (cookies, real["csrf"], "same-site", sibling),
        "the correct token with a foreign Origin": (cookies, real["csrf"], "same-origin", sibling),
        "the correct token with Origin null": (cookies, real["csrf"], "cross-site", "null"),
        "a planted token in both cookie and field": (cookies | {csrf: planted}, planted, "same-origin", target.origin),
    }
    for name, (sent, token, site, origin) in attempts.items():
        answer = post_form(target, page, real | {"csrf": token, "act": "close"}, sent, site, origin)
        expect(answer.status == 403 and state() == "open", f"{name} closed a form (status {answer.status})")
    other = page_session(target, target.viewer)
    theirs = hidden_fields(get_page(target, "/home", other).text)
    answer = post_form(target, page, real | {"csrf": theirs["csrf"], "act": "close"}, cookies)
    expect(answer.status == 403 and state() == "open", "a token of another session closed a form")

    stolen = {"__Secure-" + plain(session): cookies[session]}
    answer = get_page(target, "/home", stolen)
    expect(answer.status != 200, "a planted __Secure- session cookie signs in")
    fields = {"csrf": planted, "email": target.host.email, "password": target.host.password, "next": "/home"}
    answer = post_form(target, "/sign-in", fields, {"__Secure-" + plain(csrf): planted}, "same-site", sibling)
    expect(answer.status == 403, f"a planted token signs in (status {answer.status})")
    answer = post_form(target, page, real | {"act": "close"}, cookies)
    expect(answer.status == 303 and state() == "closed", "the host's own page no longer works")


# F3

def exports_for_viewers_contain_no_names(target):
    """A viewer downloads every export of a meeting and of its series in every format, and looks up a known address."""
    person, address = "Nina Namedperson", "nina.namedperson@example.org"
    meeting = Meeting(target, RATING, identity="attendee")
    bearer = target.host.bearer
    target.call("POST", f"/v1/series/{meeting.series}/hosts", {"email": target.viewer.email, "role": "viewer"}, bearer)
    guest = target.call(
        "POST", f"/v1/meetings/{meeting.id}/attendees", {"name": person, "email": address}, bearer)
    guest = guest.get("id") or guest["items"][0]["id"]
    link = target.call("POST", f"/v1/meetings/{meeting.id}/attendees/{guest}/link", bearer=bearer)
    target.call(
        "POST", f"/v1/forms/{meeting.form['code']}/submissions", {"answers": {"pace": 2}},
        headers={"Authorization": "Respondent " + link["token"], "Idempotency-Key": secrets.token_urlsafe(24)})
    for scope in (f"/v1/meetings/{meeting.id}", f"/v1/series/{meeting.series}"):
        for what in ("summary", "questions", "meetings", "submissions", "answers", "attendance"):
            for form in ("csv", "ndjson", "xlsx"):
                path = f"{scope}/export/{what}.{form}"
                answer = target.send("GET", path, bearer=target.viewer.bearer)
                text = answer.body
                if form == "xlsx" and answer.status == 200:
                    with zipfile.ZipFile(io.BytesIO(text)) as book:
                        text = b"".join(book.read(name) for name in book.namelist())
                leaked = [word for word in (person, address) if word.encode() in text]
                expect(not leaked, f"a viewer reads {' and '.join(leaked)} in {what}.{form}")
    look_up = f"/v1/series/{meeting.series}/attendees?email={address}"
    answer = target.send("GET", look_up, bearer=target.viewer.bearer)
    expect(answer.status == 403 and person not in answer.text, f"a viewer looks up an address (status {answer.status})")
    whole = target.send("GET", f"/v1/meetings/{meeting.id}/export/submissions.csv", bearer=bearer)
    expect(address in whole.text, "the host's own submissions.csv lacks the addresses")


# F4

def concurrent_guesses_of_join_codes_are_limited(target):
    """Guesses join codes on many connections at once. The right one is in the second half of them."""
    meeting = Meeting(target, RATING)
    right = meeting.form["joinCode"]
    alphabet = "abcdefghjkmnpqrstvwxyz23456789"

    async def guesses():
        gate = asyncio.Event()

        async def one(number):
            is_right = number >= count // 2 and number % 100 == 7
            code = right if is_right else "".join(secrets.choice(alphabet) for _ in range(8))
            request = target.head("GET", f"/v1/forms/{code}")
            try:
                reader, writer = await target.open()
            except OSError:
                return is_right, 0
            try:
                await gate.wait()
                writer.write(request)
                await writer.drain()
                text = await asyncio.wait_for(reader.read(), 60)
                return is_right, int(text[9:12] or 0)
            except (OSError, asyncio.TimeoutError, ValueError):
                return is_right, 0
            finally:
                writer.close()

        tasks = [asyncio.create_task(one(number)) for number in range(count)]
        await asyncio.sleep(1)
        gate.set()
        return await asyncio.gather(*tasks)

    count = 600
    answers = asyncio.run(guesses())
    checked = sum(1 for _, status in answers if status in (200, 404))
    found = sum(1 for is_right, status in answers if is_right and status == 200)
    expect(any(status == 429 for _, status in answers), f"{count} concurrent guesses are not limited")
    expect(checked <= 110, f"{checked} of {count} concurrent guesses were checked, {found} of them found the form")
    expect(found == 0, f"{found} right guesses beyond the limit found the form")


# F5

def strangers_cannot_prepare_a_sign_up(target):
    """Signs up with the address of another person, who confirms it."""
    if target.mails is None:
        raise Skipped("the mail to the victim is not available")
    victim = f"victim-{secrets.token_hex(4)}@example.org"
    body = {"email": victim, "password": "the stranger's words", "name": "Vic"}
    answer = target.send("POST", "/v1/accounts", body)
    if answer.status == 403:
        raise Skipped("sign-up is off")
    ends = time.monotonic() + 30
    while not (tokens := [token for mail in sorted(pathlib.Path(target.mails).glob("*.txt"))
                          for token in re.findall(r"/verify[/?#](?:token=)?([\w-]{20,})", mail.read_text())]):
        if time.monotonic() > ends:
            raise RuntimeError("no mail arrived within 30 s")
        time.sleep(0.1)
    answer = target.send("POST", "/v1/accounts/verification", {"token": tokens[-1]})
    if answer.status < 300:
        account = Account(victim, body["password"])
        answer = target.send("POST", "/v1/sessions", {"email": account.email, "password": account.password})
        expect(answer.status != 201, "the stranger signs in to the account that the victim confirmed")
        raise Failed("a mailed token alone creates an account")
    own = "the victim's own words"
    target.call("POST", "/v1/accounts/verification", {"token": tokens[-1], "password": own})
    stranger = target.send("POST", "/v1/sessions", {"email": victim, "password": body["password"]})
    expect(stranger.status == 401, f"the stranger's password gets status {stranger.status}")
    expect(target.send("POST", "/v1/sessions", {"email": victim, "password": own}).status == 201,
           "the victim's own password does not sign in")


# F6

def failed_sign_ins_are_logged_without_secrets(target):
    if target.log is None:
        raise Skipped("the log of the service is not available")
    before = len(pathlib.Path(target.log).read_text())
    wrong = "wrong-" + secrets.token_hex(8)
    for _ in range(3):
        target.send("POST", "/v1/sessions", {"email": target.viewer.email, "password": wrong})
    added = pathlib.Path(target.log).read_text()[before:]
    lines = [line for line in added.splitlines() if "sign-in" in line.lower()]
    expect(lines, "failed sign-ins leave no line in the log")
    secret = [word for word in (wrong, target.viewer.email, "127.0.0.1") if any(word in line for line in lines)]
    expect(not secret, f"the log contains {', '.join(secret)}")


# F7

def check_ins_cannot_fill_the_list_without_limit(target):
    """Checks in many invented people with one code."""
    meeting = Meeting(target, RATING, {"headcount": CHECK_IN_HEADCOUNT})
    code = meeting.created["checkInCode"]
    invented = 600

    async def flood():
        lanes = asyncio.Semaphore(32)

        async def one(number):
            body = json.dumps({"name": f"Guest {number}", "email": f"guest{number}@example.org"}).encode()
            async with lanes:
                return await target.raw(target.head("POST", f"/v1/check-ins/{code}", body=body))
        return await asyncio.gather(*(one(number) for number in range(invented)))

    answers = asyncio.run(flood())
    accepted = sum(1 for status, _ in answers if status == 201)
    refused = sum(1 for status, _ in answers if status in (409, 429))
    expect(accepted < invented, f"{accepted} of {invented} invented people are on the list of a meeting for "
                             f"{CHECK_IN_HEADCOUNT}")
    expect(accepted + refused == invented, f"{invented - accepted - refused} check-ins had another status")


# F8

def guessable_passwords_are_refused(target):
    """Chooses passwords that are guessed first. A wrong old password prevents that one is really set."""
    address = target.viewer.email
    common = ["1234567890", "Password12", "qwertyuiop", "afterword2026"]
    for password in [*common, " " * 10, address, address.upper() + "1!"]:
        body = {"password": password, "oldPassword": "not the password"}
        answer = target.send("PATCH", "/v1/me", body, {"If-Match": "*"}, target.viewer.bearer)
        if answer.status == 429:
            raise Skipped("too many wrong passwords of this account before")
        pointers = [fault["pointer"] for fault in answer.json.get("errors", [])]
        is_refused = answer.status == 422 and pointers == ["/password"]
        expect(is_refused, f"{password!r} may be a password: {answer.text[:200]}")


# The attack with guesses is last, because it exhausts this address's limit for a minute.
ATTACKS = {
    "F2": sibling_sites_cannot_act_for_a_host,
    "F3": exports_for_viewers_contain_no_names,
    "F5": strangers_cannot_prepare_a_sign_up,
    "F6": failed_sign_ins_are_logged_without_secrets,
    "F7": check_ins_cannot_fill_the_list_without_limit,
    "F8": guessable_passwords_are_refused,
    "F1": silent_connections_do_not_block_the_service,
    "F4": concurrent_guesses_of_join_codes_are_limited,
}


@contextlib.contextmanager
def own_service():
    """The newest build with a low limit of open files, configured as behind an https proxy."""
    program = os.environ.get("AFTERWORD")
    if not program:
        found = subprocess.run([ROOT / "scripts/newest-build", "afterword"], capture_output=True, text=True)
        if found.returncode:
            raise SystemExit(found.stderr.strip())
        program = ROOT / found.stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        # As root, the database runs as another user, who must be able to reach its folder.
        os.chmod(folder, 0o711)
        data, log = folder + "/data", folder + "/log"
        public = "https://feedback.example.org"

        def limit_files():
            resource.setrlimit(resource.RLIMIT_NOFILE, (OWN_FILE_LIMIT, OWN_FILE_LIMIT))

        with open(log, "w") as errors:
            process = subprocess.Popen(
                [program, "serve", "--port", "0", "--data", data, "--public-url", public, "--sign-up", "on",
                 "--sendmail", "none"],
                stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=limit_files)
        try:
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", line + pathlib.Path(log).read_text())
            if not found:
                raise SystemExit("The service did not start:\n" + pathlib.Path(log).read_text())
            accounts = []
            for name in ("host", "viewer"):
                account = Account(f"{name}@example.org", secrets.token_urlsafe(16))
                subprocess.run(
                    [program, "account", "create", "--data", data, "--email", account.email, "--name", name,
                     "--role", "host", "--password-stdin"],
                    input=account.password + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
                accounts.append(account)
            yield Target(found.group(), *accounts, public_url=public, log=log, mails=data + "/mails",
                         process=process)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=60)
            process.kill()


@contextlib.contextmanager
def named_service(options):
    def account(email, variable):
        password = os.environ.get(variable)
        if not email or not password:
            raise SystemExit(f"attack: an address needs --host and --viewer, and {variable} in the environment")
        return Account(email, password)

    hostname = urllib.parse.urlsplit(options.address).hostname or ""
    is_local = hostname == "localhost"
    with contextlib.suppress(ValueError):
        is_local = is_local or ipaddress.ip_address(hostname).is_loopback
    if not is_local and not options.mine:
        raise SystemExit(f"attack: {hostname} is not this machine. Add --mine if you may attack it.")
    target = Target(
        options.address, account(options.host, "ATTACK_HOST_PASSWORD"),
        account(options.viewer, "ATTACK_VIEWER_PASSWORD"), public_url=options.public_url, log=options.log,
        mails=options.mails)
    yield target


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/attack", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", help="of the service (default: start the newest build)")
    parser.add_argument("--host", metavar="EMAIL", help="an account that may create meetings")
    parser.add_argument("--viewer", metavar="EMAIL", help="another account")
    parser.add_argument("--public-url", metavar="URL", help="its --public-url, if the address differs from it")
    parser.add_argument("--log", metavar="FILE", help="its log, for attacks that are checked against it")
    parser.add_argument("--mails", metavar="FOLDER", help="the folder of its mails, if it has no sendmail")
    parser.add_argument("--mine", action="store_true", help="confirm that you may attack another machine")
    parser.add_argument("--connections", type=int, default=1_100, metavar="N",
                        help="number of silent connections (default 1100)")
    parser.add_argument("--only", nargs="+", choices=sorted(ATTACKS), metavar="F", help="for example F2 F4")
    options = parser.parse_args()
    if not 1 <= options.connections <= 50_000:
        parser.error("--connections is from 1 to 50000")
    broken = 0
    with (named_service(options) if options.address else own_service()) as target:
        target.silent = options.connections
        target.sign_in(target.host)
        target.sign_in(target.viewer)
        try:
            for name, attack in ATTACKS.items():
                if options.only and name not in options.only:
                    continue
                words = attack.__name__.replace("_", " ")
                try:
                    attack(target)
                    print(f"withstood  {name} {words}", flush=True)
                except Skipped as reason:
                    print(f"skipped    {name} {words}: {reason}", flush=True)
                except Failed as reason:
                    broken += 1
                    print(f"BROKEN     {name} {words}: {reason}", flush=True)
                except (OSError, http.client.HTTPException, RuntimeError, KeyError, StopIteration) as error:
                    broken += 1
                    print(f"BROKEN     {name} {words}: the attack could not be completed ({error!r})", flush=True)
        finally:
            remove_series(target)
    return 1 if broken else 0


def remove_series(target):
    """Moves the created series to the trash. A service that no longer responds has nothing to clean up."""
    with contextlib.suppress(OSError, http.client.HTTPException, RuntimeError, KeyError):
        listed = target.call("GET", "/v1/series?limit=200", bearer=target.host.bearer)
        for series in listed["items"]:
            if series["title"] == "Attack":
                answer = target.send("GET", f"/v1/series/{series['id']}", bearer=target.host.bearer)
                tag = next((value for name, value in answer.headers if name.lower() == "etag"), "*")
                target.send("DELETE", f"/v1/series/{series['id']}", headers={"If-Match": tag},
                            bearer=target.host.bearer)


if __name__ == "__main__":
    sys.exit(main())

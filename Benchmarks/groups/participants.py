"""What people by pages cost: a participant who answers, and a host who opens the results after each new answer."""
import concurrent.futures, gzip, http.client, re, time, urllib.parse

from bench.processes import Cost
from bench.requests import answers

CLIENTS = 4
# How often the host opens the results in a round.
VIEWS = 100
BROWSER = {"Accept": "text/html", "Accept-Encoding": "gzip", "Accept-Language": "en"}
# The files that a browser loads once and keeps.
STATIC = re.compile(r'(?:href|src)="(/static/[^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
ANSWERS = [("a.pace", "4"), ("a.depth", "9"), ("a.topics", "demo"), ("a.topics", "talk"), ("a.role", "guest"),
           ("t.better", "A little more time for questions, please.")]


class Visit:
    """Requests of one browser, each on a new connection, as after a pause. `received` counts bytes of bodies."""

    def __init__(self, port):
        self.port, self.cookies, self.received = port, {}, 0

    def send(self, method, path, fields=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = dict(BROWSER)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if fields is not None:
            body = urllib.parse.urlencode(fields)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{self.port}"}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        connection.close()
        self.received += len(content)
        if answer.headers["Content-Encoding"] == "gzip":
            content = gzip.decompress(content)
        return answer, content.decode(errors="replace")

    def take_part(self, code):
        """Returns whether the answers were stored."""
        _, page = self.send("GET", f"/f/{code}")
        answer, _ = self.send("POST", f"/f/{code}", HIDDEN.findall(page) + ANSWERS)
        if answer.status != 303:
            return False
        return self.send("GET", answer.headers["Location"])[0].status == 200


def visit_all(port, code, seconds):
    """The number of participants who answered within the time, and the bytes of bodies that they received."""
    stored, received, end = 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        visit = Visit(port)
        if not visit.take_part(code):
            raise SystemExit("A participant's answers were not stored.")
        stored, received = stored + 1, received + visit.received
    return stored, received


def static_bytes(port, code):
    """The compressed bytes of the files that a participant's browser loads on its first visit."""
    visit = Visit(port)
    _, page = visit.send("GET", f"/f/{code}")
    visit.received = 0
    for path in sorted(set(STATIC.findall(page))):
        visit.send("GET", path)
    return visit.received


def host_views(bench, service, meeting):
    """The host opens the results after each of some answers. The cost of the answers is in it."""
    visit, views = Visit(service.port), 5 if bench.options.short else VIEWS
    visit.cookies["afterword-session"] = service.token
    with Cost(service) as cost:
        for number in range(views):
            service.submit_once(meeting, answers(number))
            if visit.send("GET", f"/meetings/{meeting['id']}/results")[0].status != 200:
                raise SystemExit("The host did not get the page of results.")
    return {**cost.each(views), "bytes": visit.received / views}


def measure(bench):
    with bench.service("participants") as service:
        meeting = service.meeting("People by pages")
        code = meeting["form"]["code"]
        files = static_bytes(service.port, code)
        for turn in bench.rounds:
            with Cost(service) as cost, concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                tasks = [pool.submit(visit_all, service.port, code, bench.options.seconds) for _ in range(CLIENTS)]
                results = [task.result() for task in tasks]
            stored = sum(result[0] for result in results)
            service.stored += stored
            received = sum(result[1] for result in results) / stored
            each = cost.each(stored)
            host = host_views(bench, service, meeting)
            bench.results.record("participants", ok=stored, bytes=received, files=files, host=host, **each)
            print(f"  {stored:,} participants: service {each['service']:,.0f} + PostgreSQL {each['postgres']:,.0f} µs,"
                  f" {received / 1000:.1f} KB, and {files / 1000:.1f} KB of files on the first visit;"
                  f" a host's results after an answer {host['service']:,.0f} + {host['postgres']:,.0f} µs", flush=True)

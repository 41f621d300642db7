"""A running `afterword serve`, and the calls that prepare what is measured."""
import json, os, re, signal, subprocess, sys, time, urllib.error, urllib.request

from bench.processes import Cost
from bench.requests import QUESTIONS, TEXT, submissions

# Settings in the environment of the benchmark must not change what is measured.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("AFTERWORD_")}


class Service:
    """Without a cluster, it has its private one."""

    def __init__(self, program, data, load=None, cluster=None, database=None):
        self.program, self.data, self.load_generator = program, data, load
        self.cluster, self.database = cluster, database
        # The number of submissions for which the service has answered 201, or which were stored in another way.
        self.stored = 0
        self.process = self.token = None

    @property
    def place(self):
        """The options of every command that say where the data is."""
        return ["--data", self.data] + (["--database-url", self.cluster.url(self.database)] if self.cluster else [])

    def start(self, *options, files=None):
        """With `files`, that is the limit of files that the service may open."""
        limit = ["prlimit", f"--nofile={files}:{files}"] if files else []
        with open(f"{self.data}.log", "a") as log:
            self.process = subprocess.Popen(
                [*limit, self.program, "serve", "--port", "0", "--sendmail", "none", *self.place, *options],
                stdout=subprocess.PIPE, stderr=log, text=True, env=ENVIRONMENT)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            with open(f"{self.data}.log") as log:
                sys.exit(f"The service did not start: {line}{log.read()[-2000:]}")
        self.url, self.port = found.group(0), int(found.group(1))
        return self

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                sys.exit("The service did not stop within 60 seconds.")
        if self.process:
            self.process.stdout.close()

    def instance(self):
        """Another instance on the same database, with the same secret file. It has to be stopped by the caller."""
        other = Service(self.program, self.data, self.load_generator, self.cluster, self.database)
        return other.start()

    def restart(self):
        self.stop()
        return self.start()

    def command(self, *arguments, stdin=None, accepted=(0,)):
        """Runs another command of the program on the same data. Returns its output."""
        done = subprocess.run([self.program, *arguments, *self.place], input=stdin, capture_output=True, text=True,
                              env=ENVIRONMENT)
        if done.returncode not in accepted:
            sys.exit(f"afterword {arguments[0]} failed: {done.stderr.strip()}{done.stdout.strip()[-2000:]}")
        return done.stdout

    def call(self, method, path, body=None, headers=None):
        return self.tagged(method, path, body, headers)[0]

    def tagged(self, method, path, body=None, headers=None):
        """The JSON of a response, and its ETag."""
        message = urllib.request.Request(self.url + path, method=method, headers=dict(headers or {}))
        if body is not None:
            message.data = json.dumps(body).encode()
            message.add_header("Content-Type", "application/json")
        if self.token and not path.startswith("/v1/forms/"):
            message.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(message, timeout=120) as answer:
                content = answer.read()
                return json.loads(content) if content else None, answer.headers["ETag"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read().decode(errors='replace')[:500]}")

    def sign_in(self):
        with open(f"{self.data}/first-admin") as file:
            found = dict(re.findall(r"^([\w-]+): (.*)$", file.read(), re.M))
        self.token = self.call("POST", "/v1/sessions",
                               {"email": found["e-mail"], "password": found["password"]})["token"]
        return self

    def meeting(self, title, **settings):
        """A new meeting with a published form. Settings are those of the form, such as `anonymous`."""
        created = self.call("POST", "/v1/meetings", {"title": title, "timeZone": "UTC", "questions": QUESTIONS})
        path = f"/v1/meetings/{created['id']}/form"
        if settings:
            _, tag = self.tagged("GET", path)
            self.call("PUT", path, {"title": title, "questions": QUESTIONS, **settings}, {"If-Match": tag})
        self.call("POST", f"{path}/publish")
        return created

    def submit(self, meetings, clients, text=TEXT, **amount):
        """Submits to the forms of some meetings in turn. Returns the report with the CPU time of each submission."""
        codes = [meeting["form"]["code"] for meeting in meetings]
        with Cost(self) as cost:
            report = self.load_generator.run(self.port, submissions(codes, text), clients, **amount)
        self.stored += report["ok"]
        return {**report, **cost.each(report["ok"])}

    def submit_once(self, meeting, answers):
        self.call("POST", f"/v1/forms/{meeting['form']['code']}/submissions", {"answers": answers})
        self.stored += 1

    def check(self):
        """Stops the run unless `afterword verify` finds no difference and every submission is stored exactly once."""
        report = json.loads(self.command("verify", "--json", accepted=(0, 3)))
        if report["differenceCount"]:
            sys.exit(f"verify found differences: {json.dumps(report['differences'][:5], indent=1)}")
        rows = int(self.cluster.sql("SELECT count(*) FROM submission", self.database))
        if not self.stored == rows == report["submissions"]:
            sys.exit(f"{self.stored} submissions were acknowledged, {rows} are stored, and verify has counted"
                     f" {report['submissions']}.")

"""The forms of a round, each with what its clients know about it, and how responses are read for the model."""

import dataclasses
import itertools
import json

from histories.operation import History, canonical

KINDS = ("plain", "capped", "device", "anonymous")


@dataclasses.dataclass
class Receipt:
    """An acknowledged submission, which any client may replay, read, correct or withdraw."""
    slot: str
    key: str
    body: str
    version: int | None
    answers: str
    id: str
    receipt: str


class Form:
    def __init__(self, kind, name, rng):
        self.kind, self.name = kind, name
        self.cap = rng.randint(3, 10) if kind == "capped" else None
        self.once_only, self.anonymous = kind == "device", kind == "anonymous"
        self.meeting = self.id = self.code = None
        self.operations, self.receipts = [], []
        # The token of each version that somebody has seen. Tokens mark everything that belongs to a version.
        self.tokens, self.made = {1: "t1"}, itertools.count(2)
        self.revision = 0
        # Requests that were given up, each of which doubles what is possible.
        self.abandoned = 0

    def definition(self, token):
        """What a host sends. Answers to one version are invalid for every other, by the key of the question."""
        sent = {"title": token, "questions": [
            {"key": "pace", "kind": "rating", "title": f"Pace {token}", "required": True},
            {"key": f"q{token}", "kind": "text", "title": f"Note {token}", "required": True}]}
        if self.cap is not None:
            sent["cap"] = self.cap
        if self.once_only:
            sent["identity"] = "device"
        if self.anonymous:
            sent |= {"anonymous": True, "minimumGroup": 3}
        return sent

    async def create(self, host):
        created = (await host.call("POST", "/v1/meetings", {"title": self.name})).json
        self.meeting, self.id, self.code = created["id"], created["form"]["id"], created["form"]["code"]
        tag = (await host.call("GET", self.host_path)).headers["etag"]
        await host.call("PUT", self.host_path, self.definition("t1"), {"If-Match": tag})
        reply = await host.call("POST", f"{self.host_path}/publish")
        self.revision = int(reply.headers["etag"].strip('"').partition("-")[0][1:])

    @property
    def host_path(self):
        return f"/v1/meetings/{self.meeting}/form"

    @property
    def public_path(self):
        return f"/v1/forms/{self.code}"

    def saw(self, outcome):
        if outcome and outcome.get("token"):
            self.tokens[outcome["version"]] = outcome["token"]

    def history(self):
        return History(self.name, self.once_only, self.anonymous, self.cap, "t1", self.revision, self.operations)


def body(version, answers):
    """The body of a submission or a correction."""
    return json.dumps({"answers": json.loads(answers)} | ({} if version is None else {"version": version})).encode()


# What the model predicts of each response


def problem_or(read):
    return lambda reply: {"problem": reply.problem or str(reply.status)} if reply.status >= 300 else read(reply)


@problem_or
def stored(reply):
    return {"id": f"{reply.json['id']} {reply.json['receipt']}",
            "replayed": reply.headers.get("idempotency-replayed") == "true"}


@problem_or
def submission(reply):
    return {"version": reply.json["version"], "answers": canonical(reply.json["answers"])}


@problem_or
def nothing(_):
    return {}


@problem_or
def results(reply):
    body = reply.json
    pace = next(question for question in body["questions"] if question["key"] == "pace")
    return {
        "submissions": body["submissions"], "version": body["version"],
        "paces": {point["id"]: point["count"] for point in pace["points"] if point["count"]},
        "tokens": {question["key"][1:]: question["answered"] for question in body["questions"]
                   if question["key"] != "pace"},
    }


@problem_or
def meeting(reply):
    body = reply.json
    return {"submissions": body["submissions"], "state": body["form"]["state"], "version": body["form"]["version"]}


@problem_or
def export(reply):
    """The rows by id: the version and the answers. None if the export was cut, which its reader sees."""
    if "afterword-rows" not in reply.headers:
        return None
    rows = [json.loads(line) for line in reply.body.splitlines()]
    return {row["id"]: [row["form_version"], canonical({
        key: value for key, value in row.items() if key[0] in "pq" and value is not None})] for row in rows}


@problem_or
def public(reply):
    return {"state": reply.json["state"], "version": reply.json["version"], "token": token(reply.json)}


@problem_or
def host(reply):
    body = reply.json
    return {"state": body["state"], "finalising": body["finalising"], "version": body["version"],
            "token": token(body), "tag": reply.headers["etag"].strip('"')}


def token(body):
    """The token of a definition. Parts of several versions give a token that no version has."""
    found = {body["title"]}
    for question in body["questions"]:
        found.add(question["title"].split()[1])
        if question["key"] != "pace":
            found.add(question["key"][1:])
    return found.pop() if len(found) == 1 else "mixed: " + " ".join(sorted(found))

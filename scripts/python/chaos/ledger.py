"""What the clients know about each submission: what may be stored, and what must be."""

import dataclasses
import json
import secrets

ABSENT, WITHDRAWN = "absent", "withdrawn"


def canonical(answers):
    """The same text for the same answers, as sent or as stored."""
    return json.dumps(answers, sort_keys=True, separators=(",", ":"))


@dataclasses.dataclass(frozen=True)
class Fault:
    """A broken promise. `what` is lost, doubled, different, or another short word."""
    what: str
    sentence: str

    def __str__(self):
        return f"{self.what}: {self.sentence}"


class Submission:
    """One submission with its key, and every state in which the database may hold it."""

    def __init__(self, form, answers):
        self.form, self.answers = form, answers
        self.mark = answers["note"].split()[0]
        self.key = secrets.token_urlsafe(24)
        self.body = json.dumps({"answers": answers}).encode()
        self.possible = {ABSENT}
        self.id = self.receipt = None
        self.is_acknowledged = self.is_withdrawn = False
        # Whether the same request was sent over two connections at once.
        self.is_twin = False
        self.tries = self.replays = 0
        self.refusal = None

    @property
    def headers(self):
        return {"Idempotency-Key": self.key}

    @property
    def path(self):
        return f"/v1/forms/{self.form.code}/submissions"


class Ledger:
    """The submissions of a round."""

    def __init__(self, faults):
        self.submissions, self.faults = [], faults
        self.acknowledged = self.replays = self.refused = self.corrected = self.withdrawn = 0

    def begin(self, form, answers):
        submission = Submission(form, answers)
        form.begun += 1
        self.submissions.append(submission)
        return submission

    def fault(self, what, sentence):
        self.faults.append(Fault(what, sentence))

    def sending(self, submission):
        submission.tries += 1
        if not submission.is_acknowledged:
            submission.possible.add(canonical(submission.answers))

    def acknowledge(self, submission, reply):
        """Enters a 201. Another receipt for the same key means that the submission was stored twice."""
        received, is_replay = reply.json, reply.headers.get("idempotency-replayed") == "true"
        if submission.id is None:
            submission.id, submission.receipt = received["id"], received["receipt"]
        elif (received["id"], received["receipt"]) != (submission.id, submission.receipt):
            self.fault("doubled", f"{submission.mark} got the receipts of {submission.id} and {received['id']}")
        if is_replay:
            submission.replays += 1
            self.replays += 1
            if submission.tries == 1 and not submission.is_twin:
                self.fault("unexpected", f"the first request of {submission.mark} was answered as a replay")
        if not submission.is_acknowledged:
            submission.is_acknowledged = True
            self.acknowledged += 1
            submission.possible.discard(ABSENT)
        # Of two requests at once, the one that was answered later may have been carried out earlier.
        if submission.refusal and submission.refusal != "form-final":
            self.fault("different", f"{submission.mark} was refused ({submission.refusal}) and then acknowledged")

    def refuse(self, submission, reply):
        """Enters a refusal. Nothing of it may be stored, except if the form does not remember its keys any more."""
        code = reply.problem
        if not submission.form.may_refuse(code):
            self.fault("unexpected", f"{submission.mark} of the form {submission.form.name} was refused with "
                                     f"{reply.status} {code}")
        if submission.is_acknowledged and code != "form-final":
            self.fault("different", f"{submission.mark} was acknowledged, and then refused with {code}")
        submission.refusal = code
        self.refused += 1
        if code == "form-full":
            submission.form.is_full = True
        if code != "form-final" and not submission.is_acknowledged:
            submission.possible = {ABSENT}

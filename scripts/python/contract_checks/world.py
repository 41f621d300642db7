"""What the generated requests find: accounts of every role, and a series with a round in every state."""

import base64
import dataclasses
import datetime
import itertools
import secrets
import time

from page_service import sql

from .client import Client

QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?"},
    {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": True, "other": True,
     "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The talk"}]},
    {"key": "better", "kind": "text", "title": "What should we change?", "maxLength": 500},
    {"key": "course", "kind": "grid", "title": "What do you think of it?", "labels": ["no", "partly", "yes"], "max": 3,
     "abstain": "Cannot judge",
     "statements": [{"key": "clear", "title": "It was clear"}, {"key": "useful", "title": "It was useful"}]},
]
ANSWERS = {"pace": 4, "topics": ["demo", {"other": "the snacks"}], "better": "More time for questions",
           "clear": 3, "useful": "abstain"}
PASSWORD = "a long password of an account"
# Dangerous actions need a password that was checked within 15 minutes.
CONFIRMED_FOR = 300
MOST_WEBHOOKS = 20
MOST_TEMPLATES = 20
# A white pixel.
IMAGE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC")
SCOPES = ["meetings:read", "meetings:write", "results:read", "export:read", "admin"]


def time_from_now(**shift):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**shift)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclasses.dataclass
class Account:
    id: str
    email: str
    client: Client

    @property
    def authorization(self):
        return self.client.authorization


@dataclasses.dataclass
class Round:
    """A meeting, its form's code, and the submissions that were sent to it: pairs of id and receipt."""
    id: str
    code: str
    check_in: str
    submissions: list
    people: list = dataclasses.field(default_factory=list)


class World:
    """Belongs to one role's run, so that what another role deleted is not missed here."""

    _numbers = itertools.count(1)

    def __init__(self, service, hook_address):
        self.service, self.hook_address = service, hook_address
        self.admin = Client(service.base, service.token)
        self.anyone = Client(service.base)
        # Strangers must not see the first, viewers must not see the second.
        self.private = "Private " + secrets.token_hex(6)
        self.hidden = f"nina.{secrets.token_hex(6)}@example.org"
        self.owner, self.editor, self.viewer = self.account(), self.account(), self.account()
        self.stranger, self.other, self.invited = self.account(), self.account(), self.account()
        self._make_series()
        self._make_rounds()
        self._make_account_settings()
        self._confirmed_at = time.monotonic()

    # Accounts

    def stay_confirmed(self, account):
        """Sends the passwords of the account and of the admin again before their sessions count as unconfirmed."""
        if time.monotonic() - self._confirmed_at < CONFIRMED_FOR:
            return
        self._confirmed_at = time.monotonic()
        confirmed = [(self.admin, self.service.password)] + ([(account.client, PASSWORD)] if account else [])
        for client, password in confirmed:
            session = client.call("PUT", "/v1/sessions/current", {"password": password})
            client.authorization = "Bearer " + session["token"]

    def account(self, role="host"):
        email = self.new_address()
        self.anyone.call("POST", "/v1/accounts/verification", {"token": self.sign_up(email), "password": PASSWORD})
        client = Client(self.service.base)
        session = client.call("POST", "/v1/sessions", {"email": email, "password": PASSWORD})
        client.authorization = "Bearer " + session["token"]
        account = Account(session["account"]["id"], email, client)
        if role == "admin":
            self.admin.call("PATCH", f"/v1/admin/accounts/{account.id}", {"role": role}, {"If-Match": "*"})
        return account

    def unconfirmed_session(self, account):
        """The Authorization of a session whose password was checked too long ago for dangerous actions."""
        authorization = self.session(account)
        sql(self.service, f"""
            UPDATE token SET confirmed_at = now() - interval '16 minutes' WHERE id = (
                SELECT id FROM token WHERE account_id = '{account.id}' ORDER BY created_at DESC LIMIT 1)""")
        return authorization

    def session(self, account):
        """The Authorization of another session of the account."""
        body = {"email": account.email, "password": PASSWORD}
        return "Bearer " + self.anyone.call("POST", "/v1/sessions", body)["token"]

    def api_token(self, account, scopes):
        body = {"name": "checks", "scopes": scopes, "expiresAt": time_from_now(days=30)}
        return account.client.call("POST", "/v1/tokens", body)

    # The series

    def _make_series(self):
        call = self.owner.client.call
        self.main = self._round(call("POST", "/v1/meetings", {
            "title": self.private, "startsAt": time_from_now(minutes=-30), "endsAt": time_from_now(hours=2),
            "timeZone": "Europe/Berlin", "headcount": 12, "questions": QUESTIONS, "allowOverlap": True}))
        for account, role in ((self.editor, "editor"), (self.viewer, "viewer"), (self.other, "viewer")):
            call("POST", f"/v1/series/{self.series}/hosts", {"email": account.email, "role": role})
        self.joining = call("POST", f"/v1/series/{self.series}/join-codes", {})
        self.members = [self.new_member() for _ in range(3)]
        self.poster = call("GET", f"/v1/series/{self.series}")["code"]

    def _make_rounds(self):
        self.publish(self.main, showResults="always")
        self.named = self.new_round(people=[("Nina Hidden", self.hidden), ("Nora Named", "nora@example.org")])
        self.publish(self.named, identity="attendee", showResults="always")
        self.anonymous = self.new_round()
        self.publish(self.anonymous, anonymous=True, minimumGroup=3, showResults="afterClose")
        self.device = self.new_round()
        self.publish(self.device, identity="device", showResults="afterSubmission")
        for round in (self.main, self.anonymous, self.device):
            for _ in range(6):
                self.submit(round)
        for person in self.named.people[:1]:
            self.submit(self.named, "Respondent " + self.personal_link(self.named, person))
        call = self.owner.client.call
        call("POST", f"/v1/meetings/{self.anonymous.id}/form/close")
        call("POST", f"/v1/meetings/{self.main.id}/results/better/release")
        call("PUT", f"/v1/meetings/{self.main.id}/image", IMAGE, {"Content-Type": "image/png"})
        self.draft = self.new_round()
        self.trashed = self.new_round()
        call("DELETE", f"/v1/meetings/{self.trashed.id}")
        self.share = self.new_share()
        listed = call("GET", f"/v1/meetings/{self.main.id}/attendees")["items"]
        self.person_code = next(item["code"] for item in listed if item["code"])

    def _make_account_settings(self):
        for account in (self.owner, self.editor, self.viewer, self.stranger):
            account.client.call("PUT", "/v1/me/picture", IMAGE, {"Content-Type": "image/png"})

    @property
    def rounds(self):
        return [self.main, self.named, self.anonymous, self.device]

    def _round(self, meeting):
        self.series = meeting["seriesId"]
        return Round(meeting["id"], meeting["form"]["code"], meeting["checkInCode"], [])

    def new_round(self, people=()):
        created = self.owner.client.call("POST", f"/v1/series/{self.series}/meetings", {"questions": QUESTIONS})
        round = Round(created["id"], created["form"]["code"], created["checkInCode"], [])
        round.people = [self.new_attendee(round, *person) for person in people]
        return round

    def new_series(self):
        """A series of its own for operations that move or delete one."""
        return self.owner.client.call("POST", "/v1/meetings", {"title": self.private})["seriesId"]

    def publish(self, round, **settings):
        path = f"/v1/meetings/{round.id}/form"
        call = self.owner.client.call
        call("PUT", path, {"title": self.private, "questions": QUESTIONS, **settings}, {"If-Match": "*"})
        call("POST", path + "/publish")

    def submit(self, round, authorization=None):
        authorization = authorization or "Respondent " + secrets.token_urlsafe(32)
        sent = self.anyone.call(
            "POST", f"/v1/forms/{round.code}/submissions", {"answers": ANSWERS}, {"Authorization": authorization})
        round.submissions.append((sent["id"], sent["receipt"]))
        return sent["id"]

    # Parts of it, some of them made only to be deleted

    def new_member(self):
        return self._new_member()["id"]

    def new_member_address(self):
        return self._new_member()["email"]

    def _new_member(self):
        body = {"members": [{"name": "Mina Member", "email": f"member{next(self._numbers)}@example.org"}]}
        return self.owner.client.call("POST", f"/v1/series/{self.series}/members", body)["items"][0]

    def new_attendee(self, round, name="Ann Attendee", email=None):
        email = email or f"attendee{next(self._numbers)}@example.org"
        body = {"name": name, "email": email}
        return self.owner.client.call("POST", f"/v1/meetings/{round.id}/attendees", body)["id"]

    def personal_link(self, round, person):
        return self.owner.client.call("POST", f"/v1/meetings/{round.id}/attendees/{person}/link")["token"]

    def new_share(self):
        return self.owner.client.call("POST", f"/v1/meetings/{self.main.id}/shares", {"name": "checks"})

    def new_join_code(self):
        return self.owner.client.call("POST", f"/v1/series/{self.series}/join-codes", {})["id"]

    def new_invitation(self, email=None):
        return self.admin.call("POST", "/v1/invitations", {"email": email} if email else {})

    def new_template(self, account):
        """A template of the account, which may have a limited number of them."""
        listed = account.client.call("GET", "/v1/templates?limit=200")["items"]
        own = [one["id"] for one in listed if one["owner"]["id"] == account.id]
        for template in own[MOST_TEMPLATES - 1:]:
            account.client.call("DELETE", f"/v1/templates/{template}")
        return account.client.call("POST", "/v1/templates", {"name": "Retro", "definition": {"questions": []}})["id"]

    def new_webhook(self, account):
        """A webhook of the account, which may have a limited number of them."""
        listed = account.client.call("GET", "/v1/webhooks")["items"]
        for webhook in listed[MOST_WEBHOOKS - 1:]:
            account.client.call("DELETE", f"/v1/webhooks/{webhook['id']}")
        body = {"url": self.hook_address, "events": ["results.changed"]}
        return account.client.call("POST", "/v1/webhooks", body)["id"]

    def new_address(self):
        return f"person{next(self._numbers)}@example.org"

    def sign_up(self, email):
        """A sign-up's code, for the verification."""
        code = self.new_invitation(email)["code"]
        self.anyone.call("POST", "/v1/accounts", {"email": email, "name": "New", "invitation": code})
        return code

    def reset_token(self):
        """A token from a mail with a new password for an account of its own."""
        account = self.account()
        self.anyone.call("POST", "/v1/password-resets", {"email": account.email})
        pattern = rf"To: {account.email}\n(?:(?!To: )[^\n]*\n)*?[^\n]*/reset\?token=([\w-]+)"
        return self.service.mailed(pattern)

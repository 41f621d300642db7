"""Edits each generated request before it is sent, so that it reaches something that exists."""

import collections
import random
import re

from schemathesis.core import NOT_SET

from . import targets
from .bodies import correct_body, correct_query
from .client import forwarded
from .roles import DANGEROUS

# One in this many values is left as it was generated.
LEFT_ALONE = 8
KEPT_CURSORS = 20
# Operations that end or change the caller's own account or session get an account that is made for them.
OWN_ACCOUNT = {"leave", "confirmSession", "endCurrentSession", "editMe"}
# The resource whose ETag an operation expects, where it has another path.
TAGGED = [r"/v1/series/\{id\}(?=/transfer|/restore)", r"/v1/meetings/\{id\}(?=/restore)", r".*"]


def name_of(case):
    return case.operation.definition.raw["operationId"]


def is_optional(case):
    """Whether the operation can be requested with or without credentials."""
    return {} in case.operation.definition.raw.get("security", [])


def without_page(query):
    """The query parameters to which a cursor is bound, besides the path: all but `cursor` and `limit`."""
    return {name: value for name, value in query.items() if name not in ("cursor", "limit")}


class Editor:
    """The edits of one role's run, and what its responses have shown."""

    def __init__(self, world, role, seed):
        self.world, self.role = world, role
        self.random = random.Random(f"{seed} {role.name}")
        # Ids, codes and tokens that responses contained.
        self.seen = set()
        # The ids of what requests created.
        self.created = set()
        # The ids of meetings and series that are in the trash, and of those that are back from it.
        self.trashed, self.restored = set(), set()
        self.cursors = collections.defaultdict(list)
        # What was made for an operation that uses it up, until it was used.
        self.made = {}
        # The tags that were current when they were sent, by the case's id.
        self.tags = {}

    def edit(self, case):
        negative = {location.name for location, part in (case._meta.components if case._meta else {}).items()
                    if part.mode.is_negative}
        operation = name_of(case)
        self.world.stay_confirmed(self.role.account)
        case.headers["X-Forwarded-For"] = forwarded()
        if "PATH" not in negative:
            self.choose_path(operation, case)
        if case._has_explicit_auth or is_optional(case) and not case.operation.schema.is_security_param_negated(case):
            self.choose_credentials(operation, case)
        if "QUERY" not in negative and case.query and not self.is_left_alone():
            self.correct_query(operation, case)
        if "BODY" not in negative and not self.is_left_alone():
            self.correct_body(operation, case)
        if "HEADER" not in negative:
            self.choose_tags(case)

    def is_left_alone(self):
        return self.random.randrange(LEFT_ALONE) == 0

    # The path

    def choose_path(self, operation, case):
        if not case.path_parameters or self.is_linked(case):
            return
        lasting = {value for value in case.path_parameters.values() if isinstance(value, str)} & self.lasting_ids()
        if self.is_left_alone() and not self.is_probe(case) and not (lasting and operation in targets.CONSUMED):
            return
        account = self.role.account or self.world.owner
        if operation in targets.CONSUMED and self.role.consumes:
            if operation not in self.made:
                self.made[operation] = targets.CONSUMED[operation](self.world, account)
            chosen = self.made[operation]
        else:
            chosen = targets.lasting(case.path, self.world, account, self.random)
        case.path_parameters = {name: chosen.get(name, value) for name, value in case.path_parameters.items()}

    def is_linked(self, case):
        """Whether the values come from earlier responses of a stateful scenario, and may be used up."""
        if case._meta is None or case._meta.phase.name != "stateful":
            return False
        values = [value for value in case.path_parameters.values() if isinstance(value, str)]
        consumed = name_of(case) in targets.CONSUMED and set(values) & self.lasting_ids()
        return set(values) <= self.seen and not consumed

    def lasting_ids(self):
        world = self.world
        return {world.series, *(round.id for round in world.rounds)}

    def is_probe(self, case):
        return case.method != case.operation.method.upper()

    # Credentials

    def choose_credentials(self, operation, case):
        schemes = {name for way in case.operation.definition.raw.get("security", []) for name in way}
        if "bearer" in schemes and self.role.authorizations:
            case.headers["Authorization"] = self.bearer(operation)
        elif "receipt" in schemes:
            self.choose_receipt(case, optional="submissions" not in case.path)
        elif "respondent" in schemes:
            self.choose_respondent(case)

    def bearer(self, operation):
        if operation in DANGEROUS and self.role.unconfirmed and self.random.random() < 0.3:
            return self.role.unconfirmed
        if operation not in OWN_ACCOUNT:
            return self.random.choice(self.role.authorizations)
        if operation not in self.made:
            self.made[operation] = self.own_authorization()
        return self.made[operation]

    def own_authorization(self):
        if self.role.name == "token":
            return "Bearer " + self.world.api_token(self.world.owner, ["meetings:read"])["token"]
        return self.world.account("admin" if self.role.name == "admin" else "host").authorization

    def choose_receipt(self, case, optional):
        parameters = case.path_parameters
        for round in self.world.rounds:
            for submission, receipt in round.submissions:
                if submission == parameters.get("id") or optional and round.code == parameters.get("code"):
                    case.headers["Authorization"] = "Receipt " + receipt
                    return
        case.headers.pop("Authorization", None)

    def choose_respondent(self, case):
        case.headers.pop("Authorization", None)
        if case.path_parameters.get("code") == self.world.device.code:
            case.headers["Authorization"] = f"Respondent {self.random.getrandbits(256):064x}"
        elif case.path_parameters.get("code") == self.world.named.code:
            person = self.world.new_attendee(self.world.named)
            case.headers["Authorization"] = "Respondent " + self.world.personal_link(self.world.named, person)

    # Queries, bodies and tags

    def correct_query(self, operation, case):
        query = correct_query(operation, case.query, self.world, self.random)
        if "cursor" in query:
            known = self.cursors[case.formatted_path]
            query = {**query, **self.random.choice(known)} if known else without_page(query)
        case.query = query

    def correct_body(self, operation, case):
        if case.body is NOT_SET or case.media_type is None:
            return
        case.body = correct_body(operation, case.body, case.media_type, self.world, self.random)
        if isinstance(case.body, bytes):
            # Bytes cannot be compared with a schema: without this, the case would count as an invalid one.
            case._record_starting_state()

    def choose_tags(self, case):
        for header in ("If-Match", "If-None-Match"):
            if header not in case.headers or self.is_left_alone():
                continue
            template = next(found.group() for found in (re.match(one, case.path) for one in TAGGED) if found)
            path = template.format(**case.path_parameters)
            tag = self.world.anyone.tag(path, case.headers.get("Authorization"))
            if header == "If-Match" or self.random.random() < 0.3:
                case.headers[header] = self.tags[case.id] = tag or "*"

    # What responses show

    def note(self, case, response):
        operation = name_of(case)
        if response.status_code < 300 and operation in self.made and self.is_used_up(operation, case):
            del self.made[operation]
        if response.status_code < 300 and operation in ("trashMeeting", "trashSeries"):
            self.trashed |= {*case.path_parameters.values()}
            self.restored -= self.trashed
        content_type = (response.headers.get("content-type") or [""])[0]
        is_json = content_type.startswith("application/json")
        if response.status_code < 300 and is_json and len(response.content) < 1_000_000:
            value = response.json()
            self.collect(value)
            if operation in ("restoreMeeting", "restoreSeries"):
                # The series of a restored meeting is restored with it.
                self.restored |= {value["id"], value.get("seriesId")}
                self.trashed -= self.restored
            if response.status_code == 201 and isinstance(value, dict) and isinstance(value.get("id"), str):
                self.created.add(value["id"])
            if isinstance(value, dict) and isinstance(value.get("next"), str):
                known = self.cursors[case.formatted_path]
                known.append({**without_page(case.query), "cursor": value["next"]})
                del known[:-KEPT_CURSORS]

    @staticmethod
    def is_used_up(operation, case):
        return operation != "editMe" or isinstance(case.body, dict) and case.body.get("password")

    def collect(self, value):
        if isinstance(value, list):
            for item in value:
                self.collect(item)
        if not isinstance(value, dict):
            return
        for name, member in value.items():
            if isinstance(member, str) and (name.lower().endswith("id") or name in ("code", "token")):
                self.seen.add(member)
            else:
                self.collect(member)

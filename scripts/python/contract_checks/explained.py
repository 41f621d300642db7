"""Findings that are no faults of the service: what a schema cannot say, each rule with its reason.

A rule is as narrow as it can be: it names the fault that the service reported, its place, and where possible what must
be true of the request. Everything else is a finding.
"""

import dataclasses
import re
import typing
import zoneinfo

import jsonschema_rs

from .editing import name_of, without_page

CHECKS = {
    "positive_data_acceptance": {
        # 401, 403, 404, 409, 429: who asks and what exists decides, not the schema. 410: a share or submission that is
        # gone, as 404. Not 5xx, unlike the default.
        "expected-statuses": ["2xx", "3xx", "401", "403", "404", "409", "410", "429"]},
    # Preconditions (412) and sizes (413) are checked before the body. Not 5xx, unlike the default.
    "negative_data_rejection": {"expected-statuses": ["4xx"]},
    # 428 is the status for a missing `If-Match` (RFC 6585). It is checked after existence.
    "missing_required_header": {"expected-statuses": ["401", "403", "404", "428"]},
}


@dataclasses.dataclass
class Fault:
    """A rule about one fault of a 400 or 422 response to a request that fits the schema."""
    code: str
    pointer: str
    reason: str
    # Whether the value at the pointer breaks the rule, where that can be told.
    breaks: typing.Callable | None = None


def value_at(case, pointer):
    """The sent value that a fault names; None if there is none."""
    if pointer.startswith("?"):
        return (case.query or {}).get(pointer[1:])
    value = case.body
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(token)] if int(token) < len(value) else None
        else:
            value = value.get(token) if isinstance(value, dict) else None
    return value


def is_no_cursor_of_this_list(value, case, run):
    return {**without_page(case.query), "cursor": value} not in run.editor.cursors[case.formatted_path]


def is_no_time_zone(value, case, run):
    return value not in zoneinfo.available_timezones()


def has_unusual_host(value, case, run):
    """Whether a URL has an address of IPv6, which a pattern does not check, or a port that does not exist."""
    host, _, port = value.split("://")[1].replace("?", "/").split("/")[0].rpartition(":")
    return "[" in value or host and not 1 <= int(port) <= 65_535 or any(len(label) > 63 for label in value.split("."))


def is_table(value, case, run):
    return case.media_type == "text/csv"


def has_misshapen_condition(value, case, run):
    """Whether a condition of the form is both a test and a list, or a test has not exactly one comparison."""
    comparisons = {"is", "isNot", "atLeast", "atMost", "answered"}

    def is_misshapen(condition):
        if len({"question", "all", "any"} & set(condition)) != 1 or "question" not in condition and comparisons & set(condition):
            return True
        tests = [condition] if "question" in condition else condition.get("all") or condition.get("any") or []
        return any(len(comparisons & set(test)) != 1 for test in tests)

    form = case.body.get("definition", case.body)
    return any(is_misshapen(question["showIf"]) for question in form["questions"] if question.get("showIf"))


ACROSS = "the rule joins several members"
STORED = "what is stored decides"
CLOCK = "the time of the request decides"

FAULTS = [
    Fault("invalid-cursor", r"\?cursor", "a cursor is opaque, and valid for its own list only",
          is_no_cursor_of_this_list),
    Fault("nul-character", r"/.*", "no text may contain NUL, which every text would have to say in a pattern",
          lambda value, case, run: isinstance(value, str) and "\0" in value),
    Fault("invalid-encoding", r"\?", "no parameter may contain NUL, which every text would have to say in a pattern",
          lambda value, case, run: any("\0" in text for text in case.query.values() if isinstance(text, str))),
    Fault("unknown-time-zone", r"[?/]timeZone", "the names of time zones are a list of their own", is_no_time_zone),
    Fault("invalid-url", r"/url", "a pattern does not check every part of a URL", has_unusual_host),
    Fault("invalid-email", r"/.*|\?email", "a pattern counts no bytes and knows no lower case of rare letters",
          lambda value, case, run: len(value.encode()) > 254 or not value.isascii()),
    Fault("too-short", r"/password", "a schema counts code points, not characters",
          lambda value, case, run: not value.isascii()),
    Fault("too-long", r"/password|/answers/.*", "a schema counts no bytes",
          lambda value, case, run: len(str(value)) < len(str(value).encode())),
    Fault("own-address|common-password", r"/password", "the list of common passwords is data"),
    Fault("missing-column|required|too-many|invalid-.*", r"(/members/\d+/.*)?", "a schema does not describe tables",
          is_table),
    Fault("broken-quote|duplicate-column|empty-file|lone-carriage-return|ragged-row|row-too-long|too-many-marks", r"",
          "a schema does not describe tables", is_table),
    Fault("ends-before-start", r"\?to|\?endsAt|/endsAt", ACROSS),
    Fault("required", r"/startsAt|/endsAt|/timeZone|/oldPassword|/seriesId|/role|/questions/\d+/(options|labels|statements)",
          ACROSS),
    Fault("same-question", r"\?columns", ACROSS),
    Fault("undated-meeting", r"/repeat|/opens|/closes", ACROSS),
    Fault("closes-before-opens", r"/closes", ACROSS),
    Fault("too-long", r"/endsAt|\?to", ACROSS),
    Fault("too-far", r"/repeat", ACROSS),
    Fault("duplicate-key", r"/questions/\d+(/statements/\d+)?/key", ACROSS),
    Fault("wrong-count", r"/questions/\d+/labels", ACROSS),
    Fault("unknown-field", r"/questions/\d+/grid", "participants get this member, and hosts do not send it"),
    Fault("duplicate-option", r"/questions/\d+/options/\d+/id", ACROSS),
    Fault("not-multiple", r"/questions/\d+/(min|max)Selections", ACROSS),
    Fault("out-of-range", r"/questions/\d+/(max|minSelections|maxSelections)|/minimumGroup", ACROSS),
    Fault("nps-range", r"/questions/\d+/metric", ACROSS),
    # The members that are not read for that reason are reported too.
    Fault("ambiguous-condition|required|unknown-field", r"/questions/\d+/showIf(/.*)?", ACROSS, has_misshapen_condition),
    Fault("too-fine", r"\?bucket|\?timeZone", STORED),
    Fault("shape-not-fitting", r"\?shape", STORED),
    Fault("not-a-grid", r"\?bars|\?order", STORED),
    Fault("unknown-question|unknown-option|too-many-conditions", r"\?where|\?rows|\?columns|\?grid", STORED),
    Fault("not-filterable|group-too-small", r"\?where|\?rows|\?columns|\?grid", STORED),
    Fault("unknown-key|not-a-rating", r"\?key", STORED),
    Fault("several-series", r"\?what", STORED),
    Fault("unknown-question|unknown-option|required|wrong-type|out-of-range|not-an-integer", r"/answers/.*", STORED),
    Fault("unknown-version", r"/version", STORED),
    Fault("required|too-many", r"/questions", STORED),
    Fault("unknown-member", r"/members/\d+/email", STORED),
    Fault("unknown-account|is-owner", r"/email|/heir", STORED),
    Fault("unknown-series", r"/seriesId|\?seriesId", STORED),
    Fault("invalid-token", r"/token", STORED),
    Fault("wrong-password", r"/oldPassword|/password", STORED),
    Fault("scope-not-yours", r"/scopes", STORED),
    Fault("too-many", r"", STORED),
    Fault("mail-not-set-up", r"", "the operator's settings decide"),
    Fault("in-the-past", r"/expiresAt|/closes", CLOCK),
    Fault("too-late", r"/expiresAt", CLOCK),
]


def reasons(failure, case, response, run):
    """Why a finding is no fault: a reason or several, or None."""
    for kind, rule in RULES:
        if kind == type(failure).__name__ and (found := rule(failure, case, response, run)):
            return [found] if isinstance(found, str) else found
    return None


def refused_with_known_faults(failure, case, response, run):
    """All faults of the response must have a rule."""
    if response.status_code not in (400, 422):
        return None
    found = [explanation(error, case, run) for error in response.json().get("errors", [])]
    return sorted(set(found)) if found and all(found) else None


def explanation(error, case, run):
    code, pointer = error["code"], error["pointer"]
    # A template has the definition of a form as a member.
    in_form = pointer.removeprefix("/definition")
    for fault in FAULTS:
        if re.fullmatch(fault.code, code) and re.fullmatch(fault.pointer, in_form, re.DOTALL) and (
                fault.breaks is None or fault.breaks(value_at(case, pointer), case, run)):
            return f"{code}: {fault.reason}"
    return None


def stale_tag(failure, case, response, run):
    """A generated `If-Match` names no state. A tag that was read just before must be accepted."""
    if response.status_code == 412 and "If-Match" in case.headers and case.id not in run.editor.tags:
        return "precondition-failed: a tag is opaque, and the current one alone is accepted"


def form_without_attendees(failure, case, response, run):
    if response.status_code == 422 and name_of(case) in ("inviteToForm", "makePersonalLink") and (
            response.json()["detail"] == "Personal links require a form with the identity attendee."):
        return f"validation-failed: {STORED}"


def spaces_at_the_ends(failure, case, response, run):
    """The service ignores them in names and addresses, and so do its limits of length."""
    alternative = case.operation.get_body_for_media_type(case.media_type)
    if alternative and jsonschema_rs.validator_for(alternative.validation_schema).is_valid(trimmed(case.body)):
        return "accepted: the limits of names and addresses do not count white space at their ends"


def flag_without_value(failure, case, response, run):
    """`?bom` alone is true."""
    flags = ("bom", "titles", "raw", "marks", "room", "grids")
    if case.path.endswith("/export/{file}") and any((case.query or {}).get(name) == "" for name in flags):
        return "accepted: a flag without a value is true"


def trimmed(value, name=None):
    if isinstance(value, dict):
        return {name: trimmed(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [trimmed(item, name) for item in value]
    return value.strip() if isinstance(value, str) and name in ("name", "email", "emails", "heir") else value


def meeting_without_image(failure, case, response, run):
    if case.path == "/v1/meetings/{id}/image":
        return "not-found: a new meeting has no image"


def in_or_out_of_the_trash(failure, case, response, run):
    """What is in the trash is found by `restore` alone, and nothing else is. The tool may have moved it there between
    its creation and the request that finds nothing."""
    is_trashed = bool({*(case.path_parameters or {}).values()} & run.editor.trashed)
    is_restore = name_of(case) in ("restoreMeeting", "restoreSeries")
    if is_trashed and not is_restore:
        return "not-found: the new meeting or series was moved to the trash"
    if is_restore and not is_trashed:
        return "not-found: a new meeting or series is not in the trash"


def another_resource(failure, case, response, run):
    """The tool expects a new resource behind every later path that fits, whichever id the path has."""
    named = {*(case.path_parameters or {}).values(), *map(str, (case.query or {}).values())}
    if not named & run.editor.created:
        return "not-found: the request names another resource than the new one"


def removal_of_some(failure, case, response, run):
    """These operations remove the people whom the body or the query names, not the collection of their path."""
    if failure.free.startswith("DELETE ") and failure.free.endswith(("/members", "/hosts", "/walk-ins")):
        return "not deleted: a removal by body or query leaves the others"


def restored(failure, case, response, run):
    """The tool knows no request that undoes a deletion."""
    if {*(case.path_parameters or {}).values()} & run.editor.restored:
        return "not deleted: it was restored from the trash"


def yaml_as_text(failure, case, response, run):
    if case.path == "/openapi.yaml":
        return "the tool compares parsed YAML with a schema that says text"


def event_as_object(failure, case, response, run):
    """The check `data_of_events` compares what the events contain."""
    if case.path.endswith("/live") and failure.title == "SSE event violates schema":
        return "the tool compares each event with the schema of the stream, which is text in OpenAPI 3.1"


RULES = [
    ("RejectedPositiveData", refused_with_known_faults),
    ("RejectedPositiveData", stale_tag),
    ("RejectedPositiveData", form_without_attendees),
    ("AcceptedNegativeData", spaces_at_the_ends),
    ("AcceptedNegativeData", flag_without_value),
    ("EnsureResourceAvailability", meeting_without_image),
    ("EnsureResourceAvailability", in_or_out_of_the_trash),
    ("EnsureResourceAvailability", another_resource),
    ("UseAfterFree", removal_of_some),
    ("UseAfterFree", restored),
    ("JsonSchemaError", yaml_as_text),
    ("JsonSchemaError", event_as_object),
]

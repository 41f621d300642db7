"""Runs schemathesis as one role, and collects what it finds."""

import collections
import json

import jsonschema_rs
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.engine import events, from_schema

from . import explained, roles
from .editing import Editor, name_of

PHASES = ("examples", "coverage", "fuzzing", "stateful")
# The longest sequence of requests, and the number of sequences of one pass.
SEQUENCE_STEPS = 15
SEQUENCES = 100


class Run:
    """Hooks and checks of schemathesis are global, so that one run is the current one."""
    current = None

    def __init__(self, world, role, seed):
        self.world, self.role = world, role
        self.editor = Editor(world, role, seed)
        self.statuses = collections.defaultdict(collections.Counter)
        self.explained = collections.Counter()
        # Descriptions with the commands that repeat them, by what was found and where.
        self.findings = {}

    @property
    def requests(self):
        return sum(sum(counts.values()) for counts in self.statuses.values())

    def execute(self, document, config, includes=None, progress=print):
        Run.current = self
        schema = schemathesis.openapi.from_dict(document, config=config)
        if includes:
            schema = schema.include(lambda context: includes(context.operation))
        for event in from_schema(schema).execute():
            if isinstance(event, events.PhaseFinished) and event.phase.name.value in PHASES and event.phase.is_enabled:
                progress(f"{event.phase.name.value}: {self.requests} requests, {len(self.findings)} findings")
            elif isinstance(event, events.ScenarioFinished):
                self.collect(event.recorder)
            elif isinstance(event, events.NonFatalError):
                # Also if schemathesis itself or a hook failed: the operation was not tested completely then.
                self.findings[event.info.title, event.label] = "\n".join([event.info.message, *event.info.extras])
            elif isinstance(event, events.FatalError):
                raise event.exception

    def collect(self, recorder):
        for case_id, checks in recorder.checks.items():
            for check in checks:
                if check.failure_info:
                    failure, command = check.failure_info.failure, check.failure_info.code_sample
                    response = recorder.find_response(case_id=case_id)
                    content = response.content[:600].decode(errors="replace")
                    self.findings.setdefault(
                        (failure.title, failure.operation),
                        f"{failure.message}\n{response.status_code} {content}\n{command}")


def configuration(base, seed, max_examples, phases=PHASES):
    return SchemathesisConfig.from_dict({
        "seed": seed, "base-url": base, "checks": explained.CHECKS,
        # The findings of a case must not hide those of the following cases.
        "continue-on-failure": True,
        # A stream has no end. Its first event is enough.
        "max-stream-events": 1,
        "suppress-health-check": ["all"],
        # Seconds, which a busy machine may need.
        "request-timeout": 60,
        # Repeating a failing case in smaller forms would meet another state each time.
        "generation": {"max-examples": max_examples, "no-shrink": True, "database": "none"},
        # The commands contain tokens of a service that exists only during the run.
        "output": {"sanitization": {"enabled": False}},
        "phases": {
            **{name: {"enabled": name in phases} for name in PHASES},
            "stateful": {"enabled": "stateful" in phases, "max-steps": SEQUENCE_STEPS,
                         "generation": {"max-examples": SEQUENCES}}},
    })


def schemes(case):
    return {name for way in case.operation.definition.raw.get("security", []) for name in way}


@schemathesis.auth(refresh_interval=None)
class RoleCredentials:
    """Marks the cases with credentials. `Editor` chooses them once the path is known."""

    def get(self, case, context):
        if "bearer" in schemes(case):
            return next(iter(Run.current.role.authorizations), None)
        return "Receipt none" if schemes(case) == {"receipt"} else None

    def set(self, case, data, context):
        case.headers["Authorization"] = data


@schemathesis.hook
def before_call(context, case, kwargs):
    Run.current.editor.edit(case)


@schemathesis.hook
def after_call(context, case, response):
    if case.method == case.operation.method.upper():
        Run.current.statuses[name_of(case)][response.status_code] += 1
    Run.current.editor.note(case, response)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    reasons = explained.reasons(failure, case, response, Run.current)
    Run.current.explained.update(reasons or [])
    return reasons is None


@schemathesis.check
def access_of_the_role(ctx, response, case):
    role = Run.current.role
    if "bearer" not in schemes(case) or case.method != case.operation.method.upper():
        return
    title = (roles.unconfirmed(role, name_of(case), case, response)
             or role.objection(role, name_of(case), case, response))
    if not title and any(text.encode() in response.content for text in role.secrets):
        title = "The response contains what this role must not see"
    if title:
        raise Failure(operation=case.operation.label, title=title, message=f"As {role.name}.")


@schemathesis.check
def data_of_events(ctx, response, case):
    """Compares the JSON of an event of results with the schema of the results."""
    if case.operation.path.endswith("/live") and response.status_code == 200:
        for line in response.content.decode().splitlines():
            name, _, data = line.partition(": ")
            if name != "data" or case.operation.path == "/v1/live":
                continue
            if error := results_error(case, json.loads(data)):
                raise Failure(operation=case.operation.label, title="An event violates the schema", message=error)


def results_error(case, value):
    document = case.operation.schema.raw_schema
    schema = {"$ref": "#/components/schemas/Results", "components": document["components"]}
    return next((str(error) for error in jsonschema_rs.validator_for(schema).iter_errors(value)), None)

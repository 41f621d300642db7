"""Compares a running service with its description: schemathesis over every operation of openapi.yaml, as each role.

    scripts/check-contract                           the newest build, on a private PostgreSQL, as all roles
    scripts/check-contract --roles host viewer --seed 7 --max-examples 50
    scripts/check-contract --short                   half a minute, with the same requests each time

It generates valid and invalid requests, and sequences of requests that use what earlier ones created. Any status,
header or body that the description does not have is a finding; so is an accepted invalid request, a refused valid one,
a status of 5xx, ignored authentication, and anything that a role may not do. Each is printed with the command that
repeats it.
`contract_checks/explained.py` lists what a schema cannot say.

Exit status: 0 without findings, 1 with findings, 2 for misuse.
"""

import argparse
import collections
import contextlib
import http.server
import os
import pathlib
import random
import sys
import threading
import time

import schemathesis

import page_service
from contract_checks import roles
from contract_checks.run import PHASES, Run, configuration
from contract_checks.world import World

DOCUMENT = page_service.ROOT / "Sources/HTTPAPI/Resources/openapi.yaml"
EXAMPLES = 20
SHORT_SEED = 1
SHORT_EXAMPLES = 5
SHORT_PHASES = ("examples", "fuzzing")
METHODS = {"get", "post", "put", "patch", "delete"}
# Each request names a client address, see `client.forwarded`. Webhooks are sent to this process.
OPTIONS = ["--trusted-proxies", "1", "--webhooks-to-private", "on"]


@contextlib.contextmanager
def webhook_receiver():
    """Accepts each delivery. Returns the address."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def operations(document):
    """The ids of all operations."""
    items = document["paths"].values()
    return [item[method]["operationId"] for item in items for method in item if method in METHODS]


class Check:
    """All roles' runs on one service."""

    def __init__(self, service, hook_address, options):
        self.service, self.hook_address, self.options = service, hook_address, options
        self.document = schemathesis.openapi.from_path(DOCUMENT).raw_schema
        self.operations = operations(self.document)
        self.statuses = collections.defaultdict(collections.Counter)
        self.explained = collections.Counter()
        self.findings = 0
        self.shared = None

    def run(self):
        for name in self.options.roles:
            self.run_as(name)
        self.check_operations()
        self.check_service()

    def run_as(self, name):
        began = time.monotonic()

        def progress(text):
            print(f"{name:12} {time.monotonic() - began:5.0f} s  {text}", flush=True)

        world = self.world()
        run = Run(world, roles.make(name, world), self.options.seed)
        for number, phases in enumerate(self.passes()):
            config = configuration(
                self.service.base, self.options.seed + number, self.options.max_examples, phases)
            run.execute(self.document, config, self.part(name), progress)
        for operation, counts in run.statuses.items():
            self.statuses[operation] += counts
        self.explained += run.explained
        for (title, where), text in run.findings.items():
            self.add(f"{name}: {where}: {title}", text)

    def add(self, title, text=""):
        self.findings += 1
        print(f"\nFINDING {title}\n{text}\n", flush=True)

    def passes(self):
        """The phases of each pass. schemathesis ends its sequences when a replay meets another state, so they are
        generated several times."""
        if self.options.short:
            return [SHORT_PHASES]
        return [PHASES] + [("stateful",)] * (self.options.max_examples // 2)

    def world(self):
        """A world for each role, so that none lacks what another has deleted. A short run has no time for that."""
        if not self.options.short or self.shared is None:
            self.shared = World(self.service, self.hook_address)
        return self.shared

    def part(self, name):
        """Which operations are requested as this role; None for all."""
        chosen = set(self.options.operations or self.operations)
        if self.options.short:
            number = self.options.roles.index(name)
            chosen &= set(self.operations[number::len(self.options.roles)])
        if len(chosen) == len(self.operations):
            return None
        return lambda operation: operation.definition.raw["operationId"] in chosen

    def check_operations(self):
        """Each operation was requested, and in a complete run each succeeded for one of the roles."""
        for operation in self.operations:
            counts = self.statuses[operation]
            if not counts and not self.options.operations:
                self.add(f"{operation} was never requested")
            elif self.is_complete() and not any(status < 400 for status in counts):
                self.add(f"{operation} never succeeded", f"Statuses: {dict(counts)}")

    def is_complete(self):
        return set(self.options.roles) == set(roles.NAMES) and not self.options.short and not self.options.operations

    def check_service(self):
        if self.service.process.poll() is not None:
            self.add("The service ended", f"Exit status {self.service.process.returncode}")
        log = pathlib.Path(self.service.log).read_text().splitlines()
        errors = [line for line in log if " error afterword: " in line or " critical afterword: " in line]
        if errors:
            self.add(f"The log has {len(errors)} errors", "\n".join(errors[:10]))

    def report(self):
        print("\nSorted out, because the document cannot say it:")
        for reason, count in sorted(self.explained.items()):
            print(f"{count:6}  {reason}")
        requests = sum(sum(counts.values()) for counts in self.statuses.values())
        succeeded = sum(any(status < 400 for status in counts) for counts in self.statuses.values())
        print(f"\ncontract: {requests} requests as {len(self.options.roles)} roles to {len(self.operations)} "
              f"operations, {succeeded} of which succeeded, {self.findings} findings, seed {self.options.seed}")


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/check-contract", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", metavar="FILE", help="the program (default: the newest build)")
    parser.add_argument("--seed", type=int, help="for the same generated requests again (default: a random one)")
    parser.add_argument("--max-examples", type=int, metavar="N",
                        help=f"generated requests for each operation and role (default {EXAMPLES})")
    parser.add_argument("--roles", nargs="+", choices=roles.NAMES, default=roles.NAMES, metavar="ROLE",
                        help=f"some of {', '.join(roles.NAMES)}")
    parser.add_argument("--operations", nargs="+", metavar="ID", help="some of the document's operation ids")
    parser.add_argument("--short", action="store_true", help="each operation as one role only")
    parser.add_argument("--keep", action="store_true",
                        help="keep the service with its data after findings until Enter is pressed")
    options = parser.parse_args()
    if options.max_examples is None:
        options.max_examples = SHORT_EXAMPLES if options.short else EXAMPLES
    if options.max_examples < 1:
        parser.error("--max-examples is at least 1")
    if options.seed is None:
        options.seed = SHORT_SEED if options.short else random.randrange(1_000_000)
    return options


def main():
    options = arguments()
    if options.binary:
        os.environ["AFTERWORD"] = str(pathlib.Path(options.binary).resolve())
    with page_service.service(options=OPTIONS) as service, webhook_receiver() as hook_address:
        check = Check(service, hook_address, options)
        check.run()
        check.report()
        if check.findings and options.keep:
            input(f"The service runs at {service.base}. Press Enter to end it.")
    return 1 if check.findings else 0


if __name__ == "__main__":
    sys.exit(main())

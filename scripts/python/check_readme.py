"""Runs the commands of README.md in order, in one shell and a temporary folder, and compares the replies.

A fenced block `sh` is run. If the next block is `json`, `text` or `csv`, it is the expected reply. Blocks `shell` are
only examples. `make run` and `afterword serve` start a service, whose output line is compared too; the first one keeps
running for the following commands. Ids, tokens, codes and receipts are compared by identity: equal ones must be equal
in both. Times and digests always count as equal, unless a command contains them.
"""

import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
SERVE = re.compile(r"^(?:make run|afterword serve)\b(.*)$", re.S)
PRINTED_PORT = "8080"
TIMEOUT = 120


class Difference(Exception):
    pass


class Masks:
    """Replaces values that differ from run to run by names, numbered in order of appearance."""

    KINDS = [
        # A session's token has a second part.
        ("token", re.compile(r"\baw_[\w-]{43}(\.[\w-]{22})?(?![\w-])")),
        ("id", re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")),
        ("digest", re.compile(r"\bsha-256=:[\w+/=]+:")),
        ("time", re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")),
        ("receipt", re.compile(r"(?<![\w-])[\w-]{64}(?![\w-])")),
    ]
    CODES = {
        "code": re.compile(r"[0-9a-z]{13}"), "checkInCode": re.compile(r"[0-9a-z]{13}"),
        "joinCode": re.compile(r"[0-9a-z]{8}"),
    }
    ADDRESS = re.compile(r"(/[cfsp]/)([0-9a-z]{13})\b")

    def __init__(self, fixed: str):
        self.fixed = fixed
        self.names: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def name(self, kind: str, value: str) -> str:
        if value in self.fixed:
            return value
        if kind in ("time", "digest"):
            return f"<{kind}>"
        if value not in self.names:
            self.counts[kind] = self.counts.get(kind, 0) + 1
            self.names[value] = f"<{kind} {self.counts[kind]}>"
        return self.names[value]

    def text(self, text: str) -> str:
        for kind, pattern in self.KINDS:
            text = pattern.sub(lambda match: self.name(kind, match[0]), text)
        text = self.ADDRESS.sub(lambda match: match[1] + self.name("code", match[2]), text)
        for value, name in self.names.items():
            text = text.replace(value, name)
        return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())

    def json(self, text: str) -> str:
        """Several JSON values in sequence, each in canonical form. The order of members is preserved."""
        decoder, at, values = json.JSONDecoder(object_pairs_hook=self.members), 0, []
        while text[at:].strip():
            at += len(text[at:]) - len(text[at:].lstrip())
            value, at = decoder.raw_decode(text, at)
            values.append(json.dumps(value, indent=2, ensure_ascii=False))
        return self.text("\n".join(values))

    def members(self, pairs: list) -> dict:
        for key, value in pairs:
            if key in self.CODES and isinstance(value, str) and self.CODES[key].fullmatch(value):
                self.name(key, value)
        if len(dict(pairs)) != len(pairs):
            raise Difference("an object contains a member twice")
        return dict(pairs)


class Lines:
    """The lines of a stream. A thread reads them, so that waiting for one can time out."""

    def __init__(self, stream):
        self.queue: queue.Queue = queue.Queue()
        threading.Thread(target=self.read, args=[stream], daemon=True).start()

    def read(self, stream) -> None:
        for line in stream:
            self.queue.put(line)
        self.queue.put(None)

    def next(self) -> str | None:
        try:
            return self.queue.get(timeout=TIMEOUT)
        except queue.Empty:
            raise Difference(f"there was no output for {TIMEOUT} s")


class Shell:
    """One bash process for all blocks, so that variables are kept."""

    MARK = "--- end of block ---"

    def __init__(self, folder: pathlib.Path, environment: dict):
        self.script, self.messages = folder.parent / "block", folder.parent / "messages"
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-o", "pipefail"], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.messages.open("w"))
        self.lines = Lines(self.process.stdout)

    def run(self, commands: str) -> str:
        self.script.write_text(commands)
        self.process.stdin.write(f". '{self.script}' </dev/null; printf '\\n%s %d\\n' '{self.MARK}' $?\n")
        self.process.stdin.flush()
        output = ""
        while not (line := self.lines.next() or "").startswith(self.MARK):
            if not line:
                raise Difference("the shell exited")
            output += line
        if (status := int(line.split()[-1])) != 0:
            raise Difference(f"the block exited with status {status}:\n{output}{self.messages.read_text()}")
        return output[:-1]


class Service:
    def __init__(self, binary: str, options: str, folder: pathlib.Path, environment: dict):
        self.process = subprocess.Popen(
            f"exec '{binary}' serve --port 0 --public-url http://127.0.0.1:{PRINTED_PORT} {options}", shell=True, cwd=folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=(folder.parent / "service").open("w"))
        self.line = Lines(self.process.stdout).next()
        if not self.line:
            raise Difference("the service did not start:\n" + (folder.parent / "service").read_text())
        self.port = self.line.strip().rsplit(":", 1)[-1]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        if (status := self.process.wait(timeout=TIMEOUT)) != 0:
            raise Difference(f"the service exited with status {status}")


def blocks(readme: str) -> list[tuple[int, str, str, str]]:
    """The line, commands, kind of reply and reply of each block that is run."""
    found = list(FENCE.finditer(readme))
    runs = []
    for index, match in enumerate(found):
        kind, text = match[1], match[2]
        if kind not in ("sh", "shell", "json", "text", "csv"):
            raise Difference(f"a block of kind \"{kind}\" is neither run nor compared")
        if kind != "sh":
            continue
        after = found[index + 1] if index + 1 < len(found) else None
        follows = after and not readme[match.end() : after.start()].strip() and after[1] in ("json", "text", "csv")
        runs.append((readme.count("\n", 0, match.start()) + 2, text, after[1] if follows else "", after[2] if follows else ""))
    return runs


def compare(kind: str, printed: str, actual: str, masks: tuple[Masks, Masks]) -> None:
    try:
        wanted, got = [getattr(mask, "json" if kind == "json" else "text")(text) for mask, text in zip(masks, (printed, actual))]
    except json.JSONDecodeError as error:
        raise Difference(f"the reply is not JSON ({error}):\n{actual}")
    if wanted != got:
        raise Difference(f"printed in the README:\n{wanted}\n\nactual:\n{got}\n\nactual, unmasked:\n{actual}")


def check(readme: str, binary: pathlib.Path, place: pathlib.Path) -> str:
    root, folder = pathlib.Path.cwd(), place / "afterword"
    (folder / ".build").mkdir(parents=True)
    (folder / ".build/debug").symlink_to(binary.parent)
    for name in ("examples", "Tests"):
        (folder / name).symlink_to(root / name)
    if not re.search(r'^run:.*(?:\n\t.*)*\n\t@exec .*/afterword" serve \$\(ARGS\)$', (root / "Makefile").read_text(), re.M):
        raise Difference("make run does not end with afterword serve")
    environment = {key: value for key, value in os.environ.items() if not re.match("AFTERWORD_|PG|LLVM_PROFILE", key)}
    environment |= {
        # The socket of the private cluster also serves as the user's own PostgreSQL.
        "AFTERWORD_DATA": "./.afterword", "PGHOST": str(folder / ".afterword/run"), "PGUSER": "afterword",
        "LLVM_PROFILE_FILE": str(place / "%p.profraw"), "LC_ALL": "C.UTF-8",
    }
    runs = blocks(readme)
    fixed = "\n".join(commands for _, commands, _, _ in runs)
    masks = (Masks(fixed), Masks(fixed))
    shell, first, compared = Shell(folder, environment), None, 0
    try:
        for line, commands, kind, printed in runs:
            try:
                if serve := SERVE.match(commands.replace("\\\n", " ").strip()):
                    service = Service(str(binary), serve[1], folder, environment)
                    actual = service.line.replace(f":{service.port}", f":{PRINTED_PORT}")
                    if first:
                        service.stop()
                    else:
                        first = service
                else:
                    port = first.port if first else PRINTED_PORT
                    actual = shell.run(commands.replace(f":{PRINTED_PORT}", f":{port}"))
                    actual = actual.replace(f":{port}", f":{PRINTED_PORT}")
                if kind:
                    compare(kind, printed, actual, masks)
                    compared += 1
            except Difference as difference:
                raise Difference(f"README.md, line {line}: {difference}")
        if not first or not compared:
            raise Difference("README.md starts no service or shows no reply")
        first.stop()
        return f"README.md: {len(runs)} command blocks ran, {compared} replies match."
    finally:
        shell.process.kill()
        if first and first.process.poll() is None:
            first.process.send_signal(signal.SIGTERM)
            first.process.wait(timeout=TIMEOUT)


place = pathlib.Path(tempfile.mkdtemp(prefix="afterword-readme-"))
# As root, the private cluster runs as another user, which must be able to enter the folder.
place.chmod(0o755)
try:
    print(check(pathlib.Path("README.md").read_text(), pathlib.Path(sys.argv[1]).resolve(), place))
except Difference as difference:
    sys.exit(str(difference))
finally:
    shutil.rmtree(place, ignore_errors=True)

"""Fails on broken links in the documents, on tests that they name and that do not exist, and on outdated parts.

`check_docs.py --write` updates these parts: the diagram of targets in docs/architecture.md, by Package.swift, the
summary in docs/asvs.md, by its lines, and the times of fuzzing in docs/security.md, by Fuzzing/hours.json.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import fuzz_targets

# Pages whose claims are shown by tests and by checks of pages.
SHOWN_BY_TESTS = ["docs/threat-model.md", "docs/asvs.md"]
TEST = re.compile(r"`([A-Z]\w+\.[a-z]\w+)`")
FILES = (".swift", ".mustache", ".resolved")
PAGE_CHECK = re.compile(r"`([a-z]+(?:_[a-z]+){2,})`")
SUITES_AND_TESTS = re.compile(
    r"^(?:@\w+(?:\([^\n]*\))?\s+|private |final )*(?:struct|class|enum|extension)\s+(\w+)"
    r"|^\s+@Test\b(?:.|\n)*?\bfunc\s+(\w+)", re.M)
ASVS_LINE = re.compile(r"^\| (\d+)\.\d+\.\d+ \| [12] \| .*? \| \**(met|partly|not|n\.a\.)\** \|", re.M)
STATES = ["met", "partly", "not", "n.a."]
faults: list[str] = []


def heading_anchor(text: str) -> str:
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(path: pathlib.Path) -> set[str]:
    return {heading_anchor(line.lstrip("#")) for line in path.read_text().splitlines() if line.startswith("#")}


def check_links(path: pathlib.Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists():
            faults.append(f"{path}: {target} does not exist")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            faults.append(f"{path}: {target}: there is no such heading")


def names(dependency: dict) -> list[str]:
    """The name of a dependency. The name of a product of another package matches no target here."""
    return [(dependency.get("byName") or dependency.get("target") or [""])[0]]


def reachable(name: str, arrows: dict[str, list[str]]) -> set[str]:
    return {name}.union(*(reachable(next, arrows) for next in arrows[name]))


def targets() -> str:
    """The targets of Package.swift except those of tests and benchmarks, without redundant arrows."""
    with tempfile.TemporaryDirectory() as scratch:
        # A separate folder, because a build may have locked the usual one.
        command = ["swift", "package", "--scratch-path", scratch, "dump-package"]
        dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    parts = [part for part in json.loads(dump)["targets"]
             if part["type"] != "test" and not (part.get("path") or "").startswith(("Tests/", "Benchmarks/"))]
    own = {part["name"] for part in parts}
    arrows = {part["name"]: [name for given in part["dependencies"] for name in names(given) if name in own] for part in parts}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {part['name']}[({part['name']})]" for part in parts if part["type"] == "system"]
    for name, direct in arrows.items():
        indirect = [reachable(other, arrows) - {other} for other in direct]
        lines += [f"    {name} --> {other}" for other in direct if not any(other in others for others in indirect)]
    return "\n".join(lines + ["```"]) + "\n"


def asvs_summary(text: str) -> str:
    """The number of requirements in each state, by chapter."""
    names = dict(re.findall(r"^### V(\d+) (.*)$", text, re.M))
    counts = collections.Counter(ASVS_LINE.findall(text))
    rows = [[f"V{number} {name}", *(counts[number, state] for state in STATES)] for number, name in names.items()]
    rows.append(["all", *(sum(row[column] for row in rows) for column in range(1, len(STATES) + 1))])
    lines = [["chapter", *STATES], ["---"] * (len(STATES) + 1), *rows]
    return "".join("| " + " | ".join(str(cell or "–") for cell in line) + " |\n" for line in lines)


def generate(file: str, mark: str, content: str) -> None:
    """Replaces what is between two marks of a document, or reports that it is outdated."""
    path = pathlib.Path(file)
    old = path.read_text()
    marks = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.S)
    new = marks.sub(lambda match: match[1] + content + match[2], old)
    if "--write" in sys.argv:
        path.write_text(new)
    elif old != new or not marks.search(old):
        faults.append(f"{file}: the part {mark} is outdated: run python3 scripts/python/check_docs.py --write")


def tests() -> set[str]:
    """All tests as `Suite.test`."""
    found = set()
    for path in pathlib.Path("Tests").rglob("*.swift"):
        suite = ""
        for name, test in SUITES_AND_TESTS.findall(path.read_text()):
            suite = name or suite
            if test:
                found.add(f"{suite}.{test}")
    return found


def check_tests() -> None:
    known, pages = tests(), "".join(path.read_text() for path in pathlib.Path("scripts/python/page_checks").glob("*.py"))
    for file in SHOWN_BY_TESTS:
        text = pathlib.Path(file).read_text()
        for name in sorted(set(TEST.findall(text)) - known - {"Suite.test"}):
            if not name.endswith(FILES):
                faults.append(f"{file}: there is no test {name}")
        for name in sorted(set(PAGE_CHECK.findall(text))):
            if f"def {name}(" not in pages:
                faults.append(f"{file}: there is no page check {name}")


generate("docs/architecture.md", "targets", targets())
generate("docs/asvs.md", "asvs", asvs_summary(pathlib.Path("docs/asvs.md").read_text()))
generate("docs/security.md", "fuzzing", fuzz_targets.summary())
check_tests()
for document in [*pathlib.Path(".").glob("*.md"), *pathlib.Path("docs").glob("*.md")]:
    check_links(document)
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)

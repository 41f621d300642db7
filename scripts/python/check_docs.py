"""Fails on broken links in the documents, and if the diagram of targets does not match Package.swift.

`check_docs.py --write` updates the diagram in docs/architecture.md.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

MARKS = re.compile(r"(<!-- targets -->\n).*?(<!-- /targets -->)", re.S)
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


architecture = pathlib.Path("docs/architecture.md")
old = architecture.read_text()
new = MARKS.sub(lambda match: match[1] + targets() + match[2], old)
if "--write" in sys.argv:
    architecture.write_text(new)
elif old != new or not MARKS.search(old):
    faults.append("docs/architecture.md: the diagram does not match Package.swift: run python3 scripts/python/check_docs.py --write")
for document in [*pathlib.Path(".").glob("*.md"), *pathlib.Path("docs").glob("*.md")]:
    check_links(document)
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)

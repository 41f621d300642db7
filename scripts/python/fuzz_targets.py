"""The fuzz targets, and what is recorded of their runs in Fuzzing/hours.json."""

import ast
import base64
import dataclasses
import json

from fuzz_build import ROOT

FUZZING = ROOT / "Fuzzing"
HOURS = FUZZING / "hours.json"


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    about: str
    max_length: int = 512


TARGETS = [
    Target("json", "StrictJSON: parsing, writing, reading of members", 1024),
    Target("answers", "submissions to a form with every kind of question", 1024),
    Target("builder", "what a host types into the page of a form, and lists of people"),
    Target("forms", "definitions of forms and the bodies that hosts send", 1536),
    Target("csv", "CSV files, in chunks of any size"),
    Target("cursors", "cursors, receipts and personal links"),
    Target("mails", "mails from addresses and texts"),
    Target("multipart", "forms with files", 1024),
    Target("query", "queries and form fields", 256),
    Target("images", "headers and cleaning of JPEG, PNG and WebP", 4096),
    Target("headers", "languages, tags, media types, credentials, addresses, cookies, hosts", 192),
    Target("times", "RFC 3339, local times in time zones, moments, days", 64),
    Target("requests", "the shortcut's reading of HTTP heads, compared with llhttp", 1024),
    Target("urls", "URLs of webhooks and network addresses", 256),
    Target("words", "search in texts, and their words, by ICU"),
]


def corpus_file(target):
    return FUZZING / "Corpus" / f"{target.name}.txt"


def seeds(target):
    """The inputs that people wrote, a literal of Python in each line."""
    return [ast.literal_eval(line) for line in (FUZZING / "Seeds" / f"{target.name}.txt").read_text().splitlines()]


def stored_inputs(target):
    file = corpus_file(target)
    derived = [base64.b64decode(line) for line in file.read_text().split()] if file.exists() else []
    return seeds(target) + derived


def recorded():
    return json.loads(HOURS.read_text()) if HOURS.exists() else {}


def record(result):
    """Adds the processor time of a run, because other programs can have most of the time on the clock."""
    hours = recorded()
    entry = hours.setdefault(result.target.name, {"processorSeconds": 0, "runs": 0})
    entry["processorSeconds"] = round(entry["processorSeconds"] + result.processor_seconds)
    entry["runs"] += result.executions
    entry["edges"], entry["features"] = result.edges[1], result.features[1]
    HOURS.write_text(json.dumps(dict(sorted(hours.items())), indent=2) + "\n")


def total():
    hours = recorded().values()
    seconds = sum(entry["processorSeconds"] for entry in hours)
    return f"{seconds / 3600:.1f} hours of processor time and {sum(entry['runs'] for entry in hours):,} runs"


def summary():
    """The part of docs/security.md about the recorded runs, which check_docs.py writes."""
    lines = [f"Recorded so far: {total()}.", "",
             "| target | what it reads | minutes | runs | edges reached |", "| --- | --- | ---: | ---: | ---: |"]
    hours = recorded()
    for target in TARGETS:
        entry = hours.get(target.name, {"processorSeconds": 0, "runs": 0, "edges": 0})
        lines.append(f"| `{target.name}` | {target.about} | {entry['processorSeconds'] / 60:.0f} "
                     f"| {entry['runs']:,} | {entry['edges']:,} |")
    return "\n".join(lines) + "\n"

#!/usr/bin/env python3
"""Runs the tests with the thread or the address sanitizer, and prints each finding once.

    scripts/sanitize thread                       races of all tests, about an hour
    scripts/sanitize address                      memory errors
    scripts/sanitize thread --filter StoreTests   some tests, by swift test's regular expression
    scripts/sanitize thread --self-test           shows that a race is reported, and a contended lock is not

Builds for debugging, into .build-thread or .build-address. Known reports that are no faults are in
scripts/sanitizers/*.supp, with their reasons. Tests with limits of time may fail, because the sanitizers slow
everything down; only findings decide here, and the failed tests are printed.

Exit status: 0 without findings, 1 with some, 2 for misuse or if the tests cannot be built or do not end.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ROOT / "scripts" / "sanitizers"
SUMMARY = re.compile(r"^SUMMARY: \w+Sanitizer: (.*)$", re.M)


class Failure(Exception):
    pass


def run(command, **options):
    if subprocess.run(command, cwd=ROOT, **options).returncode:
        raise Failure(f"{' '.join(map(str, command))} failed.")


def compiler(name):
    """Returns a program of the Swift toolchain, which may not be in PATH itself."""
    swift = pathlib.Path(shutil.which("swift") or "swift").resolve()
    found = swift.parent / name
    return str(found) if found.exists() else name


def options(sanitizer, log, suppressions=True):
    if sanitizer == "address":
        # The tests end while services of the process are still alive, which would count as leaks.
        return {"ASAN_OPTIONS": f"log_path={log}:detect_leaks=0:suppressions={PARTS / 'address.supp'}"}
    known = f":suppressions={PARTS / 'thread.supp'}" if suppressions else ""
    # Reports do not end the process.
    return {"TSAN_OPTIONS": f"log_path={log}:halt_on_error=0:exitcode=0:report_signal_unsafe=0{known}"}


def preloaded(folder):
    """Builds the library that shows the thread sanitizer what `Mutex` does."""
    library = folder / "mutex.so"
    run([compiler("clang"), "-shared", "-fPIC", "-O1", "-o", library, PARTS / "mutex.c", "-ldl"])
    return {"LD_PRELOAD": str(library)}


def findings(folder):
    """Returns the number of reports by their summary, and the first report of each."""
    counts, examples = collections.Counter(), {}
    for path in sorted(folder.glob("log.*")):
        for report in re.split(r"^={18,}$", path.read_text(errors="replace"), flags=re.M):
            for summary in SUMMARY.findall(report):
                # Without addresses in the binary, which differ for the same place.
                place = re.sub(r"\(.*?\+0x[0-9a-f]+\)", "", summary).strip()
                counts[place] += 1
                examples.setdefault(place, report.strip())
    return counts, examples


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "contention"
        run(["swiftc", "-swift-version", "6", "-sanitize=thread", "-g", "-o", program, PARTS / "contention.swift"])
        seen = []
        for arguments in ([], ["race"]):
            environment = os.environ | options("thread", folder / "log", suppressions=False) | preloaded(folder)
            run([program, *arguments], env=environment)
            seen.append(bool(findings(folder)[0]))
        if seen != [False, True]:
            raise Failure(f"Reported without and with a race: {seen}, expected [False, True].")
    print("A race is reported, and a contended lock is not.")
    return 0


def tests(sanitizer, chosen, width):
    scratch = f".build-{sanitizer}"
    build = [f"--sanitize={sanitizer}", "--scratch-path", scratch]
    run(["swift", "build", "--build-tests", *build])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = os.environ | options(sanitizer, folder / "log")
        environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = str(width)
        if sanitizer == "thread":
            environment |= preloaded(folder)
        command = ["swift", "test", "--skip-build", *build] + (["--filter", chosen] if chosen else [])
        output = subprocess.run(command, cwd=ROOT, env=environment, text=True, errors="replace",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
        failed = sorted(set(re.findall(r"^✘ Test (\w+\(.*?\)) .*failed", output, re.M)))
        ended = re.search(r"Test run with .*", output)
        counts, examples = findings(folder)
    for place, count in counts.most_common():
        print(f"\n{count} × {place}\n{examples[place]}")
    if failed:
        print(f"\nFailed tests: {', '.join(failed)}")
    if not ended and not counts:
        raise Failure(output[-4000:] + "\nThe tests did not end.")
    print(f"\n{ended.group() if ended else 'The tests did not end.'}\n{len(counts)} different findings.")
    return 1 if counts else 0


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/sanitize", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sanitizer", choices=["thread", "address"])
    parser.add_argument("--filter", help="only tests that match this regular expression")
    parser.add_argument("--width", type=int, default=4, help="tests at once (4)")
    parser.add_argument("--self-test", action="store_true", help="try the sanitizer itself (thread only)")
    arguments = parser.parse_args()
    if arguments.self_test and arguments.sanitizer != "thread":
        parser.error("--self-test is for the thread sanitizer")
    try:
        return self_test() if arguments.self_test else tests(arguments.sanitizer, arguments.filter, arguments.width)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""Fuzzes the parsers of untrusted bytes with libFuzzer and the address sanitizer.

    scripts/fuzz --list
    scripts/fuzz --seconds 3600 --record        all targets by turns, an hour in all
    scripts/fuzz --only json csv --seconds 60
    scripts/fuzz --short                        the corpus and a few thousand runs of each, 20 seconds at most
    scripts/fuzz --only json --input FILE       one input again, such as a stored crash
    scripts/fuzz --minimize                     the corpus again as few small inputs as have the same coverage

A target fails on a trap, a report of the sanitizer, an input that takes 5 seconds, a leak, 2 GB of memory, or a broken
law of its own, such as: what is read is written as a text that is read as the same. The failing input is stored in
.build-fuzz/found and printed. The targets are in Fuzzing/Targets, written inputs in Fuzzing/Seeds, and derived ones in
Fuzzing/Corpus: a line in base64 for each. Inputs with new coverage are added to the corpus of this machine
(.build-fuzz/corpus); --minimize takes them into the repository. --record adds the processor time of this run to
Fuzzing/hours.json, which scripts/python/check_docs.py --write shows in docs/security.md.

Exit status: 0 if no target fails, 1 if one does, 2 for misuse or if the targets cannot be built.
"""

import argparse
import base64
import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from fuzz_build import BUILD, ROOT, Build, BuildError
from fuzz_targets import FUZZING, TARGETS, Target, corpus_file, record, seeds, stored_inputs, total

TIMEOUT = 5
MEMORY = 2048
# The inputs in the repository, in base64, have at most this size in all.
MAX_CORPUS = 200_000
SHORT_SECONDS = 20
SHORT_RUNS = 4000


@dataclasses.dataclass
class Result:
    target: Target
    executions: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    # Edges and features (edges with counts of execution and compared values), at the start and at the end.
    edges: tuple = (0, 0)
    features: tuple = (0, 0)
    # The end of the output of a failed run.
    failure: str = ""

    def line(self):
        growth = f"edges {self.edges[0]} → {self.edges[1]}, features {self.features[0]} → {self.features[1]}"
        end = "FAILED" if self.failure else "ok"
        times = f"{self.seconds:6.1f} s ({self.processor_seconds:.1f} s of processor time)"
        return f"{self.target.name:10} {self.executions:>10,} runs in {times}   {growth}   {end}"


def unpack(target, quick):
    """The corpus as a folder of files, to which libFuzzer adds. A short run does not keep what it finds."""
    folder = BUILD / ("short" if quick else "corpus") / target.name
    if quick:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    for data in stored_inputs(target):
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return folder


def environment(target):
    return {**os.environ, "AFTERWORD_FUZZ": target.name,
            # The sanitizer's own report is shorter, and Swift's takes seconds.
            "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}


@dataclasses.dataclass
class Run:
    status: int
    output: str
    processor_seconds: float


def fuzzer(program, target, *arguments, timeout=TIMEOUT, limits=True):
    command = [program]
    if limits:
        command += [f"-timeout={timeout}", f"-rss_limit_mb={MEMORY}", f"-max_len={target.max_length}"]
        dictionary = FUZZING / "Dictionaries" / f"{target.name}.dict"
        if dictionary.exists():
            command.append(f"-dict={dictionary}")
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([*map(str, command), *map(str, arguments)], env=environment(target), cwd=BUILD,
                                   stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Run(process.returncode, text, usage.ru_utime + usage.ru_stime)


def fuzz(program, target, seconds, runs, options):
    found = BUILD / "found" / target.name
    found.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={max(1, int(seconds))}", *([f"-runs={runs}"] if runs else [])]
    start = time.monotonic()
    run = fuzzer(program, target, f"-artifact_prefix={found}/", "-print_final_stats=1", "-use_value_profile=1",
                 *limits, unpack(target, options.short), timeout=options.timeout)
    result = Result(target, seconds=time.monotonic() - start, processor_seconds=run.processor_seconds)
    read_statistics(result, run.output)
    if run.status:
        result.failure = describe(run.output)
    return result


def read_statistics(result, output):
    steps = re.findall(r"^#(\d+)\s+(\S+)\s+cov: (\d+) ft: (\d+)", output, re.M)
    if steps:
        first = next((step for step in steps if step[1] == "INITED"), steps[0])
        result.executions = int(steps[-1][0])
        result.edges = (int(first[2]), int(steps[-1][2]))
        result.features = (int(first[3]), int(steps[-1][3]))
    if units := re.search(r"stat::number_of_executed_units:\s*(\d+)", output):
        result.executions = int(units[1])


def describe(output):
    """The reason of a failure, the frames of this project, and the input."""
    lines = []
    for pattern in [r"^Broken law: .*", r"^Fatal error: .*", r"^\S*: Fatal error: .*", r"^==\d+== ?ERROR: .*",
                    r"^SUMMARY: .*", r"^Direct leak of .*"]:
        lines += [line for line in re.findall(pattern, output, re.M) if line not in lines]
    frames = [line.strip() for line in re.findall(r"^\s+#\d+ .*", output, re.M) if str(ROOT) in line]
    lines += frames[:12]
    if unit := re.search(r"Test unit written to (\S+)", output):
        path = (BUILD / unit[1]).resolve()
        data = path.read_bytes()
        lines += [f"input: {path.relative_to(ROOT)}", f"base64: {base64.b64encode(data[:3000]).decode()}",
                  f"text: {data[:1000]!r}"]
    return "\n".join("    " + line for line in lines) or output[-3000:]


def minimize(program, target):
    """Writes as few inputs as have the coverage of all, without those that would make the corpus too large."""
    folder = unpack(target, quick=False)
    small = BUILD / "merged" / target.name
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir(parents=True)
    done = fuzzer(program, target, "-set_cover_merge=1", small, folder)
    if done.status:
        raise BuildError(f"{target.name}: merging failed\n{done.output[-2000:]}")
    inputs = sorted((file.read_bytes() for file in small.iterdir()), key=lambda data: (len(data), data))
    lines, size, written = [], 0, seeds(target)
    for data in inputs:
        line = base64.b64encode(data).decode() + "\n"
        if data and data not in written and size + len(line) <= MAX_CORPUS // len(TARGETS):
            lines.append(line)
            size += len(line)
    corpus_file(target).parent.mkdir(exist_ok=True)
    corpus_file(target).write_text("".join(lines))
    print(f"{target.name:10} {len(list(folder.iterdir()))} inputs, {len(inputs)} with the same coverage, "
          f"{len(lines)} kept")


def run_all(program, targets, options):
    seconds = SHORT_SECONDS if options.short else options.seconds
    jobs = max(1, options.jobs)
    share = seconds * min(jobs, len(targets)) / len(targets)
    # Starting the program and reading the corpus take part of a short run.
    share = share - 0.6 if options.short else share
    runs = SHORT_RUNS if options.short else None
    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(fuzz, program, target, share, runs, options) for target in targets]
        for task in concurrent.futures.as_completed(tasks):
            results.append(task.result())
            if options.record:
                record(results[-1])
            print(results[-1].line(), *([results[-1].failure] if results[-1].failure else []), sep="\n", flush=True)
    return results


def parse_arguments():
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="the time of all targets together (600)")
    parser.add_argument("--only", nargs="+", metavar="TARGET", choices=[target.name for target in TARGETS])
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (1)")
    parser.add_argument("--list", action="store_true", help="print the targets")
    parser.add_argument("--short", action="store_true", help="for continuous integration")
    parser.add_argument("--record", action="store_true", help="add the time to Fuzzing/hours.json")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds of an input, more on a busy machine (5)")
    parser.add_argument("--minimize", action="store_true", help="write the corpus of the repository again")
    parser.add_argument("--input", type=pathlib.Path, metavar="FILE", help="run one input")
    return parser, parser.parse_args()


def main():
    parser, options = parse_arguments()
    targets = [target for target in TARGETS if not options.only or target.name in options.only]
    if options.list:
        for target in targets:
            print(f"{target.name:10} {len(stored_inputs(target)):>4} inputs   {target.about}")
        print(f"Recorded so far: {total()}")
        return 0
    if options.input and len(targets) != 1:
        parser.error("--input needs one target: --only TARGET")
    program = Build(quick=options.short).build()
    if options.input:
        done = fuzzer(program, targets[0], options.input.resolve(), limits=False)
        print(done.output)
        return done.status != 0
    if options.minimize:
        for target in targets:
            minimize(program, target)
        return 0
    results = run_all(program, targets, options)
    return any(result.failure for result in results)


if __name__ == "__main__":
    try:
        sys.exit(1 if main() else 0)
    except BuildError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)

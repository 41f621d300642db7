"""What single operations of the service cost, in counts that repeat on any machine: instructions, allocations, retains
and releases.

Each operation runs twice, with two numbers of repetitions. The difference is what the repetitions cost, without the
program's start.
"""
import concurrent.futures, os, subprocess, sys

from bench import callgrind, options

# Before the repetitions that are counted, so that caches are full and types are known to the runtime.
FIRST = 110
FIRST_IN_SHORT = 1
# The short form counts only these and runs the others without counting, because valgrind takes a second for each start.
COUNTED_IN_SHORT = ["decode", "batch-of-64"]
COLUMNS = ("instructions", "allocations", "retains", "releases")


def program(bench):
    """In the short form, whose figures mean nothing, also a program that was built with other options."""
    beside = bench.program and os.path.join(os.path.dirname(bench.program), "MicroBenchmarks")
    return beside if bench.options.short and beside and os.path.exists(beside) else options.built_micro_benchmarks()


def uncounted(built, *arguments):
    """Runs the program without counting, and returns the words that it prints."""
    environment = {**os.environ, **callgrind.ENVIRONMENT}
    done = subprocess.run([built, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return done.stdout.split()


def operations(built, wanted):
    found = uncounted(built, "list")
    for name in wanted or []:
        if name not in found:
            sys.exit(f"There is no operation `{name}`; the operations are {', '.join(found)}.")
    return [name for name in found if not wanted or name in wanted]


def measure(bench):
    built, repetitions = callgrind.stripped(program(bench), bench.folder), bench.options.repetitions
    names, first = operations(built, bench.options.operations), FIRST
    if bench.options.short:
        for name in names:
            uncounted(built, name, "1")
        names, first = [name for name in names if name in COUNTED_IN_SHORT] or names, FIRST_IN_SHORT
    swift = subprocess.run([options.SWIFT, "--version"], check=True, capture_output=True, text=True)
    bench.results.machine |= {"swift": swift.stdout.splitlines()[0], "valgrind": callgrind.version()}
    print(f"  {bench.results.machine['swift']}, {bench.results.machine['valgrind']}\n", flush=True)
    row = "  | {:17} |" + " {:>12} |" * len(COLUMNS)
    print(row.format("operation", *COLUMNS) + "\n" + row.format("-" * 17, *["-" * 11 + ":"] * len(COLUMNS)), flush=True)
    # Side by side, because other work on the machine does not change what is counted.
    pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))

    def count(name, times):
        return pool.submit(callgrind.count, [built, name, str(times)], bench.folder)
    try:
        runs = [(name, count(name, first), count(name, first + repetitions)) for name in names]
        for name, few, many in runs:
            each = {column: (many.result()[column] - few.result()[column]) / repetitions for column in COLUMNS}
            bench.results.record("micro", operation=name, repetitions=repetitions, **each)
            print(row.format(name, f"{each['instructions']:,.0f}", *(f"{each[column]:,.1f}" for column in COLUMNS[1:])),
                  flush=True)
    finally:
        # After a failure or a signal, what has not begun is left out.
        pool.shutdown(cancel_futures=True)

"""The command line."""

import argparse
import pathlib
import random
import shutil
import subprocess

from chaos.kinds import KINDS

# With --short, the data is in memory if this much is free, as in the tests. Kills lose nothing there either.
MEMORY, MEMORY_BYTES = "/dev/shm", 4 << 30
SHORT_LOAD = 0.8
ROOT = pathlib.Path(__file__).resolve().parents[3]


def parse(text):
    parser = argparse.ArgumentParser(
        prog="scripts/chaos", description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", metavar="FILE", help="the program (default: the newest build)")
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="rounds that count (default 20)")
    parser.add_argument("--seconds", type=float, default=1.5, metavar="S", help="load of each round (default 1.5)")
    parser.add_argument("--clients", type=int, default=16, metavar="N", help="submitting clients (default 16)")
    parser.add_argument("--seed", type=int, help="of the sequence of kinds and moments (default: random, and printed)")
    parser.add_argument("--only", metavar="KIND,…", help="only these kinds")
    parser.add_argument("--list", action="store_true", help="list the kinds and end")
    parser.add_argument("--json", metavar="FILE", help="write the results to a file")
    parser.add_argument("--sum", nargs="+", metavar="FILE", help="print one table of such files and end")
    parser.add_argument("--folder", metavar="FOLDER",
                        help="parent of the data folders (default: the temporary one); rounds are shorter on /dev/shm")
    parser.add_argument("--short", action="store_true", help="some rounds of the main kinds, within 45 seconds")
    parser.add_argument("--self-test", action="store_true",
                        help="spoil the database on purpose, and show that every check reports it")
    options = parser.parse_args()
    options.only = [name.strip() for name in options.only.split(",")] if options.only else []
    if unknown := [name for name in options.only if name not in KINDS]:
        parser.error(f"there is no kind {', '.join(unknown)}; --list shows them")
    if options.rounds < 1 or options.clients < 1 or not 0.3 <= options.seconds <= 60:
        parser.error("--rounds and --clients are at least 1, --seconds is from 0.3 to 60")
    if options.short:
        options.seconds = min(options.seconds, SHORT_LOAD)
        options.folder = options.folder or memory_folder()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000_000)
    if not options.list and not options.sum:
        options.binary = options.binary or newest_build()
    return options


def newest_build():
    found = subprocess.run([ROOT / "scripts/newest-build", "afterword"], capture_output=True, text=True)
    if found.returncode:
        raise SystemExit(found.stderr.strip())
    return str(ROOT / found.stdout.strip())


def memory_folder():
    try:
        return MEMORY if shutil.disk_usage(MEMORY).free >= MEMORY_BYTES else None
    except OSError:
        return None

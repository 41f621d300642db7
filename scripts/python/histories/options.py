"""The command line."""

import argparse
import random

from chaos.options import memory_folder, newest_build
from histories.faults import FAULTS

SECONDS, SHORT_SECONDS = 1.5, 0.8


def parse(text):
    parser = argparse.ArgumentParser(
        prog="scripts/check-histories", description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", metavar="FILE", help="the program (default: the newest build)")
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="rounds (default 20)")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S",
                        help=f"load of each round (default {SECONDS})")
    parser.add_argument("--pause", type=float, default=0.02, metavar="S",
                        help="mean time between two requests of a client (default 0.02)")
    parser.add_argument("--seed", type=int, help="of requests and faults (default: random, and printed)")
    parser.add_argument("--only", metavar="FAULT,…", help=f"only these faults: {', '.join(FAULTS)}")
    parser.add_argument("--json", metavar="FILE", help="write the results to a file")
    parser.add_argument("--folder", metavar="FOLDER", help="parent of the data folder (default: in memory if there is "
                        "room, else the temporary one)")
    parser.add_argument("--check", metavar="FILE", help="check a history that was saved by a failed run, and end")
    parser.add_argument("--short", action="store_true", help="a few rounds, within 20 seconds")
    parser.add_argument("--self-test", action="store_true",
                        help="spoil histories and the database on purpose, and show that each is reported")
    options = parser.parse_args()
    options.only = [name.strip() for name in options.only.split(",")] if options.only else []
    if unknown := [name for name in options.only if name not in FAULTS]:
        parser.error(f"there is no fault {', '.join(unknown)}")
    if options.rounds < 1 or not 0.3 <= options.seconds <= 60 or not 0.001 <= options.pause <= 10:
        parser.error("--rounds is at least 1, --seconds from 0.3 to 60, --pause from 0.001 to 10")
    if options.short:
        options.seconds = min(options.seconds, SHORT_SECONDS)
    options.folder = options.folder or memory_folder()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000_000)
    if not options.check:
        options.binary = options.binary or newest_build()
    return options

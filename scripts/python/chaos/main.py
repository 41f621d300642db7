"""The program `scripts/chaos`."""

import asyncio
import signal
import time

from chaos import options as command_line
from chaos import self_test
from chaos.kinds import KINDS
from chaos.report import Report
from chaos.run import Run
from chaos.service import NotReady


def main(text):
    options = command_line.parse(text)
    if options.list:
        for kind in KINDS.values():
            print(f"{kind.name:20} {kind.about}")
        return 0
    if options.sum:
        report = Report(options, None)
        for path in options.sum:
            report.add_file(path)
        print(f"{report.table()}\n\n{report.rounds:,} rounds in {report.seconds:.0f} s.")
        return 0
    try:
        return asyncio.run(until_signal(self_test.execute(options) if options.self_test else execute(options)))
    except NotReady as error:
        print(f"chaos: {error}")
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("ended by a signal")
        return 1


async def until_signal(work):
    """So that everything is also stopped and removed if the run is ended from outside. Ctrl-C does the same."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def end():
        # A second signal must not interrupt the removal.
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: None)
        task.cancel()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    return await work


async def execute(options):
    run, began = Run(options), time.monotonic()
    print(f"Seed {options.seed}, program {options.binary}", flush=True)
    try:
        await run.execute()
    finally:
        await run.places.close()
        run.report.seconds = time.monotonic() - began
        if options.json:
            run.report.save(options.json)
    report = run.report
    print(f"\n{report.table()}\n")
    print(f"{report.rounds:,} rounds in {report.seconds:.0f} s, seed {options.seed}.")
    for folder in report.kept_folders:
        print(f"Kept: {folder}")
    return 1 if report.faults or not report.rounds else 0

"""Checks the pages in a real browser: `scripts/check-pages`, or `scripts/check-pages WORD...` for the checks whose names
contain a word.

Each function of `page_checks` whose only parameters are a service and a browser is one check, with its own browser
contexts. Any error in the console, any request to another host and any axe violation fails it. Screenshots are kept in
`.build/screenshots`. One process for each core takes the next check, with a service and a browser of its own.
"""

import argparse
import multiprocessing
import os
import pathlib
import queue
import runpy
import sys
import traceback
import types

from playwright.sync_api import sync_playwright

import page_service
from page_visitor import SHOTS


def arguments(check):
    return check.__code__.co_varnames[:check.__code__.co_argcount]


def checks():
    """The checks by their names. Helpers that several files import count once."""
    return {
        name: check for module in sorted((pathlib.Path(__file__).parent / "page_checks").glob("*.py"))
        for name, check in runpy.run_path(module).items()
        if isinstance(check, types.FunctionType) and arguments(check) == ("service", "browser")}


def work(names, results):
    """Runs the checks whose names it takes from the queue, and puts pairs of a name and an error or None."""
    known = checks()
    with page_service.service() as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=page_service.chromium(), args=["--no-sandbox"])
        while name := names.get():
            try:
                known[name](service, browser)
                results.put((name, None))
            except Exception:
                results.put((name, traceback.format_exc()))
        browser.close()


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-pages", description="Checks the pages in a real browser.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only the checks whose names contain one of these words")
    parser.add_argument("--list", action="store_true", help="list the checks and end")
    options = parser.parse_args()
    chosen = [name for name in checks() if not options.words or any(word in name for word in options.words)]
    if options.list:
        print("\n".join(chosen))
        return 0
    if not chosen:
        parser.error("no check has such a name; --list shows them")
    SHOTS.mkdir(parents=True, exist_ok=True)
    # Forked processes would share what Playwright keeps.
    context = multiprocessing.get_context("spawn")
    names, results = context.Queue(), context.Queue()
    processes = [
        context.Process(target=work, args=(names, results)) for _ in range(min(os.cpu_count(), len(chosen)))]
    for name in chosen + [None] * len(processes):
        names.put(name)
    for process in processes:
        process.start()
    failed, missing = 0, len(chosen)
    while missing:
        try:
            name, error = results.get(timeout=1)
        except queue.Empty:
            if any(process.is_alive() for process in processes):
                continue
            break
        missing -= 1
        failed += error is not None
        print("FAILED" if error else "passed", name.replace("_", " "), flush=True)
        if error:
            print(error, flush=True)
    for process in processes:
        process.join()
    # A process that ends early, because its service did not start, leaves its checks to the others.
    passed = len(chosen) - failed - missing
    print(f"pages: {passed} passed, {failed} failed" + (f", {missing} did not run" if missing else ""))
    return 0 if passed == len(chosen) and not any(process.exitcode for process in processes) else 1


if __name__ == "__main__":
    sys.exit(main())

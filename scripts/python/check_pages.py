"""Checks the pages in a real browser: `scripts/check-pages`.

Each function of `page_checks` whose only parameters are a service and a browser is one check, with its own browser
contexts. Any error in the console, any request to another host and any axe violation fails it. Screenshots are kept in
`.build/screenshots`.
"""

import pathlib
import runpy
import sys
import traceback
import types

from playwright.sync_api import sync_playwright

import page_service
from page_visitor import SHOTS


def arguments(check):
    return check.__code__.co_varnames[:check.__code__.co_argcount]


def main():
    SHOTS.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:]
    checks = [
        check for module in sorted((pathlib.Path(__file__).parent / "page_checks").glob("*.py"))
        for name, check in runpy.run_path(module).items()
        if isinstance(check, types.FunctionType) and arguments(check) == ("service", "browser")
        and (not wanted or any(word in name for word in wanted))]
    failed = 0
    with page_service.service() as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=page_service.chromium(), args=["--no-sandbox"])
        for check in checks:
            try:
                check(service, browser)
                print("passed", check.__name__.replace("_", " "), flush=True)
            except Exception:
                failed += 1
                print("FAILED", check.__name__.replace("_", " "), flush=True)
                traceback.print_exc()
        browser.close()
    print(f"pages: {len(checks) - failed} passed, {failed} failed")
    return 1 if failed or not checks else 0


if __name__ == "__main__":
    sys.exit(main())

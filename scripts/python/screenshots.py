"""Screenshots of the demo's pages for the README: `make screenshots`."""

import os
import pathlib
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

import page_service
from page_service import ROOT

FOLDER = ROOT / "docs/pictures/pages"


def take(page, name, path, base, whole=False):
    page.goto(base + path)
    page.wait_for_load_state("load")
    page.screenshot(path=FOLDER / f"{name}.png", full_page=whole)
    print(f"docs/pictures/pages/{name}.png")


def visit(browser, service, width, height, language):
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale=language, reduced_motion="reduce", color_scheme="light")
    return context.new_page()


def sign_in(page, service):
    page.goto(service.base + "/sign-in")
    page.fill('[name="email"]', service.email)
    page.fill('[name="password"]', service.password)
    page.click("main button")
    page.wait_for_url("**/home")


def meeting(service, words, phase="ended"):
    listed = service.call("GET", f"/v1/meetings?state={phase}&q={words}")["items"]
    return listed[0]


def question(service, meeting):
    """The slide of the first question that has options."""
    form = service.call("GET", f"/v1/meetings/{meeting['id']}/form")
    key = next(question["key"] for question in form["questions"] if question["kind"] == "choice")
    return "slide-q-" + key


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = page_service.program()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.chmod(folder, 0o711)
        subprocess.run([program, "demo", "--data", folder + "/data"], check=True)
        service = page_service.Service(program, folder)
        browser = playwright.chromium.launch(executable_path=page_service.chromium(), args=["--no-sandbox"])
        try:
            running = meeting(service, "retro", "running")
            hall = meeting(service, "hall")
            lecture = meeting(service, "Lecture")
            for suffix, language in (("", "en-GB"), ("-ko", "ko-KR")):
                phone = visit(browser, service, 390, 780, language)
                take(phone, "form" + suffix, "/f/" + running["form"]["code"], service.base)
                host = visit(browser, service, 1180, 820, language)
                sign_in(host, service)
                take(host, "home" + suffix, "/home", service.base)
                take(host, "results" + suffix, f"/meetings/{hall['id']}/results", service.base)
                take(host, "series" + suffix, f"/series/{lecture['seriesId']}", service.base)
                host.set_viewport_size({"width": 1180, "height": 664})
                stage = f"/meetings/{running['id']}/stage#{question(service, running)}"
                take(host, "stage" + suffix, stage, service.base)
        finally:
            browser.close()
            service.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

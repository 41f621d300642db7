"""Firefox without a window, driven by Mozilla's own client."""

import base64
import contextlib
import logging
import os
import tempfile

from marionette_driver import By, Wait
from marionette_driver.keys import Keys
from marionette_driver.marionette import ActionSequence, Marionette

from page_visitor import SHOTS

SECONDS = 30
# Errors of the pages' own scripts and styles, as Firefox's console lists them.
ERRORS = """return Services.console.getMessageArray()
  .filter((each) => each instanceof Ci.nsIScriptError && (each.sourceName || "").startsWith(arguments[0]))
  .filter((each) => !(each.flags & Ci.nsIScriptError.warningFlag))
  .map((each) => each.errorMessage + " at " + each.sourceName + ":" + each.lineNumber)"""


class FirefoxVisitor:
    """One browser with one page."""

    def __init__(self, driver, base):
        self.driver, self.base = driver, base

    def begin(self, width=1280, height=900):
        """A new session without cookies, of a window whose page has this size."""
        self.driver.delete_all_cookies() if self.driver.get_url().startswith("http") else None
        self.driver.set_window_rect(width=width, height=height)
        inner = self.run("return [innerWidth, innerHeight]")
        self.driver.set_window_rect(width=width + width - inner[0], height=height + height - inner[1])

    def open(self, path):
        self.driver.navigate(self.base + path)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, script_args=arguments)

    def find(self, selector):
        """Waits until an element is there."""
        return self.until(lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, selector)), None), selector)

    def until(self, condition, description):
        return Wait(self.driver, timeout=SECONDS).until(lambda _: condition(), message=f"waited for {description}")

    def click(self, selector):
        self.find(selector).click()

    def fill(self, selector, text):
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def press(self, key):
        ActionSequence(self.driver, "key", "keys").send_keys(getattr(Keys, key, key)).perform()

    def expect_text(self, selector, text):
        self.until(lambda: text in self.run(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector), f"{text!r} in {selector}")

    def expect_path(self, path):
        """Waits for a path, of which a * stands for any text."""
        begin, _, end = path.partition("*")

        def is_there():
            found = self.driver.get_url().removeprefix(self.base).partition("?")[0]
            return found == path if "*" not in path else found.startswith(begin) and found.endswith(end)
        self.until(is_there, path)
        self.until(lambda: self.run("return document.readyState") == "complete", f"all of {path}")

    def check_page(self, name):
        """Checks the width and the console, and takes a screenshot."""
        width = self.run("return document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"{name} is {width} pixels wider than the screen"
        with open(SHOTS / f"firefox-{name}.png", "wb") as file:
            file.write(base64.b64decode(self.driver.screenshot()))
        with self.driver.using_context("chrome"):
            errors = self.driver.execute_script(ERRORS, script_args=(self.base,))
        assert not errors, f"{name}: {errors}"


@contextlib.contextmanager
def firefox(base):
    """A browser that is closed at the end. Everything that it writes is in a temporary folder."""
    logging.disable(logging.CRITICAL)
    SHOTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # Firefox does not start as root in the home of another user.
        os.environ["HOME"] = folder
        driver = Marionette(bin="/usr/bin/firefox-esr", headless=True, gecko_log=f"{folder}/log",
                            workspace=folder, prefs={"intl.accept_languages": "en-GB", "app.update.enabled": False})
        try:
            driver.start_session()
            # Its folder is removed below. At the end of the process it would fail.
            profile = driver.instance.profile
            with driver.using_context("chrome"):
                driver.execute_script("Services.console.reset()")
            yield FirefoxVisitor(driver, base)
        finally:
            with contextlib.suppress(Exception):
                driver.delete_session()
            driver.cleanup()
            profile.restore = False

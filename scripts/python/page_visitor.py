"""A visitor's browser, and the helpers of all checks of pages."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from page_service import ROOT

# The same timeout as for everything else in the browser.
expect.set_options(timeout=30_000)
SHOTS = ROOT / ".build/screenshots"
# Chromium sometimes cannot capture a taller page, such as a long list of operations.
MAXIMUM_SCREENSHOT_HEIGHT = 8_000
NASTY = '<script>document.title="broken"</script><img src=x onerror=alert(1)>"\'&'
QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?", "minLabel": "too slow", "maxLabel": "too fast",
     "required": True},
    {"key": "nps", "kind": "rating", "title": "Would you recommend it?", "min": 0, "max": 10, "metric": "nps"},
    {"key": "topics", "kind": "choice", "title": "Which parts helped you?", "multiple": True, "other": True,
     "maxSelections": 2, "description": "The demo, the talk, or something else.",
     "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The talk"}]},
    {"key": "role", "kind": "choice", "title": "You are here as",
     "options": [{"id": "guest", "label": "Guest"}, {"id": "member", "label": "Member"}]},
    {"key": "better", "kind": "text", "title": "What should we change?", "maxLength": 200},
]
ALERT = "#alert"
SEND = "button.send"


class Visitor:
    """One browser context with one page, which collects all errors."""

    def __init__(self, browser, base, script=True, width=360, language="en-GB", scheme="light", zone=None):
        self.base, self.faults, self.scheme = base, [], scheme
        self.context = browser.new_context(
            viewport={"width": width, "height": 740}, locale=language, color_scheme=scheme, java_script_enabled=script,
            timezone_id=zone)
        self.page = self.context.new_page()
        self.script, self.width = script, width
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("console", self.record_console)
        self.page.on("request", self.check_request)

    def record_console(self, message):
        # The browser also logs a failed request that the page handles, and a lost network.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append("console: " + message.text)

    def check_request(self, request):
        if not request.url.startswith((self.base, "data:")):
            self.faults.append("request to " + request.url)

    def open(self, path):
        return self.page.goto(self.base + path)

    def click(self, target, **options):
        """Clicks a selector or a locator, and waits until the resulting page is complete, if there is one."""
        self.page.click(target, **options) if isinstance(target, str) else target.click(**options)
        self.page.wait_for_load_state()

    def until(self, function, argument=None):
        """Waits until a function returns true. An expression would need `eval`, which the pages' policy forbids."""
        self.page.wait_for_function(f"(argument) => ({function})(argument)", arg=argument)

    def check_page(self, name):
        """Checks accessibility and takes a screenshot."""
        self.page.wait_for_load_state()
        height = self.page.locator("html").bounding_box()["height"]
        clip = {"x": 0, "y": 0, "width": self.width, "height": min(height, MAXIMUM_SCREENSHOT_HEIGHT)}
        self.page.screenshot(path=SHOTS / f"{name}-{self.width}-{self.scheme}.png", full_page=True, clip=clip)
        wide = self.page.evaluate("document.documentElement.scrollWidth > innerWidth") if self.script else False
        assert not wide, f"{name} is wider than the screen"
        if self.script:
            found = Axe().run(self.page)
            assert found.violations_count == 0, f"{name}: {found.generate_report()}"

    def pick(self, key, value):
        self.page.check(f'input[name="a.{key}"][value="{value}"]')

    def expect_notice(self, text):
        """Waits for the notice about the last action at the top of the page."""
        expect(self.page.locator("main > .notice[role=status]")).to_have_text(text)

    def end(self):
        self.context.close()
        assert not self.faults, self.faults


def send(visitor):
    visitor.click(SEND)
    visitor.page.wait_for_url(re.compile(r"/sent(\?changed)?$"))


def signed_in(browser, service, path, email=None, password=None, **options):
    """A signed-in host at a page, by default the service's admin."""
    visitor = Visitor(browser, service.base, **options)
    visitor.open("/sign-in?next=" + path)
    visitor.page.fill("#email", email or service.email)
    visitor.page.fill("#password", password or service.password)
    visitor.click("main form button")
    visitor.page.wait_for_url(service.base + path)
    return visitor

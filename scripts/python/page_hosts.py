"""Separate hosts for checks of pages, at the API and in a browser."""

import json
import secrets
import subprocess
import urllib.request

from page_visitor import Visitor

PASSWORD = "a long password of a host"


def signed_in(service, browser, email=None, password=None, **settings):
    host = Visitor(browser, service.base, **settings)
    host.open("/sign-in")
    host.page.fill("#email", email or service.email)
    host.page.fill("#password", password or service.password)
    host.click("form button")
    host.page.wait_for_url("**/home")
    return host


def account(service, email, name="Hanna Host"):
    """Creates a host, so that lists contain nothing from other checks."""
    subprocess.run(
        [service.process.args[0], "account", "create", "--email", email, "--name", name, "--role", "host",
         "--password-stdin", "--data", service.data],
        input=PASSWORD, text=True, check=True, capture_output=True)
    return email


def answer(service, form, *all_answers):
    """Submits answers like participants, who have no account."""
    for answers in all_answers:
        request = urllib.request.Request(
            f"{service.base}/v1/forms/{form['code']}/submissions", json.dumps({"answers": answers}).encode(),
            {"Content-Type": "application/json", "Authorization": "Respondent " + secrets.token_urlsafe(32)})
        urllib.request.urlopen(request).close()


class HostAPI:
    """Calls the API with the token of one host."""

    def __init__(self, service, email, password=PASSWORD):
        self.service = service
        self.token = "Bearer " + service.call("POST", "/v1/sessions", {"email": email, "password": password})["token"]

    def form(self, questions, meeting=None, **settings):
        return self.with_token("form", questions, meeting={"timeZone": "UTC", **(meeting or {})}, **settings)

    def call(self, *arguments):
        return self.with_token("call", *arguments)

    def with_token(self, name, *arguments, **settings):
        own, self.service.token = self.service.token, self.token
        try:
            return getattr(self.service, name)(*arguments, **settings)
        finally:
            self.service.token = own

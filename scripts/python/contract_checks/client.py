"""Requests to the service beside those that are generated: fixtures, and what a check has to look up."""

import itertools
import json

import requests

_numbers = itertools.count(1)


def forwarded():
    """A client address of its own for each request, so that the limits on guessing never hide an answer."""
    number = next(_numbers)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


class Client:
    """Calls the API with one account's token, or without any."""

    def __init__(self, base, authorization=None):
        self.base, self.authorization = base, authorization
        self.session = requests.Session()
        self.session.trust_env = False

    def send(self, method, path, body=None, headers=None):
        headers = {"X-Forwarded-For": forwarded(), **(headers or {})}
        if self.authorization:
            headers.setdefault("Authorization", self.authorization)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        return self.session.request(method, self.base + path, data=body, headers=headers, timeout=60)

    def call(self, method, path, body=None, headers=None):
        """The response's JSON. A failure ends the run, because the fixtures would be incomplete."""
        response = self.send(method, path, body, headers)
        if response.status_code >= 300:
            raise RuntimeError(f"{method} {path} returned {response.status_code}: {response.text[:300]}")
        return response.json() if response.content else {}

    def tag(self, path, authorization=None):
        """The ETag of a resource, or None if the caller cannot read it."""
        response = self.send("GET", path, headers={"Authorization": authorization} if authorization else None)
        return response.headers.get("ETag")

"""The form that is answered, and the bytes of the requests."""
import json

QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?"},
    {"key": "depth", "kind": "rating", "title": "Would you come again?", "min": 0, "max": 10, "metric": "nps"},
    {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": True,
     "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The discussion"}], "other": True},
    {"key": "role", "kind": "choice", "title": "You are", "options": [{"id": "guest", "label": "a guest"}]},
    {"key": "better", "kind": "text", "title": "What should change?"},
]
# The length is that of a numbered text, and pgbench inserts the same one.
TEXT = "A little more time for questions, please."
# The load generator replaces the signs by the request's number.
NUMBERED_TEXT = "Answer number ########, in a few words."


def request(method, path, headers=None, body=None):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def answers(number, text=TEXT):
    return {"pace": number % 5 + 1, "depth": number % 11, "topics": ["demo", "talk"], "role": "guest", "better": text}


def submissions(codes, text=TEXT):
    """Requests that answer each of the forms in turn. Without an idempotency key, as most clients send them."""
    # 5 and 11 have no common divisor, so that all pairs of ratings occur.
    count = 55 * len(codes) if len(codes) < 10 else 11 * len(codes)
    bodies = [json.dumps({"answers": answers(number, text)}, separators=(",", ":")).encode() for number in range(55)]
    return [request("POST", f"/v1/forms/{codes[number % len(codes)]}/submissions", body=bodies[number % 55])
            for number in range(count)]

"""Clients that submit while parts of a deployment are lost, for `scripts/check-ha`."""

import contextlib
import http.client
import secrets
import threading
import time

from main_job import Unsuccessful, require

CLIENTS = 8
PAUSE = 0.02
# A request is repeated for this long.
GIVE_UP = 120
# The answers of a proxy or a service that cannot store anything now.
UNAVAILABLE = (502, 503, 504)
# The number of each client's last submissions that are repeated at the end.
COMPARED = 10


class Load:
    """Threads that submit to a form until the `with` ends. Each request is repeated with its key until it is answered.

    - acknowledged: how many submissions were acknowledged.
    - repeated: how many requests were sent again.
    - last_acknowledgement: the time of the last one, by the monotonic clock.
    """

    def __init__(self, job, clients=CLIENTS):
        self.job, self.lock = job, threading.Lock()
        self.times, self.receipts, self.faults = [], {}, []
        self.repeated, self.is_over = 0, False
        self.before = job.count()
        self.threads = [threading.Thread(target=self.submit, daemon=True) for _ in range(clients)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        if len(self.threads) > 1:
            ends = time.monotonic() + GIVE_UP
            while self.acknowledged < 10 * len(self.threads):
                require(time.monotonic() < ends and not self.faults, f"nobody can submit: {self.faults[:3]}")
                time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    @property
    def acknowledged(self):
        return len(self.times)

    @property
    def last_acknowledgement(self):
        return self.times[-1]

    def longest_pause(self, since):
        """The longest time without an acknowledgement, in seconds."""
        times = [since, *(time for time in list(self.times) if time > since)]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def summary(self):
        return f"{self.acknowledged:,} submissions acknowledged, {len(self.faults)} failed, {self.repeated} repeated"

    def submit(self):
        connection, own = self.job.client.connection(timeout=30), []
        while not self.is_over and not self.faults:
            key, ends = secrets.token_urlsafe(24), time.monotonic() + GIVE_UP
            while True:
                try:
                    answer = self.send(key, connection)
                    if answer.status in (200, 201):
                        break
                    problem = f"{answer.status} {answer.text[:200]}"
                    if answer.status not in UNAVAILABLE:
                        ends = 0
                except (OSError, http.client.HTTPException) as error:
                    problem = repr(error)
                    with contextlib.suppress(OSError):
                        connection.close()
                if time.monotonic() > ends:
                    self.faults.append(problem)
                    return
                with self.lock:
                    self.repeated += 1
                time.sleep(PAUSE)
            own.append((key, answer.json["receipt"]))
            with self.lock:
                self.times.append(time.monotonic())
            time.sleep(PAUSE)
        with self.lock:
            self.receipts.update(own[-COMPARED:])

    def send(self, key, connection=None):
        return self.job.client.send(
            "POST", f"/v1/forms/{self.job.code}/submissions", {"answers": {"pace": 4}}, {"Idempotency-Key": key},
            connection=connection)

    def require_all_stored(self):
        """Every submission was acknowledged, is stored once, and has the receipt that its client got."""
        require(not self.faults, f"submissions failed: {self.faults[:3]}")
        stored = self.job.count() - self.before
        require(stored == self.acknowledged, f"{self.acknowledged} submissions were acknowledged, {stored} are stored")
        for key, receipt in self.receipts.items():
            answer = self.send(key)
            if answer.status not in (200, 201) or answer.json["receipt"] != receipt:
                raise Unsuccessful(f"a repeated submission returned {answer.status} {answer.text[:200]}")
        require(self.job.count() - self.before == stored, "repeated submissions were stored again")

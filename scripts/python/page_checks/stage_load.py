"""The stage while a hall answers."""

import concurrent.futures
import json
import os
import time
import urllib.error

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_visitor import QUESTIONS

# The participants who answer before the memory is measured for the first time, those of each round that is traced, and
# the seconds between two of them.
FIRST, PARTICIPANTS, PAUSE = 60, 140, 0.1
# How long the check watches: AFTERWORD_STAGE_SECONDS=3600 is a whole hour in the hall.
SECONDS = float(os.environ.get("AFTERWORD_STAGE_SECONDS", "20"))
ROUNDS = max(1, round(SECONDS / (PARTICIPANTS * PAUSE) - 0.5))
# `RunTask` is one task of a thread: a frame, an event with its scripts, or a part of them.
TRACED = ["-*", "devtools.timeline", "disabled-by-default-devtools.timeline"]
SHOWN = """(count) => {
  const bars = [...document.querySelectorAll("#slide-q-pace .stage-bars tr[data-count]")];
  return bars.reduce((sum, bar) => sum + Number(bar.dataset.count), 0) === count
    && document.querySelector(".stage-count").textContent.includes(`${count} answers`);
}"""


def submit(service, form, number):
    """Whether the service has acknowledged a participant's answers. It may refuse them while it has too much to do."""
    try:
        answer(service, form, {
            "pace": number % 5 + 1, "nps": number % 11, "topics": ["demo"], "role": "guest", "better": f"Text {number}"})
        return True
    except urllib.error.HTTPError as error:
        assert error.code == 503, error
        return False


def submissions(service, form, numbers):
    """The number of acknowledged submissions of participants who answer one after another."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        sent = []
        for number in numbers:
            sent.append(pool.submit(submit, service, form, number))
            time.sleep(PAUSE)
        return sum(each.result() for each in sent)


def memory(session):
    """The bytes of the page's heap, its nodes and its event listeners, without garbage."""
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    counted = session.send("Memory.getDOMCounters")
    return session.send("Runtime.getHeapUsage")["usedSize"], counted["nodes"], counted["jsEventListeners"]


def task_times(trace, base):
    """The processor time of each task of the threads that run the page's scripts, in milliseconds.

    Processor time, because other processes make tasks wait.
    """
    events = [event for event in json.loads(trace)["traceEvents"] if event["ph"] == "X"]
    threads = {
        (event["pid"], event["tid"]) for event in events
        if event["name"] == "FunctionCall" and event["args"].get("data", {}).get("url", "").startswith(base)}
    return [
        event["tdur"] / 1000 for event in events
        if event["name"] == "RunTask" and (event["pid"], event["tid"]) in threads and "tdur" in event]


def stage_stays_smooth_while_a_hall_answers(service, browser):
    api = HostAPI(service, account(service, "stage-load@example.org"))
    form = api.form(QUESTIONS, title="A full hall")
    host = signed_in(service, browser, "stage-load@example.org", PASSWORD, width=1440)
    host.open(f"/meetings/{form['meeting']}/stage#slide-q-pace")
    session = host.context.new_cdp_session(host.page)
    count = submissions(service, form, range(FIRST))
    host.until(SHOWN, count)
    heap, nodes, listeners = memory(session)
    for number in range(ROUNDS):
        browser.start_tracing(page=host.page, categories=TRACED)
        first = FIRST + number * PARTICIPANTS
        count += submissions(service, form, range(first, first + PARTICIPANTS))
        host.until(SHOWN, count)
        times = task_times(browser.stop_tracing(), service.base)
        assert times and max(times) < 100, f"a task takes {max(times, default=0):.0f} ms"
        grown, more_nodes, more_listeners = memory(session)
        assert grown < heap * 1.1 + 300_000, f"the heap grows from {heap} to {grown} bytes"
        assert more_nodes <= nodes + 50 and more_listeners <= listeners + 5, (
            nodes, more_nodes, listeners, more_listeners)
    assert count > (FIRST + ROUNDS * PARTICIPANTS) / 2 and api.with_token("submissions", form) == count
    host.end()

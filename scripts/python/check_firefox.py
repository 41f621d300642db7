"""Walks the main pages in Firefox, as a host and as participants: `scripts/check-firefox`.

scripts/check-pages checks all pages in Chromium. This walk finds what another engine does differently: scripts and
streams that do not run, elements that do not react, pages that are wider than the screen. It fails on any error of the
pages' scripts. Screenshots are kept in `.build/screenshots`, with names that begin with `firefox`.
"""

import argparse
import time

import page_service
from firefox_visitor import firefox

PHONE = 500  # Firefox's windows are not narrower.


def sign_in(visitor, service):
    visitor.begin()
    visitor.open("/sign-in")
    visitor.fill("#email", service.email)
    visitor.fill("#password", service.password)
    visitor.check_page("sign-in")
    visitor.click("main form button")
    visitor.expect_path("/home")


def host_builds_and_publishes_a_form(visitor, service, state):
    """By clicks and keys, from signing in until the code is shown."""
    sign_in(visitor, service)
    visitor.check_page("home")
    form = service.form([], title="All hands", publish=False)
    state["meeting"] = form["meeting"]
    visitor.open(f"/meetings/{form['meeting']}/form")
    visitor.click('button[value="begin:workshop"]')
    visitor.until(lambda: visitor.run("return document.querySelectorAll('fieldset.built').length") == 5, "5 questions")
    visitor.click('button[value="add:choice"]')
    visitor.until(lambda: visitor.run("return document.activeElement.id") == "q5-title", "the focus in the new question")
    visitor.fill("#q5-title", "Which part helped you?")
    visitor.fill("#q5-option-0", "The demo")
    visitor.fill("#q5-option-1", "The talk")
    visitor.press("ENTER")
    visitor.until(lambda: visitor.run("return document.activeElement.id") == "q5-option-2", "the focus in a new option")
    visitor.fill("#q5-option-2", "Lunch")
    visitor.check_page("builder")
    visitor.click("button.send")
    visitor.expect_path(f"/meetings/{form['meeting']}")
    service.call("POST", f"/v1/meetings/{form['meeting']}/form/publish")
    visitor.open(f"/meetings/{form['meeting']}")
    visitor.check_page("meeting")
    state["form"] = service.call("GET", f"/v1/meetings/{form['meeting']}/form")
    assert [question["title"] for question in state["form"]["questions"]][-1] == "Which part helped you?"
    state["code"] = state["form"]["code"]


def answer_all(visitor, state):
    """Answers each question by a click or by typing."""
    for question in state["form"]["questions"]:
        key = question["key"]
        if question["kind"] == "text":
            visitor.fill(f'[name="t.{key}"]', "A little more time, please.")
        else:
            visitor.run("arguments[0].closest('label').scrollIntoView({block: 'center'})",
                        visitor.find(f'input[name="a.{key}"]'))
            visitor.run("arguments[0].closest('label').click()", visitor.find(f'input[name="a.{key}"]'))


def participant_answers_and_changes_an_answer(visitor, service, state):
    """On a narrow screen, without an account."""
    visitor.begin(width=PHONE, height=740)
    visitor.open(f"/f/{state['code']}")
    visitor.check_page("form")
    answer_all(visitor, state)
    visitor.click("button.send")
    visitor.expect_path("/f/*/sent")
    visitor.check_page("sent")
    form = {"meeting": state["meeting"]}
    assert service.submissions(form) == 1
    # A draft survives a reload.
    visitor.driver.delete_all_cookies()
    visitor.open(f"/f/{state['code']}")
    text = next(each["key"] for each in state["form"]["questions"] if each["kind"] == "text")
    visitor.fill(f'[name="t.{text}"]', "Half a sentence")
    visitor.until(lambda: visitor.run("return Object.keys(localStorage).length > 0"), "a stored draft")
    visitor.driver.refresh()
    visitor.until(lambda: visitor.run(
        "return document.querySelector(arguments[0]).value", f'[name="t.{text}"]') == "Half a sentence", "the draft")
    answer_all(visitor, state)
    visitor.click("button.send")
    visitor.expect_path("/f/*/sent")
    assert service.submissions(form) == 2


def form_is_answered_one_question_at_a_time(visitor, service, state):
    """By keys alone, after a click on Next that a required question stops."""
    questions = [{"key": "pace", "kind": "rating", "title": "How was the pace?", "required": True},
                 {"key": "word", "kind": "text", "title": "One word?", "maxLength": 40},
                 {"key": "better", "kind": "text", "title": "What should we change?"}]
    form = service.form(questions, identity="device", oneByOne=True)
    visitor.begin(width=PHONE, height=740)
    visitor.open(f"/f/{form['code']}")

    def expect_step(key):
        visitor.until(lambda: visitor.run("""return [...document.querySelectorAll(".question")]
          .filter((each) => each.offsetHeight > 0).map((each) => each.id).join()""") == "q-" + key, f"question {key} alone")

    expect_step("pace")
    visitor.click(".next")
    visitor.find("#e-pace")
    visitor.press("SPACE")
    visitor.press("ENTER")
    expect_step("word")
    visitor.until(lambda: visitor.run("return document.activeElement.id") == "t-word", "the focus in the text")
    visitor.press("f")
    visitor.press("ENTER")
    expect_step("better")
    visitor.check_page("step")
    visitor.driver.go_back()
    expect_step("word")
    visitor.click(".next")
    expect_step("better")
    visitor.click("button.send")
    visitor.expect_path("/f/*/sent")
    assert service.submissions(form) == 1


def chart_values_follow_the_arrow_keys(visitor, service, state):
    key = next(each["key"] for each in state["form"]["questions"] if each["kind"] == "rating")
    visitor.open(f"/meetings/{state['meeting']}/results")
    visitor.find(f"#q-{key} canvas")
    visitor.run("document.querySelector(arguments[0]).focus()", f"#q-{key} canvas")
    visitor.press("ARROW_RIGHT")
    visitor.until(lambda: visitor.run(
        "return document.querySelector(arguments[0]).textContent", f"#q-{key} .chart [role=status]"), "a value")
    visitor.check_page("chart-value")


def send_an_answer(service, state):
    rating = next(each for each in state["form"]["questions"] if each["kind"] == "rating")
    required = {each["key"]: "Some words" if each["kind"] == "text" else each["options"][0]["id"]
                for each in state["form"]["questions"] if each.get("required") and each["kind"] != "rating"}
    ratings = {each["key"]: each.get("max", 5) for each in state["form"]["questions"]
               if each.get("required") and each["kind"] == "rating"}
    token, service.token = service.token, None
    try:
        service.call("POST", f"/v1/forms/{state['code']}/submissions",
                     {"answers": {rating["key"]: rating.get("max", 5), **required, **ratings}})
    finally:
        service.token = token


def host_sees_results_change(visitor, service, state):
    """Charts are drawn, and change by themselves."""
    sign_in(visitor, service)
    visitor.open(f"/meetings/{state['meeting']}/results")
    visitor.expect_text("#results", "2 answers")
    visitor.until(lambda: visitor.run("""return [...document.querySelectorAll("canvas")].filter((each) => {
      const pixels = each.width && each.getContext("2d").getImageData(0, 0, each.width, each.height).data;
      return pixels && pixels.some((value) => value !== 0);
    }).length > 0"""), "a drawn chart")
    visitor.check_page("results")
    visitor.run("document.documentElement.dataset.same = 'yes'")
    begin = time.monotonic()
    send_an_answer(service, state)
    visitor.expect_text("#results", "3 answers")
    assert visitor.run("return document.documentElement.dataset.same"), "the page was loaded again"
    print(f"  the answer was shown after {time.monotonic() - begin:.1f} s")


def stage_follows_keys_and_answers(visitor, service, state):
    visitor.open(f"/meetings/{state['meeting']}/stage")
    visitor.find("#slide-code.current, .slide.current#slide-code")
    visitor.check_page("stage-code")
    seen = set()
    for key in ["ARROW_RIGHT", "PAGE_DOWN", "ARROW_RIGHT"]:
        before = visitor.run("return document.querySelector('.slide.current').id")
        visitor.press(key)
        visitor.until(lambda: visitor.run("return document.querySelector('.slide.current').id") != before, "a new slide")
        seen.add(visitor.run("return document.querySelector('.slide.current').id"))
    assert len(seen) == 3, seen
    visitor.check_page("stage-question")
    send_an_answer(service, state)
    visitor.until(lambda: "4" in visitor.run(
        "return document.querySelector('.stage-head')?.textContent ?? ''"), "4 answers on the stage")


def series_pages_are_shown(visitor, service, state):
    series = service.call("GET", f"/v1/meetings/{state['meeting']}").get("seriesId")
    for path, name in ([(f"/series/{series}", "series")] if series else []) + [("/calendar", "calendar")]:
        visitor.open(path)
        visitor.find("main")
        visitor.check_page(name)


CHECKS = [host_builds_and_publishes_a_form, participant_answers_and_changes_an_answer,
          form_is_answered_one_question_at_a_time, host_sees_results_change, chart_values_follow_the_arrow_keys,
          stage_follows_keys_and_answers, series_pages_are_shown]


def main():
    argparse.ArgumentParser(prog="scripts/check-firefox", description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    state = {}
    with page_service.service() as service, firefox(service.base) as visitor:
        version = visitor.driver.session_capabilities["browserVersion"]
        for check in CHECKS:
            check(visitor, service, state)
            print(f"ok  {check.__name__}", flush=True)
    print(f"Firefox {version}: {len(CHECKS)} checks succeeded.")


if __name__ == "__main__":
    main()

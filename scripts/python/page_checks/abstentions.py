"""Answers of people who cannot judge: on the form, in the form builder and in results."""

from playwright.sync_api import expect

from page_hosts import answer
from page_visitor import SEND, Visitor, send, signed_in

QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?", "required": True, "minLabel": "too slow",
     "maxLabel": "too fast", "abstain": "I was not there all the time and cannot judge"},
    {"key": "nps", "kind": "rating", "title": "Would you recommend it?", "min": 0, "max": 10, "metric": "nps",
     "abstain": "Cannot judge"},
    {"key": "why", "kind": "text", "title": "Why that pace?", "showIf": {"question": "pace", "answered": True}},
    {"key": "missing", "kind": "text", "title": "What would you need to judge?",
     "showIf": {"question": "pace", "is": "abstain"}},
]
CHOICES = '[name="a.{}"][value="abstain"]'


def counts(service, form):
    questions = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"]
    return {question["key"]: (question["answered"], question.get("abstained"), question["skipped"])
            for question in questions}


def abstentions_are_sent_and_corrected(service, browser):
    for width, language, scheme in [(360, "en-GB", "light"), (1440, "ko-KR", "dark"), (360, "de-DE", "dark")]:
        form = service.form(QUESTIONS, identity="device")
        visitor = Visitor(browser, service.base, width=width, language=language, scheme=scheme)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "4")
        expect(visitor.page.locator("#q-why")).to_be_visible()
        visitor.pick("pace", "abstain")
        expect(visitor.page.locator("#q-missing")).to_be_visible()
        expect(visitor.page.locator("#q-why")).to_be_hidden()
        visitor.pick("nps", "abstain")
        visitor.check_page("abstentions-form-" + language)
        visitor.page.reload()
        assert visitor.page.is_checked(CHOICES.format("pace")), "the draft has lost the abstention"
        send(visitor)
        assert counts(service, form)["pace"] == (0, 1, 0)
        visitor.open(f"/f/{form['code']}/edit")
        assert visitor.page.is_checked(CHOICES.format("nps"))
        visitor.pick("nps", "9")
        send(visitor)
        assert counts(service, form)["nps"] == (1, 0, 0)
        visitor.end()


def abstentions_work_without_javascript(service, browser):
    for width in [360, 1440]:
        form = service.form(QUESTIONS, identity="device")
        visitor = Visitor(browser, service.base, script=False, width=width)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "abstain")
        visitor.check_page("abstentions-plain")
        visitor.click('button[value="next"]')
        expect(visitor.page.locator("#q-missing")).to_be_visible()
        expect(visitor.page.locator("#q-why")).to_be_hidden()
        visitor.click(SEND)
        visitor.page.wait_for_url("**/sent")
        assert counts(service, form) == {
            "pace": (0, 1, 0), "nps": (0, 0, 1), "why": (0, None, 0), "missing": (0, None, 1)}
        visitor.end()


def abstentions_work_one_by_one(service, browser):
    form = service.form(QUESTIONS[:2], identity="device", oneByOne=True)
    visitor = Visitor(browser, service.base)
    visitor.page.emulate_media(reduced_motion="reduce")
    visitor.open(f"/f/{form['code']}")
    visitor.click(".next")
    expect(visitor.page.locator("#e-pace")).to_be_visible()
    visitor.pick("pace", "abstain")
    visitor.click(".next")
    expect(visitor.page.locator("#q-nps")).to_be_visible()
    visitor.check_page("abstentions-steps")
    send(visitor)
    assert counts(service, form)["pace"] == (0, 1, 0)
    visitor.end()


def abstentions_are_named_in_results(service, browser):
    form = service.form(QUESTIONS[:2], identity="device")
    answer(service, form, *({"pace": pace, "nps": 9} for pace in [4, 5, "abstain", "abstain", "abstain"]))
    for width, script in [(360, True), (1440, False)]:
        visitor = signed_in(browser, service, f"/meetings/{form['meeting']}/results", script=script, width=width)
        expect(visitor.page.get_by_text("2 answers · I was not there all the time and cannot judge: 3")).to_be_visible()
        visitor.check_page("abstentions-results")
        visitor.open(f"/meetings/{form['meeting']}/results?where=pace:abstain")
        expect(visitor.page.get_by_text("cannot judge: 3").first).to_be_visible()
        visitor.check_page("abstentions-filtered")
        visitor.end()


def abstentions_are_edited_in_the_builder(service, browser):
    for script in [True, False]:
        form = service.form([{"key": "pace", "kind": "rating", "title": "How was the pace?"}])
        visitor = signed_in(browser, service, f"/meetings/{form['meeting']}/form", script=script)
        visitor.page.locator("#q0-more summary").click()
        visitor.page.fill("#q0-abstain", "Cannot judge")
        with visitor.context.expect_page() as opened:
            visitor.page.click('button[value="preview"]')
        expect(opened.value.get_by_text("Cannot judge")).to_be_visible()
        opened.value.close()
        visitor.click('.save-bar button[value="save"]')
        stored = service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"][0]
        assert stored["abstain"] == "Cannot judge", stored
        visitor.open(f"/meetings/{form['meeting']}/form")
        assert visitor.page.input_value("#q0-abstain") == "Cannot judge"
        visitor.check_page("abstentions-builder")
        visitor.end()

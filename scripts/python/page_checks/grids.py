"""Grids: for participants, and in the form builder."""

from playwright.sync_api import expect

from page_visitor import SEND, Visitor, send, signed_in

STATEMENTS = [{"key": "clear", "title": "The aims were clear"}, {"key": "useful", "title": "I can use what I learned"},
              {"key": "short", "title": "It was short enough"}]
LABELS = ["Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"]
GRID = {"key": "course", "kind": "grid", "title": "What do you think of the course?", "required": True,
        "description": "Think of today only.", "labels": LABELS, "abstain": "Cannot judge", "statements": STATEMENTS}
QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?"}, GRID,
    {"key": "ends", "kind": "grid", "title": "And the room?", "minLabel": "bad", "maxLabel": "good", "max": 7,
     "showIf": {"question": "pace", "atLeast": 3},
     "statements": [{"key": "air", "title": "The air"}, {"key": "light", "title": "The light"}]},
]


def answered(service, form):
    questions = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"]
    return {question["key"]: question["answered"] for question in questions}


def is_narrow(visitor):
    return visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def grids_are_answered_statement_by_statement(service, browser):
    for width, language, scheme in [(360, "en-GB", "light"), (1440, "de-DE", "dark"), (360, "ko-KR", "dark")]:
        form = service.form(QUESTIONS, identity="device")
        visitor = Visitor(browser, service.base, width=width, language=language, scheme=scheme)
        visitor.open(f"/f/{form['code']}")
        expect(visitor.page.get_by_role("heading", name=GRID["title"])).to_be_visible()
        expect(visitor.page.get_by_role("heading", name="And the room?")).to_be_hidden()
        visitor.pick("pace", "4")
        expect(visitor.page.get_by_role("heading", name="And the room?")).to_be_visible()
        assert is_narrow(visitor)
        visitor.check_page("grids-form-" + language)
        visitor.pick("clear", "5")
        visitor.pick("useful", "abstain")
        visitor.click(SEND)
        expect(visitor.page.locator("#e-short")).to_be_visible()
        visitor.pick("short", "2")
        visitor.pick("air", "7")
        send(visitor)
        assert answered(service, form) == {"pace": 1, "clear": 1, "useful": 0, "short": 1, "air": 1, "light": 0}
        visitor.end()


def grids_work_without_javascript(service, browser):
    for width in [360, 1440]:
        form = service.form(QUESTIONS, identity="device")
        visitor = Visitor(browser, service.base, script=False, width=width)
        visitor.open(f"/f/{form['code']}")
        expect(visitor.page.get_by_role("heading", name="And the room?")).to_be_hidden()
        visitor.pick("pace", "4")
        for key in ["clear", "useful", "short"]:
            visitor.pick(key, "3")
        visitor.check_page("grids-plain")
        visitor.click('button[value="next"]')
        expect(visitor.page.get_by_role("heading", name="And the room?")).to_be_visible()
        visitor.pick("light", "1")
        visitor.click(SEND)
        visitor.page.wait_for_url("**/sent")
        assert answered(service, form)["light"] == 1
        visitor.end()


def grids_work_one_by_one(service, browser):
    form = service.form([GRID], identity="device", oneByOne=True)
    visitor = Visitor(browser, service.base)
    visitor.page.emulate_media(reduced_motion="reduce")
    visitor.open(f"/f/{form['code']}")
    for key in ["clear", "useful"]:
        expect(visitor.page.locator(f"#q-{key} .grid-name")).to_be_visible()
        visitor.pick(key, "4")
        visitor.check_page("grids-steps")
        visitor.click(".next")
    visitor.pick("short", "1")
    send(visitor)
    assert answered(service, form) == {"clear": 1, "useful": 1, "short": 1}
    visitor.end()


def grids_are_edited_in_the_builder(service, browser):
    for script in [True, False]:
        form = service.form([GRID], publish=False)
        path = f"/meetings/{form['meeting']}/form"
        visitor = signed_in(browser, service, path, script=script)
        assert visitor.page.input_value("#q0-pointLabels").split("\n") == LABELS
        assert visitor.page.locator('[name="q0.option"]').count() == 3
        visitor.check_page("grids-builder")
        visitor.page.fill("#q0-option-1", "I can apply it")
        visitor.click('.save-bar button[value="save"]')
        stored = service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"]
        assert stored[0]["labels"] == LABELS and stored[0]["abstain"] == "Cannot judge", stored
        statements = [(one["key"], one["title"]) for one in stored[0]["statements"]]
        assert statements[1] == ("useful", "I can apply it") and len(statements) == 3, statements
        visitor.end()

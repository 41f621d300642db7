"""Grids: for participants, and in the form builder."""

from playwright.sync_api import expect

from page_hosts import answer
from page_visitor import SEND, Visitor, send, signed_in

STATEMENTS = [{"key": "clear", "title": "The aims were clear", "description": "Those of today."}, {"key": "useful", "title": "I can use what I learned"},
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


RATINGS = [{"clear": 5, "useful": 2, "short": 3}, {"clear": 4, "useful": 2, "short": "abstain"},
           {"clear": 4, "useful": 1, "short": 5}, {"clear": 5, "useful": 4, "short": 3},
           {"clear": 3, "useful": 1, "short": 4}]


def parts(visitor):
    """The places of the bars' parts in percent, as the chart has them."""
    return visitor.page.evaluate(
        "Chart.getChart(document.querySelector('.chart[data-kind=grid] canvas')).data.datasets.map((one) => one.data)")


def grids_are_shown_together_in_results(service, browser):
    form = service.form([GRID], identity="device", showResults="always")
    answer(service, form, *RATINGS)
    share = service.call("POST", f"/v1/meetings/{form['meeting']}/shares", {})
    pages = [f"/meetings/{form['meeting']}/results", f"/r/{share['token']}", f"/f/{form['code']}/results"]
    for width, language, scheme, script in [(360, "en-GB", "dark", True), (1440, "de-DE", "light", True),
                                            (360, "ko-KR", "light", False), (1440, "en-GB", "dark", False)]:
        for path in pages:
            options = {"script": script, "width": width, "language": language, "scheme": scheme}
            if path.startswith("/meetings"):
                visitor = signed_in(browser, service, path, **options)
            else:
                visitor = Visitor(browser, service.base, **options)
                visitor.open(path)
            section = visitor.page.locator("#grid-course")
            expect(section.get_by_role("heading", name=GRID["title"])).to_be_visible()
            expect(section.locator(".grid-table")).to_be_hidden()
            assert section.get_by_text("Cronbach").count() + section.get_by_text("크론바흐").count() == (
                path.startswith("/meetings"))
            if script:
                expect(section.locator("[data-kind=grid] canvas")).to_be_visible()
                expect(section.locator(".grid-picture")).to_be_hidden()
            else:
                assert section.locator(".grid-bars li").count() == 3
                expect(section.locator(".grid-bars li").first).to_be_visible()
            assert is_narrow(visitor)
            visitor.check_page(f"grids-results-{width}-{script}")
            section.locator("summary").first.click()
            expect(section.locator(".grid-table")).to_be_visible()
            expect(section.locator(".grid-table tbody tr").first.locator("td")).to_have_count(8)
            section.locator(".statements > summary").click()
            expect(section.locator("#q-useful h3")).to_be_visible()
            assert is_narrow(visitor)
            visitor.check_page(f"grids-results-open-{width}-{script}")
            visitor.end()


def bars_of_grids_are_arranged_by_choice(service, browser):
    form = service.form([GRID], identity="device")
    answer(service, form, *RATINGS)
    visitor = signed_in(browser, service, f"/meetings/{form['meeting']}/results", width=1440)
    expect(visitor.page.locator("#grid-course [data-kind=grid] canvas")).to_be_visible()
    labels = "Chart.getChart(document.querySelector('.chart[data-kind=grid] canvas')).data.labels"
    split = parts(visitor)
    # Of five, one rated the middle, two points above: 20 % of the bar lie on both sides of 0.
    assert split[2][0] == [-10, 10] and split[4][0] == [50, 90], split
    visitor.page.select_option("[data-choice=bars]", "aside")
    aside = parts(visitor)
    assert aside[3][0] == [0, 40] and aside[2][0][0] > 80, aside
    visitor.check_page("grids-aside")
    visitor.page.select_option("[data-choice=bars]", "stacked")
    stacked = parts(visitor)
    assert all(round(row[1]) == 100 for row in stacked[4]), stacked
    assert visitor.page.evaluate(labels)[1] == STATEMENTS[1]["title"]
    visitor.page.select_option("[data-choice=order]", "agreement")
    assert visitor.page.evaluate(labels) == [STATEMENTS[place]["title"] for place in [0, 2, 1]]
    visitor.check_page("grids-stacked")
    # New answers keep the choices.
    answer(service, form, {"clear": 1, "useful": 1, "short": 1})
    visitor.until("() => document.querySelector('#results').textContent.includes('6 ')")
    assert visitor.page.evaluate(labels)[2] == STATEMENTS[1]["title"]
    visitor.end()


def grids_are_one_slide_on_the_stage(service, browser):
    form = service.form([GRID, {"key": "pace", "kind": "rating", "title": "How was the pace?"}])
    path = f"/meetings/{form['meeting']}/stage"
    visitor = signed_in(browser, service, f"/meetings/{form['meeting']}", width=1440)
    visitor.open(path + "#slide-q-course")
    expect(visitor.page.locator("#slide-q-course .stage-empty")).to_be_visible()
    answer(service, form, *RATINGS)
    expect(visitor.page.locator("#slide-q-course .grid-bars li")).to_have_count(3)
    assert visitor.page.locator(".slide[id^=slide-q]").count() == 2
    visitor.check_page("grids-stage")
    visitor.open(f"/meetings/{form['meeting']}/remote?slide=q-course")
    expect(visitor.page.get_by_text(GRID["title"]).first).to_be_visible()
    visitor.end()


def rounds_of_grids_are_compared(service, browser):
    first = service.form([GRID], identity="device")
    answer(service, first, *RATINGS)
    series = service.call("GET", f"/v1/meetings/{first['meeting']}")["seriesId"]
    service.call("POST", f"/v1/meetings/{first['meeting']}/form/close")
    created = service.call("POST", f"/v1/series/{series}/meetings", {"title": "Second round"})
    form = service.call("POST", f"/v1/meetings/{created['id']}/form/publish")
    second = {**form, "meeting": created["id"]}
    answer(service, second, *RATINGS[::2], {"clear": 1, "useful": 5, "short": 2})
    for width, script, scheme in [(360, True, "dark"), (1440, False, "light"), (1440, True, "dark")]:
        visitor = signed_in(browser, service, f"/meetings/{second['meeting']}/results", width=width, script=script,
                            scheme=scheme)
        expect(visitor.page.locator(".grid-profile polyline.earlier")).to_have_count(3)
        expect(visitor.page.locator(".grid-profile polyline.now")).to_have_count(3)
        assert is_narrow(visitor)
        visitor.check_page("grids-profile")
        visitor.open(f"/series/{series}")
        expect(visitor.page.locator(".heat-map tbody tr")).to_have_count(3)
        assert visitor.page.locator(".heat-map tbody tr").first.locator("td").all_inner_texts() == ["4.20", "3.25"]
        assert is_narrow(visitor)
        visitor.check_page("grids-heat")
        visitor.open(f"/meetings/{second['meeting']}/report")
        expect(visitor.page.locator(".grid-bars li")).to_have_count(3)
        expect(visitor.page.locator(".grid-table")).to_be_visible()
        visitor.check_page("grids-report")
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
        assert stored[0]["statements"][0]["description"] == "Those of today.", stored
        visitor.end()

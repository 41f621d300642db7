"""Questions that are asked only after certain answers: for participants and in the form builder."""

from playwright.sync_api import expect

from page_visitor import SEND, Visitor, send, signed_in

SAVE = "button.send"
YES_NO = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
QUESTIONS = [
    {"key": "ate", "kind": "choice", "title": "Did you eat with us?", "required": True, "options": YES_NO},
    {"key": "food", "kind": "rating", "title": "How was the food?", "required": True,
     "showIf": {"question": "ate", "is": "yes"}},
    {"key": "why", "kind": "text", "title": "What was wrong?", "showIf": {"question": "food", "atMost": 2}},
    {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": True, "other": True,
     "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The talk"}]},
    {"key": "more", "kind": "text", "title": "Say more", "maxLength": 40,
     "showIf": {"any": [{"question": "topics", "is": "other"}, {"question": "why", "answered": True}]}},
]


def shown(visitor):
    return [question.get_attribute("id")[2:] for question in visitor.page.locator(".question:visible").all()]


def results(service, form):
    questions = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"]
    return {question["key"]: (question["asked"], question["answered"], question["skipped"]) for question in questions}


def questions_appear_by_an_answer(service, browser):
    for width, language, scheme in [(360, "en-GB", "light"), (1440, "ko-KR", "dark"), (360, "de-DE", "dark")]:
        form = service.form(QUESTIONS, identity="device")
        visitor = Visitor(browser, service.base, width=width, language=language, scheme=scheme)
        visitor.open(f"/f/{form['code']}")
        assert shown(visitor) == ["ate", "topics"], shown(visitor)
        assert visitor.page.locator(".stage-buttons:visible").count() == 0
        visitor.check_page("conditions-begin-" + language)
        visitor.pick("ate", "yes")
        assert shown(visitor) == ["ate", "food", "topics"]
        visitor.pick("food", "1")
        visitor.page.fill("#t-why", "cold")
        assert shown(visitor) == ["ate", "food", "why", "topics", "more"]
        visitor.check_page("conditions-all-" + language)
        # What is no longer asked is not sent, but comes back with its answer.
        visitor.pick("ate", "no")
        assert shown(visitor) == ["ate", "topics"]
        visitor.pick("ate", "yes")
        assert shown(visitor) == ["ate", "food", "why", "topics", "more"]
        assert visitor.page.input_value("#t-why") == "cold"
        # The draft in the browser keeps what is asked.
        visitor.page.reload()
        assert shown(visitor) == ["ate", "food", "why", "topics", "more"], shown(visitor)
        assert visitor.page.input_value("#t-why") == "cold"
        visitor.pick("food", "4")
        assert shown(visitor) == ["ate", "food", "topics"]
        visitor.page.locator('#q-topics [name="t.topics"]').press_sequentially("snacks")
        assert shown(visitor) == ["ate", "food", "topics", "more"]
        send(visitor)
        assert results(service, form) == {
            "ate": (1, 1, 0), "food": (1, 1, 0), "why": (0, 0, 0), "topics": (1, 1, 0), "more": (1, 0, 1)}
        # A correction begins with what was sent.
        visitor.open(f"/f/{form['code']}/edit")
        assert shown(visitor) == ["ate", "food", "topics", "more"]
        visitor.pick("ate", "no")
        send(visitor)
        assert results(service, form)["food"] == (0, 0, 0)
        visitor.end()


def refused_answers_show_what_was_asked(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    visitor.pick("ate", "yes")
    visitor.click(SEND)
    expect(visitor.page.locator("#e-food")).to_be_visible()
    assert shown(visitor) == ["ate", "food", "topics"]
    visitor.check_page("conditions-refused")
    visitor.pick("food", "5")
    send(visitor)
    visitor.end()


def conditions_work_one_by_one(service, browser):
    for width in [360, 1440]:
        form = service.form(QUESTIONS, identity="device", oneByOne=True)
        visitor = Visitor(browser, service.base, width=width)
        visitor.page.emulate_media(reduced_motion="reduce")
        visitor.open(f"/f/{form['code']}")

        def expect_step(key, number, count):
            expect(visitor.page.locator(f"#q-{key}")).to_be_visible()
            assert shown(visitor) == [key]
            assert visitor.page.locator("progress").evaluate("(bar) => [bar.value, bar.max]") == [number, count]

        expect_step("ate", 1, 2)
        visitor.pick("ate", "no")
        visitor.click(".next")
        expect_step("topics", 2, 2)
        assert visitor.page.locator(".next:visible").count() == 0
        visitor.click(".back")
        expect_step("ate", 1, 2)
        visitor.pick("ate", "yes")
        expect_step("ate", 1, 3)
        visitor.click(".next")
        expect_step("food", 2, 3)
        visitor.pick("food", "2")
        visitor.click(".next")
        expect_step("why", 3, 4)
        visitor.check_page("conditions-steps")
        visitor.page.keyboard.type("cold")
        visitor.click(".next")
        expect_step("topics", 4, 5)
        visitor.click(".next")
        expect_step("more", 5, 5)
        visitor.click(".back")
        expect_step("topics", 4, 5)
        visitor.page.go_back()
        expect_step("why", 3, 5)
        for key, number in [("topics", 4), ("more", 5)]:
            visitor.click(".next")
            expect_step(key, number, 5)
        send(visitor)
        assert results(service, form)["more"] == (1, 0, 1)
        visitor.end()


def conditions_work_without_javascript(service, browser):
    for width in [360, 1440]:
        for one_by_one in [False, True]:
            form = service.form(QUESTIONS, identity="device", oneByOne=one_by_one)
            visitor = Visitor(browser, service.base, script=False, width=width)
            visitor.open(f"/f/{form['code']}")
            assert shown(visitor) == ["ate"], shown(visitor)
            assert visitor.page.locator(f"{SEND}:visible").count() == 0
            visitor.check_page("conditions-part")
            visitor.pick("ate", "yes")
            visitor.click('button[value="next"]')
            assert shown(visitor) == ["food"]
            visitor.click('button[value="next"]')
            expect(visitor.page.locator("#e-food")).to_be_visible()
            visitor.pick("food", "1")
            visitor.click('button[value="next"]')
            assert shown(visitor) == ["why", "topics"]
            visitor.page.fill("#t-why", "cold")
            visitor.pick("topics", "demo")
            visitor.click('button[value="back"]')
            assert shown(visitor) == ["food"]
            visitor.click('button[value="back"]')
            visitor.pick("ate", "no")
            visitor.click('button[value="next"]')
            assert shown(visitor) == ["topics"]
            assert visitor.page.is_checked('[name="a.topics"][value="demo"]'), "going back has lost an answer"
            visitor.click('button[value="next"]')
            assert shown(visitor) == [] and visitor.page.locator(".all-asked:visible").count() == 1
            visitor.check_page("conditions-end")
            # Enter in a field sends nothing early, and changing one's mind brings the answers back.
            for _ in range(2):
                visitor.click('button[value="back"]')
            visitor.pick("ate", "yes")
            visitor.click('button[value="next"]')
            assert visitor.page.is_checked('[name="a.food"][value="1"]')
            visitor.click('button[value="next"]')
            assert visitor.page.input_value("#t-why") == "cold"
            visitor.click('button[value="next"]')
            assert shown(visitor) == ["more"]
            visitor.click(SEND)
            visitor.page.wait_for_url("**/sent")
            assert results(service, form) == {
                "ate": (1, 1, 0), "food": (1, 1, 0), "why": (1, 1, 0), "topics": (1, 1, 0), "more": (1, 0, 1)}
            visitor.end()


def conditions_are_edited_in_the_builder(service, browser):
    plain = [{name: value for name, value in question.items() if name != "showIf"} for question in QUESTIONS]
    for script, width, language in [(True, 360, "en-GB"), (True, 1440, "de-DE"), (False, 360, "en-GB"),
                                    (True, 360, "ko-KR")]:
        form = service.form(plain, publish=False)
        path = f"/meetings/{form['meeting']}/form"
        host = signed_in(browser, service, path, script=script, width=width, language=language)

        def press(action):
            if script:
                host.page.evaluate("document.getElementById('parts').dataset.old = 'yes'")
            host.page.locator(f'button[value="{action}"]').focus()
            host.page.keyboard.press("Enter")
            host.page.wait_for_selector("#parts:not([data-old])" if script else "#parts")
            host.page.wait_for_load_state()

        def choose(field, value, index=0, picks=False):
            if script and picks:
                host.page.evaluate("document.getElementById('parts').dataset.old = 'yes'")
            host.page.locator(f'[name="{field}"]').nth(index).select_option(value)
            if script and picks:
                host.page.wait_for_selector("#parts:not([data-old])")

        assert host.page.locator('button[value="if-add:0"]').count() == 0
        press("if-add:1")
        host.page.wait_for_selector('[name="q1.if-question"]')
        if script:
            assert host.page.evaluate("document.activeElement.name") == "q1.if-question"
        press("if-add:4")
        choose("q4.if-question", "topics")
        choose("q4.if-check", "is:other")
        press("if-add:4")
        choose("q4.if-question", "food", 1, picks=True)
        if not script:
            press("if-pick:4:1")
        choose("q4.if-check", "atMost:2", 1)
        choose("q4.if-join", "any")
        host.check_page("builder-conditions-" + language)
        host.click(SAVE)
        host.page.wait_for_url(f"**/meetings/{form['meeting']}")
        saved = service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"]
        assert saved[1]["showIf"] == {"question": "ate", "is": "yes"}, saved[1]
        assert saved[4]["showIf"] == {"any": [
            {"question": "topics", "is": "other"}, {"question": "food", "atMost": 2}]}, saved[4]
        host.open(path)
        # A question that moves above the one it depends on.
        press("up:1")
        assert host.page.locator("#q0 .conditions .fault").count() == 1
        host.check_page("builder-conditions-lost-" + language)
        host.click(SAVE)
        expect(host.page.locator(".alert")).to_be_visible()
        press("if-remove:0:0")
        host.click(SAVE)
        host.page.wait_for_url(f"**/meetings/{form['meeting']}")
        saved = service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"]
        assert saved[0]["key"] == "food" and "showIf" not in saved[0] and "showIf" in saved[4]
        host.end()

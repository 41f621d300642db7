"""Forms that show one question at a time."""

from playwright.sync_api import expect

from page_visitor import ALERT, QUESTIONS, SEND, Visitor, send, signed_in

SHORT = {"key": "word", "kind": "text", "title": "One word for today?", "maxLength": 40, "required": True}
STEPPED = [*QUESTIONS, SHORT]
# The sum of the layout shifts since the page was opened.
SHIFTS = """() => new Promise((resolve) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; });
  observer.observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(sum), 300);
})"""


def shown(visitor):
    """The key of the only question that is shown."""
    visible = visitor.page.locator(".question:visible")
    assert visible.count() == 1, visible.count()
    return visible.get_attribute("id")[2:]


def expect_step(visitor, key):
    expect(visitor.page.locator(f"#q-{key}")).to_be_visible()
    assert shown(visitor) == key
    number = [question["key"] for question in STEPPED].index(key) + 1
    assert visitor.page.locator("progress").evaluate("(bar) => [bar.value, bar.max]") == [number, len(STEPPED)]
    assert str(number) in visitor.page.inner_text("#step")


def focused(visitor):
    return visitor.page.evaluate("document.activeElement.closest('.question')?.id")


def form_is_answered_one_by_one_with_the_pointer(service, browser):
    for width, language, scheme in [
            (360, "en-GB", "light"), (1440, "ko-KR", "dark"), (360, "de-DE", "dark"), (1440, "en-GB", "light")]:
        form = service.form(STEPPED, identity="device", oneByOne=True, intro="Two minutes.")
        visitor = Visitor(browser, service.base, width=width, language=language, scheme=scheme)
        # Contrasts are checked without the animation of a question that slides in.
        visitor.page.emulate_media(reduced_motion="reduce")
        visitor.open(f"/f/{form['code']}")
        expect_step(visitor, "pace")
        assert visitor.page.evaluate(SHIFTS) == 0, "the page moves while it is loaded"
        assert visitor.page.locator(f"{SEND}:visible, .back:visible").count() == 0
        visitor.check_page("steps-first-" + language)
        visitor.click(".next")
        expect(visitor.page.locator("#e-pace")).to_be_visible()
        assert focused(visitor) == "q-pace", "the unanswered question has no focus"
        visitor.check_page("steps-unanswered-" + language)
        visitor.pick("pace", "4")
        assert visitor.page.locator("#e-pace").count() == 0
        visitor.click(".next")
        expect_step(visitor, "nps")
        assert focused(visitor) == "q-nps"
        for key in ["topics", "role", "better"]:
            visitor.click(".next")
            expect_step(visitor, key)
        visitor.page.fill("#t-better", "More\ntime")
        visitor.check_page("steps-middle-" + language)
        visitor.click(".next")
        expect_step(visitor, "word")
        assert visitor.page.locator(".next:visible").count() == 0
        visitor.page.fill("#t-word", "fine")
        # Back through all questions, which keep their answers.
        for key in ["better", "role", "topics", "nps", "pace"]:
            visitor.click(".back")
            expect_step(visitor, key)
        assert visitor.page.is_checked('[name="a.pace"][value="4"]')
        for key in ["nps", "topics", "role", "better", "word"]:
            visitor.click(".next")
            expect_step(visitor, key)
        visitor.check_page("steps-last-" + language)
        send(visitor)
        assert service.submissions(form) == 1
        visitor.end()


def form_is_answered_one_by_one_with_the_keyboard(service, browser):
    for width in [360, 1440]:
        form = service.form(STEPPED, identity="device", oneByOne=True)
        visitor = Visitor(browser, service.base, width=width)
        visitor.page.emulate_media(reduced_motion="reduce")
        visitor.open(f"/f/{form['code']}")
        keys = visitor.page.keyboard
        keys.press("Tab")
        keys.press("Enter")
        expect(visitor.page.locator("#e-pace")).to_be_visible()
        keys.press("Space")
        keys.press("ArrowRight")
        keys.press("Enter")
        expect_step(visitor, "nps")
        keys.press("Enter")
        expect_step(visitor, "topics")
        keys.press("Space")
        for _ in range(3):
            keys.press("Tab")
        keys.type("the snacks")
        keys.press("Enter")
        expect_step(visitor, "role")
        keys.press("Enter")
        expect_step(visitor, "better")
        # In a longer text Enter begins a line.
        keys.type("More")
        keys.press("Enter")
        keys.type("time")
        assert visitor.page.input_value("#t-better") == "More\ntime"
        keys.press("Control+Enter")
        expect_step(visitor, "word")
        keys.type("fine")
        keys.press("Tab")
        assert visitor.page.evaluate("document.activeElement.matches('.back')")
        keys.press("Enter")
        expect_step(visitor, "better")
        keys.press("Control+Enter")
        expect_step(visitor, "word")
        for _ in range(2):
            keys.press("Tab")
        assert visitor.page.evaluate("document.activeElement.matches('.send')")
        keys.press("Enter")
        visitor.page.wait_for_url("**/sent")
        results = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"]
        assert results[0]["datasets"][0]["data"] == [0, 1, 0, 0, 0], results[0]
        assert results[2]["answered"] == 1
        visitor.end()


def double_click_moves_one_step_and_sends_nothing(service, browser):
    form = service.form(STEPPED, identity="device", oneByOne=True)
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    visitor.pick("pace", "3")
    for key in ["nps", "topics", "role", "better", "word"]:
        visitor.page.dblclick(".next")
        expect_step(visitor, key)
    visitor.page.dblclick(".back")
    expect_step(visitor, "better")
    visitor.click(".next")
    visitor.page.fill("#t-word", "fine")
    assert visitor.page.locator(":checked").count() == 1, "the second click has chosen an option"
    assert service.submissions(form) == 0
    visitor.page.dblclick(SEND)
    visitor.page.wait_for_url("**/sent")
    assert service.submissions(form) == 1
    visitor.end()


def faults_of_the_service_open_their_step(service, browser):
    form = service.form(STEPPED, identity="device", oneByOne=True)
    for script in [True, False]:
        visitor = Visitor(browser, service.base, script=script)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "3")
        if script:
            for key in ["nps", "topics"]:
                visitor.click(".next")
                expect_step(visitor, key)
            for box in visitor.page.locator('[name="a.topics"]').all():
                box.check()
            visitor.page.fill('[name="t.topics"]', "the snacks")
            for key in ["role", "better", "word"]:
                visitor.click(".next")
                expect_step(visitor, key)
        else:
            # Without scripts all questions are on the page.
            assert visitor.page.locator(".question:visible").count() == len(STEPPED)
            assert visitor.page.locator(".next:visible, .back:visible, progress:visible").count() == 0
            visitor.check_page("steps-unscripted")
            for box in visitor.page.locator('[name="a.topics"]').all():
                box.check()
            visitor.page.fill('[name="t.topics"]', "the snacks")
        visitor.page.fill("#t-word", "fine")
        visitor.click(SEND)
        visitor.page.wait_for_selector(ALERT)
        assert visitor.page.locator("#e-topics:visible").count() == 1 and service.submissions(form) == int(not script)
        if script:
            expect_step(visitor, "topics")
            visitor.check_page("steps-faults")
            visitor.page.uncheck('[name="a.topics"][value="demo"]')
            visitor.click(".back")
            expect_step(visitor, "nps")
            for key in ["topics", "role", "better", "word"]:
                visitor.click(".next")
                expect_step(visitor, key)
            assert visitor.page.input_value("#t-word") == "fine"
        else:
            visitor.page.uncheck('[name="a.topics"][value="demo"]')
        send(visitor)
        visitor.end()
    assert service.submissions(form) == 2


def answers_survive_the_browser_buttons_one_by_one(service, browser):
    form = service.form(STEPPED, identity="device", oneByOne=True)
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    visitor.pick("pace", "3")
    for key in ["nps", "topics", "role"]:
        visitor.click(".next")
        expect_step(visitor, key)
    visitor.pick("role", "guest")
    visitor.page.go_back()
    expect_step(visitor, "topics")
    visitor.page.go_forward()
    expect_step(visitor, "role")
    assert visitor.page.is_checked('[name="a.role"][value="guest"]')
    visitor.page.reload()
    expect_step(visitor, "role")
    assert visitor.page.is_checked('[name="a.role"][value="guest"]') and visitor.page.is_checked('[name="a.pace"][value="3"]')
    visitor.click(".back")
    expect_step(visitor, "topics")
    # To another page and back.
    visitor.open("/")
    visitor.page.go_back()
    expect_step(visitor, "topics")
    assert visitor.page.is_checked('[name="a.role"][value="guest"]')
    for key in ["role", "better", "word"]:
        visitor.click(".next")
        expect_step(visitor, key)
    visitor.page.fill("#t-word", "fine")
    visitor.context.set_offline(True)
    visitor.click(SEND)
    visitor.until("() => (s => s.textContent === s.dataset.offline)(document.querySelector('#status'))")
    visitor.context.set_offline(False)
    visitor.page.wait_for_url("**/sent")
    assert service.submissions(form) == 1
    visitor.click(f'a[href$="{form["code"]}/edit"]')
    expect_step(visitor, "pace")
    assert visitor.page.is_checked('[name="a.pace"][value="3"]')
    visitor.end()


def form_without_its_steps_script_shows_all_questions(service, browser):
    form = service.form(STEPPED, identity="open", oneByOne=True)
    visitor = Visitor(browser, service.base)
    visitor.context.route("**/steps.js", lambda route: route.abort())
    visitor.open(f"/f/{form['code']}")
    expect(visitor.page.locator("#q-word")).to_be_visible(timeout=30_000)
    visitor.pick("pace", "3")
    visitor.page.fill("#t-word", "fine")
    send(visitor)
    assert service.submissions(form) == 1
    visitor.end()


def host_switches_on_one_question_at_a_time(service, browser):
    form = service.form(QUESTIONS, publish=False)
    path = f"/meetings/{form['meeting']}/form"
    host = signed_in(browser, service, path, width=1440)
    host.click("#settings summary")
    host.page.check("#oneByOne")
    host.click("button.send")
    host.page.wait_for_url("**/meetings/" + form["meeting"])
    assert service.call("GET", f"/v1{path}")["oneByOne"] is True
    host.open(path + "/preview")
    assert "one at a time" in host.page.inner_text("main") and host.page.locator(".question:visible").count() == len(QUESTIONS)
    host.check_page("steps-preview")
    host.end()


def stepped_form_transfers_at_most_60_kib(service, browser):
    form = service.form(STEPPED, identity="device", oneByOne=True)
    visitor = Visitor(browser, service.base)
    client = visitor.context.new_cdp_session(visitor.page)
    client.send("Network.enable")
    sizes = []
    client.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    visitor.open(f"/f/{form['code']}")
    visitor.page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) <= 60 * 1024, sizes
    visitor.end()


def form_does_not_move_while_it_is_loaded(service, browser):
    for settings in [{}, {"oneByOne": True}]:
        for first in range(len(QUESTIONS)):
            form = service.form(QUESTIONS[first:] + QUESTIONS[:first], identity="device", **settings)
            for width in [360, 1440]:
                visitor = Visitor(browser, service.base, width=width)
                visitor.open(f"/f/{form['code']}")
                visitor.page.wait_for_load_state("networkidle")
                assert visitor.page.evaluate(SHIFTS) == 0, (settings, QUESTIONS[first]["key"], width)
                visitor.end()

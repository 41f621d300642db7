"""Pages for participants."""

import urllib.error
import urllib.request

from page_service import embedding_page, hours_from_now
from page_visitor import ALERT, NASTY, QUESTIONS, SEND, Visitor, send


def form_works_with_and_without_scripts(service, browser):
    for script, width, language in [(False, 360, "en-GB"), (True, 360, "ko-KR"), (True, 360, "de-DE"), (True, 1440, "en-GB")]:
        form = service.form(QUESTIONS, identity="device", anonymous=True, showResults="always", intro="Two minutes.")
        visitor = Visitor(browser, service.base, script, width, language)
        visitor.open(f"/f/{form['code']}")
        assert visitor.page.locator("input:checked").count() == 0, "an option is preselected"
        visitor.check_page("form")
        visitor.pick("topics", "demo")
        visitor.page.fill('[name="t.topics"]', "the snacks")
        visitor.page.fill("textarea", "More\ntime")
        visitor.click(SEND)
        visitor.page.wait_for_selector(ALERT)
        assert visitor.page.locator("#q-pace .fault").count() == 1, "the fault is not at its question"
        assert visitor.page.input_value("textarea") == "More\ntime"
        assert visitor.page.is_checked('[name="a.topics"][value="demo"]')
        visitor.check_page("form-faults")
        visitor.pick("pace", "4")
        send(visitor)
        visitor.check_page("sent")
        assert service.submissions(form) == 1
        visitor.click(f'a[href$="{form["code"]}/edit"]')
        assert visitor.page.is_checked('[name="a.pace"][value="4"]')
        assert visitor.page.input_value('[name="t.topics"]') == "the snacks"
        visitor.check_page("correction")
        visitor.pick("pace", "5")
        send(visitor)
        visitor.check_page("sent-correction")
        visitor.click('a[href$="/results"]')
        visitor.check_page("results-withheld")
        visitor.open(f"/f/{form['code']}")
        assert visitor.page.url.endswith("/sent"), "the form is offered again after a submission"
        visitor.click("summary")
        visitor.click("button.danger")
        visitor.page.wait_for_load_state()
        assert service.submissions(form) == 0
        visitor.check_page("withdrawn")
        visitor.end()


def draft_survives_a_reload_and_a_lost_connection(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    visitor.pick("pace", "3")
    visitor.page.fill("textarea", "kept")
    visitor.page.reload()
    assert visitor.page.input_value("textarea") == "kept" and visitor.page.is_checked('[name="a.pace"][value="3"]')
    visitor.context.set_offline(True)
    visitor.click(SEND)
    visitor.until("() => (s => s.textContent === s.dataset.offline)(document.querySelector('#status'))")
    assert service.submissions(form) == 0
    visitor.check_page("offline")
    visitor.context.set_offline(False)
    visitor.page.wait_for_url("**/sent")
    assert service.submissions(form) == 1
    visitor.end()


def double_click_creates_one_submission(service, browser):
    for script in [True, False]:
        form = service.form(QUESTIONS, identity="open")
        visitor = Visitor(browser, service.base, script)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "3")
        visitor.page.dblclick(SEND)
        visitor.page.wait_for_url("**/sent")
        assert service.submissions(form) == 1
        # Going back and sending the same form again returns the same response.
        visitor.page.go_back()
        if visitor.page.locator(SEND).count():
            if not visitor.page.is_checked('[name="a.pace"][value="3"]'):
                visitor.pick("pace", "3")
            visitor.click(SEND)
            visitor.page.wait_for_url("**/sent")
        assert service.submissions(form) == 1
        visitor.end()


def withdrawal_from_a_once_only_form_is_final(service, browser):
    for identity in ["device", "attendee"]:
        for script in [True, False]:
            form = service.form(QUESTIONS, identity=identity)
            link = f"{service.base}/f/{form['code']}"
            if identity == "attendee":
                people = f"/v1/meetings/{form['meeting']}/attendees"
                person = service.call("POST", people, {"name": "Mina", "email": "m@example.org"})
                link = service.call("POST", f"{people}/{person['id']}/link")["url"]
            visitor = Visitor(browser, service.base, script)
            visitor.page.goto(link)
            stale = visitor.context.new_page()
            stale.goto(visitor.page.url)
            visitor.pick("pace", "3")
            send(visitor)
            visitor.click("summary")
            visitor.click("button.danger")
            visitor.page.wait_for_url("**/withdrawn")
            assert "only once" in visitor.page.inner_text("main") and visitor.page.locator(SEND).count() == 0
            visitor.check_page(f"withdrawn-{identity}")
            visitor.page.reload()
            visitor.page.goto(link)
            assert visitor.page.url.endswith("/withdrawn"), "the form is offered after a withdrawal"
            while "/f/" in visitor.page.url:
                visitor.page.wait_for_load_state()
                assert visitor.page.locator(SEND).count() == 0, "Back leads to the withdrawn form"
                visitor.page.go_back()
            # The form as the browser had cached it.
            visitor.page = stale
            if script:
                stale.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
                stale.wait_for_url("**/withdrawn")
            else:
                visitor.pick("pace", "4")
                visitor.click(SEND)
                assert "only once" in stale.inner_text("main") and "4" in stale.inner_text("dl")
                visitor.check_page(f"withdrawn-refused-{identity}")
            assert visitor.page.locator(SEND).count() == 0
            assert service.submissions(form) == 0
            visitor.end()


def open_form_can_be_answered_again_after_a_withdrawal(service, browser):
    for script in [True, False]:
        form = service.form(QUESTIONS, identity="open")
        visitor = Visitor(browser, service.base, script)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "3")
        first = visitor.page.input_value("[name=key]")
        send(visitor)
        visitor.click("summary")
        visitor.click("button.danger")
        visitor.page.wait_for_url("**/withdrawn")
        visitor.check_page("withdrawn-open")
        visitor.click(f'main a[href="/f/{form["code"]}"]')
        visitor.pick("pace", "4")
        # Like a browser that shows the form as it was before the withdrawal.
        visitor.page.locator("[name=key]").evaluate("(field, key) => { field.value = key; }", first)
        visitor.click(SEND)
        visitor.page.wait_for_selector(ALERT)
        assert service.submissions(form) == 0, "the withdrawn submission was restored"
        if script:
            visitor.page.reload()
            assert visitor.page.is_checked('[name="a.pace"][value="4"]')
        send(visitor)
        assert service.submissions(form) == 1
        visitor.end()


def late_answers_are_shown_to_the_participant(service, browser):
    for script in [True, False]:
        form = service.form(QUESTIONS, identity="device")
        visitor = Visitor(browser, service.base, script)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "3")
        visitor.page.fill("textarea", "too late " + NASTY)
        service.call("POST", f"/v1/meetings/{form['meeting']}/form/close")
        visitor.click(SEND)
        visitor.page.wait_for_selector("dl")
        assert "too late " + NASTY in visitor.page.inner_text("dl")
        assert visitor.page.locator("main h2").count() == 1 and visitor.page.locator("dl").count() == 1
        visitor.check_page("too-late")
        visitor.end()


def scheduled_and_closed_forms_have_their_own_pages(service, browser):
    early = service.form(QUESTIONS, opens=hours_from_now(5))
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{early['code']}")
    assert visitor.page.locator("time").count() == 1 and visitor.page.locator(SEND).count() == 0
    visitor.check_page("early")
    closed = service.form(QUESTIONS, showResults="afterClose")
    visitor.open(f"/f/{closed['code']}")
    visitor.pick("pace", "4")
    send(visitor)
    service.call("POST", f"/v1/meetings/{closed['meeting']}/form/close")
    visitor.context.clear_cookies()
    visitor.open(f"/f/{closed['code']}")
    visitor.check_page("closed")
    visitor.click('a[href$="/results"]')
    assert visitor.page.locator("tbody tr").count() >= 5
    visitor.check_page("results")
    for path, status in [("/f/nowhere", 404), ("/nowhere", 404), ("/c/nowhere", 404), ("/p/nowhere", 404)]:
        assert visitor.open(path).status == status, path
    visitor.check_page("nowhere")
    visitor.end()


def personal_link_allows_one_submission(service, browser):
    form = service.form(QUESTIONS, identity="attendee")
    person = service.call("POST", f"/v1/meetings/{form['meeting']}/attendees", {"name": "Mina", "email": "m@example.org"})
    link = service.call("POST", f"/v1/meetings/{form['meeting']}/attendees/{person['id']}/link")["url"]
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    assert visitor.page.locator(SEND).count() == 0, "the form is offered without a personal link"
    visitor.check_page("personal")
    visitor.page.goto(link)
    assert "?t=" not in visitor.page.url, "the token is in the URL"
    visitor.pick("pace", "2")
    send(visitor)
    visitor.end()
    again = Visitor(browser, service.base)
    again.page.goto(link)
    assert again.page.locator(SEND).count() == 0 and "already answered" in again.page.inner_text("main")
    assert service.submissions(form) == 1
    # Another person uses the same browser.
    other = service.call("POST", f"/v1/meetings/{form['meeting']}/attendees", {"name": "Jun", "email": "j@example.org"})
    link = service.call("POST", f"/v1/meetings/{form['meeting']}/attendees/{other['id']}/link")["url"]
    again.page.goto(link)
    assert again.page.locator("input:checked").count() == 0, "the draft of another person is shown"
    again.pick("pace", "1")
    send(again)
    assert service.submissions(form) == 2
    again.end()


def shared_screen_clears_the_form_between_participants(service, browser):
    form = service.form(QUESTIONS, identity="open")
    visitor = Visitor(browser, service.base, width=1440)
    for number in range(3):
        visitor.open(f"/f/{form['code']}")
        assert visitor.page.locator("input:checked").count() == 0 and visitor.page.input_value("textarea") == ""
        visitor.pick("pace", str(number + 1))
        visitor.page.fill("textarea", f"person {number}")
        send(visitor)
        visitor.click('form[action$="/next"] button')
        visitor.page.wait_for_url(f"**/f/{form['code']}")
    assert service.submissions(form) == 3
    visitor.end()


def check_in_remembers_the_guest(service, browser):
    form = service.form(
        QUESTIONS, meeting={"startsAt": hours_from_now(-0.2), "endsAt": hours_from_now(1), "timeZone": "Asia/Seoul"})
    code = service.call("GET", f"/v1/meetings/{form['meeting']}")["checkInCode"]
    visitor = Visitor(browser, service.base)
    visitor.open(f"/c/{code}")
    visitor.page.fill("#name", NASTY)
    visitor.click("form button")
    visitor.page.wait_for_selector("#email-fault")
    assert visitor.page.input_value("#name") == NASTY
    visitor.check_page("check-in")
    visitor.page.fill("#email", "mina@example.org")
    visitor.page.check('[name="remember"]')
    visitor.click("form button")
    visitor.page.wait_for_selector("a.button")
    visitor.check_page("checked-in")
    visitor.open(f"/c/{code}?another")
    assert visitor.page.input_value("#email") == "mina@example.org"
    listed = service.call("GET", f"/v1/meetings/{form['meeting']}/attendees")["items"]
    assert [one["name"] for one in listed] == [NASTY]
    visitor.end()


def join_code_on_the_front_page_opens_the_form(service, browser):
    form = service.form(QUESTIONS)
    visitor = Visitor(browser, service.base, width=1440)
    visitor.open("/")
    visitor.check_page("front")
    visitor.page.fill("#code", "nosuch12")
    visitor.click("button")
    visitor.page.wait_for_selector("#code-fault")
    visitor.check_page("front-fault")
    joined = form["joinCode"].upper()
    visitor.page.fill("#code", f" {joined[:4]}-{joined[4:]} ")
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url(f"**/f/{form['code']}")
    visitor.click('a[hreflang="ko"]')
    assert visitor.page.get_attribute("html", "lang") == "ko"
    visitor.open("/")
    assert visitor.page.get_attribute("html", "lang") == "ko", "the language is not remembered"
    visitor.click('a[hreflang="de"]')
    assert visitor.page.get_attribute("html", "lang") == "de"
    visitor.end()


def poster_opens_the_current_form(service, browser):
    form = service.form(QUESTIONS)
    meeting = service.call("GET", f"/v1/meetings/{form['meeting']}")
    code = service.call("GET", f"/v1/series/{meeting['seriesId']}")["code"]
    visitor = Visitor(browser, service.base)
    visitor.open(f"/s/{code}")
    assert visitor.page.url.endswith(f"/f/{form['code']}")
    assert visitor.open("/s/0000000000000").status == 404
    visitor.check_page("poster-nowhere")
    visitor.end()


def oversized_input_is_returned_for_shortening(service, browser):
    texts = [{"key": f"t{number}", "kind": "text", "title": f"Text {number}", "maxLength": 10_000} for number in range(31)]
    form = service.form([*texts, *QUESTIONS], identity="device")
    for script in [True, False]:
        visitor = Visitor(browser, service.base, script=script)
        visitor.open(f"/f/{form['code']}")
        assert visitor.page.get_attribute("#t-t0", "maxlength") == "400000"
        visitor.pick("pace", "3")
        for number in range(31):
            visitor.page.fill(f"#t-t{number}", f"{number}" + "a" * 9000)
        visitor.click(SEND)
        visitor.page.wait_for_selector(ALERT)
        assert visitor.page.input_value("#t-t30") == "30" + "a" * 9000 and visitor.page.is_checked('[name="a.pace"][value="3"]')
        assert "too much" in visitor.page.inner_text(ALERT)
        if script:
            visitor.check_page("too-much")
            # Input that exceeds the request limit stays in its fields.
            for number in range(31):
                visitor.page.fill(f"#t-t{number}", "가" * 10_000)
            visitor.click(SEND)
            visitor.until("() => document.getElementById('status').textContent.includes('too much')")
            assert visitor.page.input_value("#t-t30") == "가" * 10_000
        for number in range(31):
            visitor.page.fill(f"#t-t{number}", "short")
        send(visitor)
        visitor.end()
    assert service.submissions(form) == 2


def characters_of_many_bytes_are_returned_for_shortening(service, browser):
    form = service.form(QUESTIONS, identity="device")
    for script in [True, False]:
        visitor = Visitor(browser, service.base, script=script)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("pace", "3")
        # 200 characters may have 8,000 bytes.
        visitor.page.fill("#t-better", "e" + "\u0301\u200d" * 1600)
        if script:
            visitor.until("() => document.querySelector('.counter').textContent.startsWith('1 ')")
            assert "fault" in visitor.page.get_attribute(".counter", "class")
        visitor.click(SEND)
        visitor.page.wait_for_selector("#e-better")
        assert "too long" in visitor.page.inner_text("#e-better")
        # The browser cuts no text that the service accepts.
        for field, length in [("#t-better", 200), ('[name="t.topics"]', 1000)]:
            visitor.page.fill(field, "")
            visitor.page.focus(field)
            visitor.page.keyboard.insert_text("👩‍👩‍👧‍👦" * length)
            assert visitor.page.input_value(field) == "👩‍👩‍👧‍👦" * length
        send(visitor)
        visitor.end()
    assert service.submissions(form) == 2


def unstorable_character_is_reported_at_its_field(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    visitor.pick("pace", "3")
    visitor.page.evaluate("document.querySelector('#t-better').value = 'more\\0tea'")
    visitor.click(SEND)
    visitor.page.wait_for_selector("#e-better")
    assert "cannot be stored" in visitor.page.inner_text("#e-better") and service.submissions(form) == 0
    visitor.check_page("nul")
    visitor.page.fill("#t-better", "more tea")
    send(visitor)
    visitor.end()


def input_survives_an_expired_token(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base, script=False)
    visitor.open(f"/f/{form['code']}")
    visitor.pick("pace", "3")
    visitor.page.fill("textarea", "typed")
    visitor.context.add_cookies([
        {"name": "afterword-csrf", "value": "x" * 32, "url": service.base, "httpOnly": True, "sameSite": "Lax"}])
    visitor.click(SEND)
    visitor.page.wait_for_selector(ALERT)
    assert visitor.page.input_value("textarea") == "typed" and service.submissions(form) == 0
    send(visitor)
    assert service.submissions(form) == 1
    visitor.end()


def scripts_in_texts_are_escaped(service, browser):
    questions = [
        {**question, "title": NASTY, "description": NASTY,
         **({"options": [{"id": "a", "label": NASTY}]} if question["kind"] == "choice" else {}),
         **({"minLabel": NASTY, "maxLabel": NASTY} if question["kind"] == "rating" else {})}
        for question in QUESTIONS]
    form = service.form(questions, title=NASTY, intro=NASTY, showResults="always")
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    assert visitor.page.inner_text("h1") == NASTY and visitor.page.title() == NASTY
    visitor.pick("pace", "1")
    visitor.page.fill("textarea", NASTY)
    send(visitor)
    visitor.open(f"/f/{form['code']}/results")
    assert visitor.page.inner_text("h1") == NASTY and visitor.page.locator("img, main script").count() == 0
    visitor.check_page("nasty")
    visitor.end()


def form_is_accessible_in_dark_mode(service, browser):
    form = service.form(QUESTIONS, identity="device", showResults="always", anonymous=True)
    visitor = Visitor(browser, service.base, scheme="dark")
    visitor.open(f"/f/{form['code']}")
    visitor.check_page("form")
    visitor.click(SEND)
    visitor.page.wait_for_selector(ALERT)
    visitor.check_page("form-faults")
    visitor.pick("pace", "1")
    send(visitor)
    visitor.click("summary")
    visitor.check_page("sent")
    visitor.open(f"/f/{form['code']}/results")
    visitor.check_page("results")
    visitor.open("/")
    visitor.check_page("front")
    visitor.end()


def form_can_be_completed_with_the_keyboard(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base, width=1440)
    visitor.open(f"/f/{form['code']}")
    keys = visitor.page.keyboard
    keys.press("Tab")
    keys.press("Space")
    for _ in range(3):
        keys.press("ArrowRight")
    for _ in range(40):
        if visitor.page.evaluate("document.activeElement.className") == "send":
            break
        keys.press("Tab")
    keys.press("Enter")
    visitor.page.wait_for_url("**/sent")
    answers = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"][0]["datasets"][0]["data"]
    assert answers == [0, 0, 0, 1, 0], answers
    visitor.end()


def form_page_transfers_at_most_50_kib(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base)
    client = visitor.context.new_cdp_session(visitor.page)
    client.send("Network.enable")
    sizes = []
    client.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    visitor.open(f"/f/{form['code']}")
    visitor.page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) <= 50 * 1024, sizes
    visitor.end()


def form_page_is_revalidated_by_etag(service, browser):
    def fetch(path, headers):
        request = urllib.request.Request(service.base + path, headers={"Accept": "text/html", **headers})
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, answer.headers, answer.read()

    device = service.form(QUESTIONS, identity="device")
    status, headers, page = fetch(f"/f/{device['code']}", {})
    cookies = "; ".join(cookie.split(";")[0] for cookie in headers.get_all("Set-Cookie"))
    assert status == 200 and headers["Cache-Control"] == "private, no-cache"
    status, headers, page = fetch(f"/f/{device['code']}", {"Cookie": cookies})
    tag = headers["ETag"]
    status, headers, page = fetch(f"/f/{device['code']}", {"Cookie": cookies, "If-None-Match": f'"x", {tag}'})
    assert status == 304 and headers["ETag"] == tag and not page
    assert fetch(f"/f/{device['code']}", {"If-None-Match": tag})[0] == 200, "the ETag does not depend on the cookie"
    assert fetch(f"/f/{device['code']}?lang=ko", {"Cookie": cookies, "If-None-Match": tag})[0] == 200
    # Each request for a form on a shared screen gets its own key.
    shared = service.form(QUESTIONS, identity="open")
    status, headers, page = fetch(f"/f/{shared['code']}", {})
    assert headers["ETag"] is None and headers["Cache-Control"] == "no-store"


def form_can_be_embedded_only_by_allowed_sites(service, browser):
    form = service.form(QUESTIONS, identity="device")
    with embedding_page(f"{service.base}/f/{form['code']}") as port:
        for host, is_shown in [("localhost", True), ("127.0.0.1", False)]:
            context = browser.new_context()
            page = context.new_page()
            page.goto(f"http://{host}:{port}/")
            inner = page.frame_locator("iframe")
            if is_shown:
                # Without cookies, which a browser does not send to a frame over plain http.
                inner.locator('input[name="a.pace"][value="4"]').check()
                inner.locator(SEND).click()
                inner.get_by_text("Your answers have been saved.").wait_for()
                assert service.submissions(form) == 1
            else:
                page.wait_for_load_state("networkidle")
                assert inner.locator(SEND).count() == 0
            context.close()
    for path in ["/", "/sign-in"]:
        with urllib.request.urlopen(service.base + path) as answer:
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], path
    personal = service.form(QUESTIONS, identity="attendee")
    with urllib.request.urlopen(service.base + "/f/" + personal["code"]) as answer:
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]

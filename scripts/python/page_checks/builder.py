"""The form builder and the pages around a meeting."""

import struct
import time
import zlib

from page_visitor import NASTY, QUESTIONS, Visitor, send, signed_in

SAVE = "button.send"


def click_and_wait(host, button):
    """Clicks a button of the builder and waits for the result."""
    host.page.evaluate("document.getElementById('parts').dataset.old = 'yes'")
    host.click(button)
    host.page.wait_for_selector("#parts:not([data-old])")


def titles(host):
    return [field.input_value() for field in host.page.locator('[id$="-title"]').all()]


def saved_titles(service, form):
    return [question["title"] for question in service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"]]


def picture(width=40, height=30, noise=b""):
    """A small PNG. `noise` is added as a chunk that no viewer shows."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\x23\x55\x8c" * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"tEXt", b"Comment\0" + noise) + chunk(b"IEND", b""))


def questions_are_reordered_by_mouse_keyboard_and_buttons(service, browser):
    wanted = ["Three", "One", "Two"]
    questions = [{"key": key, "kind": "text", "title": title}
                 for key, title in [("a", "One"), ("b", "Two"), ("c", "Three")]]

    def mouse(host):
        host.page.locator("#q2 .handle").scroll_into_view_if_needed()
        handle, goal = host.page.locator("#q2 .handle"), host.page.locator("#q0")
        host.page.evaluate("document.getElementById('parts').dataset.old = 'yes'")
        handle.hover()
        host.page.mouse.down()
        box = goal.bounding_box()
        # At the edge of the screen the page would scroll.
        host.page.mouse.move(box["x"] + 20, max(box["y"] + 4, 1), steps=5)
        host.page.wait_for_selector("#q0.drop-before")
        host.page.mouse.up()
        host.page.wait_for_selector("#parts:not([data-old])")

    def keyboard(host):
        for place in [2, 1]:
            host.page.locator(f"#q{place} .handle").focus()
            host.page.keyboard.press("ArrowUp")
            host.page.wait_for_selector(f"#q{place - 1} .handle:focus")
        host.page.wait_for_selector("#said:has-text('1 of 3')")

    def buttons(host):
        click_and_wait(host, 'button[value="up:2"]')
        assert host.page.evaluate("document.activeElement.value") == "up:1", "the focus does not follow the question"
        click_and_wait(host, 'button[value="up:1"]')
        assert host.page.evaluate("document.activeElement.value") == "down:0"

    def without_script(host):
        for place in [2, 1]:
            host.click(f'button[value="up:{place}"]')
            host.page.wait_for_load_state()

    for reorder in [mouse, keyboard, buttons, without_script]:
        form = service.form(questions, publish=False)
        path = f"/meetings/{form['meeting']}/form"
        host = signed_in(browser, service, path, script=reorder is not without_script, width=1440)
        host.page.fill("#q1-title", "Two, reworded")
        reorder(host)
        assert titles(host) == ["Three", "One", "Two, reworded"], reorder.__name__
        host.page.fill("#q2-title", "Two")
        host.click(SAVE)
        host.page.wait_for_url("**/meetings/" + form["meeting"])
        assert saved_titles(service, form) == wanted, reorder.__name__
        host.end()


def form_is_built_previewed_published_and_answered(service, browser):
    for script, width, language, scheme in [
            (True, 1440, "en-GB", "dark"), (False, 360, "ko-KR", "light"), (True, 360, "de-DE", "light")]:
        form = service.form([], publish=False)
        path = f"/meetings/{form['meeting']}/form"
        host = signed_in(browser, service, path, script=script, width=width, language=language, scheme=scheme)

        def click(button):
            if script:
                return click_and_wait(host, button)
            host.click(button)
            host.page.wait_for_load_state()

        name = "builder-" + language
        host.check_page(name + "-empty")
        click('button[value="begin:workshop"]')
        assert host.page.locator("fieldset.built").count() == 5
        click('button[value="add:choice"]')
        if script:
            assert host.page.evaluate("document.activeElement.id") == "q5-title", "the focus is not in the new question"
        host.page.fill("#q5-title", "Which " + NASTY)
        host.page.fill("#q5-option-0", "The demo")
        if script:
            host.page.fill("#q5-option-1", "The talk")
            host.page.press("#q5-option-1", "Enter")
            host.page.wait_for_selector("#q5-option-2:focus")
        else:
            host.page.fill("#q5-option-1", "The talk")
            click('button[value="option-add:5"]')
        host.page.fill("#q5-option-2", "Lunch")
        click('button[value="option-up:5:2"]')
        click('button[value="option-remove:5:0"]')
        click('button[value="copy:5"]')
        host.page.fill("#q6-title", "Name")
        click('button[value="remove:0"]')
        assert titles(host)[-2:] == ["Which " + NASTY, "Name"]
        host.check_page(name + "-full")
        with host.context.expect_page() as opened:
            host.click('button[value="preview"]')
        preview = opened.value
        preview.wait_for_selector("button.send[disabled]")
        assert preview.locator("fieldset.question, .question").count() == 6
        assert NASTY in preview.inner_text("main") and preview.locator("form:has(textarea)").count() == 0
        assert "Lunch" in preview.inner_text("main")
        preview.close()
        host.click(SAVE)
        host.page.wait_for_url("**/meetings/" + form["meeting"])
        keys = [question["key"] for question in service.call("GET", "/v1" + path)["questions"]]
        assert "name1" in keys, "a key that is reserved for exports was used"
        host.open(path + "/preview")
        host.check_page(name + "-preview")
        assert not [cookie for cookie in host.context.cookies() if "device" in cookie["name"]]
        host.open(f"/meetings/{form['meeting']}")
        host.click('button[value="publish"]')
        host.page.wait_for_selector("strong.join")
        guest = Visitor(browser, service.base, script)
        guest.open(f"/f/{form['code']}")
        guest.page.locator("textarea").first.fill("fine")
        send(guest)
        guest.end()
        assert service.submissions(form) == 1
        host.end()


def builder_input_survives_a_stale_page_and_an_ended_session(service, browser):
    for script in [True, False]:
        form = service.form(QUESTIONS, publish=False)
        path = f"/meetings/{form['meeting']}/form"
        host = signed_in(browser, service, path, script=script)
        host.page.fill("#q0-title", "Typed " + NASTY)
        host.page.evaluate("document.querySelectorAll('[name=csrf]').forEach((field) => { field.value = 'old' })")
        click_and_wait(host, 'button[value="down:0"]')
        host.page.wait_for_selector("[role=alert]")
        assert host.page.input_value("#q0-title") == "Typed " + NASTY
        session = [one for one in host.context.cookies() if one["name"] == "afterword-session"]
        host.context.clear_cookies(name="afterword-session")
        click_and_wait(host, 'button[value="down:0"]')
        host.page.wait_for_selector("[role=alert]")
        assert host.page.input_value("#q0-title") == "Typed " + NASTY
        host.context.add_cookies(session)
        # The page was rendered for a signed-out visitor and comes back for a signed-in one.
        click_and_wait(host, 'button[value="down:0"]')
        host.page.wait_for_selector("[role=alert]")
        assert host.page.input_value("#q0-title") == "Typed " + NASTY
        host.click('button[value="down:0"]')
        host.page.wait_for_selector("[role=alert]", state="detached")
        assert host.page.input_value("#q1-title") == "Typed " + NASTY
        host.end()


def oversized_form_is_returned_with_its_input(service, browser):
    form = service.form(QUESTIONS, publish=False)
    path = f"/meetings/{form['meeting']}/form"
    host = signed_in(browser, service, path)
    # Sent by a script, because no browser lays out such a large field in time.
    shown = host.page.evaluate("""async (intro) => {
      const body = new URLSearchParams(new FormData(document.getElementById("builder")));
      body.set("intro", intro);
      body.set("q0.title", "Typed");
      body.set("act", "save");
      const answer = await fetch(location.pathname, { method: "POST", body });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      return [answer.status, page.getElementById("q0-title").value, page.getElementById("intro").value.length,
        page.querySelector("[role=alert]").textContent];
    }""", "a" * 2_200_000)
    assert shown[:3] == [413, "Typed", 2_200_000] and "too much" in shown[3], shown
    host.end()


def leaving_with_unsaved_changes_asks_for_confirmation(service, browser):
    form = service.form(QUESTIONS, publish=False)
    path = f"/meetings/{form['meeting']}/form"
    host = signed_in(browser, service, path)
    dialogs = []
    host.page.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.accept()))
    host.click('a[href="/meetings/' + form["meeting"] + '"]')
    host.page.wait_for_url("**/meetings/" + form["meeting"])
    assert dialogs == [], "leaving without changes asks for confirmation"
    host.open(path)
    host.page.type("#q0-title", "!")
    assert host.page.inner_text("#said") != ""
    host.click('a[href="/meetings/' + form["meeting"] + '"]')
    host.page.wait_for_url("**/meetings/" + form["meeting"])
    assert dialogs == ["beforeunload"]
    host.open(path)
    host.page.type("#q0-title", "!")
    host.click(SAVE)
    host.page.wait_for_url("**/meetings/" + form["meeting"])
    assert dialogs == ["beforeunload"], "saving asks for confirmation"
    host.end()


def input_during_a_pending_request_is_kept(service, browser):
    form = service.form(QUESTIONS, publish=False)
    path = f"/meetings/{form['meeting']}/form"
    host = signed_in(browser, service, path)
    held = []
    host.page.route("**" + path, lambda route: held.append(route) if route.request.method == "POST" else route.continue_())

    def release_request():
        """Lets the held request continue. Until then, input goes to the page as it was before the response."""
        while not held:
            host.page.wait_for_timeout(10)
        host.page.evaluate("document.getElementById('parts').dataset.old = 'yes'")
        held.pop().continue_()
        host.page.wait_for_selector("#parts:not([data-old])")

    keys = host.page.keyboard
    host.click('button[value="add:choice"]')
    keys.type("Lunch wit?")
    keys.press("Backspace")
    keys.type("h?")
    release_request()
    assert host.page.evaluate("document.activeElement.id") == "q5-title"
    assert host.page.input_value("#q5-title") == "Lunch with?"
    host.page.fill("#q5-option-1", "Tofu")
    host.page.locator("#q5-option-0").focus()
    keys.type("Soup")
    keys.press("Enter")
    keys.type("Rice")
    keys.press("Enter")
    keys.type("Fish")
    release_request()
    host.page.wait_for_selector("#q5-option-1:focus")
    # Other fields may be edited meanwhile, even one that is moved.
    host.page.fill("#q5-option-2", "Tofu, fried")
    host.page.focus("#q0-title")
    keys.press("End")
    keys.type("!")
    release_request()
    options = [field.input_value() for field in host.page.locator("#q5 [data-option]").all()]
    assert options == ["Soup", "Rice", "Fish", "Tofu, fried"], options
    assert host.page.input_value("#q0-title") == QUESTIONS[0]["title"] + "!"
    assert host.page.evaluate("document.activeElement.id") == "q0-title", "the focus left the edited field"
    host.page.focus("#q5-option-3")
    keys.press("End")
    keys.press("Enter")
    keys.type(" too")
    while not held:
        host.page.wait_for_timeout(10)
    held.pop().abort()
    host.page.wait_for_selector("#said:has-text('still here')")
    assert host.page.input_value("#q5-option-3") == "Tofu, fried too"
    host.end()


def builder_input_survives_a_lost_connection(service, browser):
    form = service.form(QUESTIONS, publish=False)
    host = signed_in(browser, service, f"/meetings/{form['meeting']}/form")
    host.page.fill("#q0-title", "Typed")
    host.context.set_offline(True)
    host.click('button[value="down:0"]')
    host.page.wait_for_selector("#said:has-text('still here')")
    assert host.page.input_value("#q0-title") == "Typed"
    host.context.set_offline(False)
    click_and_wait(host, 'button[value="down:0"]')
    assert host.page.input_value("#q1-title") == "Typed"
    host.end()


def faults_are_shown_at_their_fields_with_the_input(service, browser):
    for script, language, scheme in [(True, "en-GB", "light"), (False, "ko-KR", "dark"), (True, "de-DE", "light")]:
        form = service.form(QUESTIONS, publish=False, meeting={
            "startsAt": "2030-01-02T09:00:00Z", "endsAt": "2030-01-02T09:30:00Z", "timeZone": "Asia/Seoul",
            "allowOverlap": True})
        path = f"/meetings/{form['meeting']}/form"
        host = signed_in(browser, service, path, script=script, language=language, scheme=scheme)
        typed = {"#q0-title": "", "#q0-max": "many", "#q2-option-1": "The demo", "#q4-maxLength": "0",
                 "#cap": "all", "#graceMinutes": "-1", "#opens-at": ""}
        # Collapsed sections are opened one by one, which also works without scripts.
        for name in ["#q4-more", "#settings"]:
            host.click(name + " > summary")
        host.page.select_option("#opens-mode", "at")
        for field, value in typed.items():
            host.page.fill(field, value)
        host.page.select_option("#closes-mode", "after-end")
        host.page.fill("#closes-amount", "soon")
        host.click(SAVE)
        host.page.wait_for_selector("[role=alert]")
        for field in ["#q0-max", "#cap", "#opens-mode", "#closes-amount"]:
            assert host.page.get_attribute(field, "aria-invalid") == "true", field
            notes = host.page.get_attribute(field, "aria-describedby").split()
            assert host.page.locator(f"#{notes[-1]}").inner_text(), field
        for field, value in typed.items():
            assert host.page.input_value(field) == value, field
        assert host.page.input_value("#closes-amount") == "soon"
        host.check_page("builder-faults-" + language)
        for field, value in [("#q0-max", "5"), ("#cap", "30"), ("#opens-at", "2030-01-02T19:00"),
                             ("#closes-amount", "2")]:
            host.page.fill(field, value)
        host.click(SAVE)
        host.page.wait_for_selector('#q0-title[aria-invalid="true"]')
        for field in ["#q4-maxLength", "#graceMinutes"]:
            assert host.page.get_attribute(field, "aria-invalid") == "true", field
        host.page.fill("#q0-title", "How?")
        host.page.fill("#q2-option-1", "The talk")
        host.page.fill("#q4-maxLength", "200")
        host.page.fill("#graceMinutes", "")
        host.page.select_option("#closes-unit", "days")
        host.click(SAVE)
        host.page.wait_for_url("**/meetings/" + form["meeting"])
        stored = service.call("GET", "/v1" + path)
        assert stored["opens"] == "2030-01-02T10:00:00Z" and stored["cap"] == 30 and stored["graceMinutes"] == 5
        assert stored["closes"] == {"from": "end", "minutes": 2880}
        host.open(path)
        assert host.page.input_value("#closes-amount") == "2" and host.page.input_value("#closes-unit") == "days"
        assert host.page.input_value("#opens-at") == "2030-01-02T19:00"
        host.end()


def advice_is_shown_and_does_not_prevent_saving(service, browser):
    questions = [{"key": f"q{number}", "kind": "text", "title": "What is your name?", "required": True}
                 for number in range(11)]
    form = service.form(questions, publish=False, anonymous=True, minimumGroup=9, meeting={"headcount": 8})
    path = f"/meetings/{form['meeting']}/form"
    host = signed_in(browser, service, path)
    advice = host.page.inner_text(".advice")
    for words in ["more than ten", "larger than the number of people expected", "many people give up", "though the form is anonymous"]:
        assert words in advice, words
    host.click(".advice a >> nth=0")
    host.check_page("builder-advice")
    host.click(SAVE)
    host.page.wait_for_url("**/meetings/" + form["meeting"])
    host.end()
    form = service.form(QUESTIONS, publish=False)
    host = signed_in(browser, service, f"/meetings/{form['meeting']}/form")
    assert host.page.locator(".advice").count() == 0 or "name" not in host.page.inner_text(".advice")
    host.end()


def fixed_settings_are_read_only(service, browser):
    form = service.form(QUESTIONS, identity="device")
    path = f"/meetings/{form['meeting']}/form"
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}")
    guest.pick("pace", "4")
    send(guest)
    guest.end()
    host = signed_in(browser, service, path)
    host.click("#settings > summary")
    for field in ["#identity", "#anonymous", "#q2-multiple"]:
        assert host.page.is_disabled(field), field
        assert host.page.inner_text(field + "-fixed"), field
    assert host.page.get_attribute("#q0-max", "readonly") is not None and host.page.inner_text("#q0-max-fixed")
    host.check_page("builder-fixed")
    host.page.fill("#q0-title", "Reworded")
    host.click(SAVE)
    host.page.wait_for_url("**/meetings/" + form["meeting"])
    stored = service.call("GET", "/v1" + path)
    assert stored["questions"][0]["title"] == "Reworded" and stored["identity"] == "device"
    assert stored["questions"][2]["multiple"] is True
    host.end()


def concurrent_change_is_reported_and_input_is_kept(service, browser):
    form = service.form(QUESTIONS, publish=False)
    path = f"/meetings/{form['meeting']}/form"
    host = signed_in(browser, service, path)
    host.page.fill("#q0-title", "Mine")
    tag = service.call("GET", "/v1" + path)["etag"]
    service.call("PUT", "/v1" + path, {"title": "Theirs", "questions": QUESTIONS[:1]}, {"If-Match": tag})
    host.click(SAVE)
    host.page.wait_for_selector("[role=alert]")
    assert host.page.input_value("#q0-title") == "Mine"
    assert len(saved_titles(service, form)) == 1
    host.end()


def finalising_requires_confirmation(service, browser):
    for script, language, scheme in [(False, "en-GB", "light"), (True, "ko-KR", "dark"), (True, "de-DE", "light")]:
        form = service.form(QUESTIONS, anonymous=True)
        path = f"/meetings/{form['meeting']}"
        host = signed_in(browser, service, path, script=script, language=language, scheme=scheme)
        assert host.page.locator('button[value="finish"]').count() == 0, "an open form can be finalised"
        host.click('button[value="close"]')
        host.page.wait_for_selector('button[value="reopen"]')
        assert not host.page.locator('button[value="finish"]').is_visible(), "finalising needs no confirmation"
        host.click("summary:has(+ p + form button.danger)")
        host.check_page("finish-" + language)
        host.click('button[value="finish"]')
        host.page.wait_for_selector('button[value="reopen"]', state="detached")
        # Finalising waits for transactions that are open elsewhere; the clock then completes it.
        latest = time.monotonic() + 60
        while service.call("GET", f"/v1{path}/form")["state"] != "final" and time.monotonic() < latest:
            host.page.reload()
        assert service.call("GET", f"/v1{path}/form")["state"] == "final"
        host.open(path)
        host.check_page("final-" + language)
        host.end()
    named = service.form(QUESTIONS)
    host = signed_in(browser, service, f"/meetings/{named['meeting']}")
    host.click('button[value="close"]')
    host.page.wait_for_selector('button[value="reopen"]')
    assert host.page.locator('button[value="finish"]').count() == 0
    host.end()


def meeting_details_are_validated_and_saved(service, browser):
    other = service.call("POST", "/v1/meetings", {
        "title": "In the way " + NASTY, "startsAt": "2031-03-01T09:00:00Z", "endsAt": "2031-03-01T10:00:00Z",
        "timeZone": "UTC"})
    for script, width, language, scheme in [
            (True, 360, "en-GB", "light"), (False, 1440, "ko-KR", "dark"), (True, 360, "de-DE", "dark")]:
        form = service.form(QUESTIONS, publish=False)
        path = f"/meetings/{form['meeting']}"
        host = signed_in(
            browser, service, path + "/edit", script=script, width=width, language=language, scheme=scheme)
        host.page.fill("#title", "")
        host.page.fill("#headcount", "many")
        host.click(SAVE)
        host.page.wait_for_selector('#headcount[aria-invalid="true"]')
        assert host.page.input_value("#headcount") == "many"
        host.check_page("details-faults-" + language)
        host.page.fill("#headcount", "12")
        host.page.fill("#startsAt", "2031-03-01T10:30")
        host.page.fill("#endsAt", "2031-03-01T10:00")
        host.click(SAVE)
        host.page.wait_for_selector('#title[aria-invalid="true"]')
        assert host.page.get_attribute("#endsAt", "aria-invalid") == "true"
        host.page.fill("#title", "Moved " + NASTY)
        host.page.fill("#place", NASTY)
        host.page.fill("#endsAt", "2031-03-01T11:30")
        host.page.select_option("#timeZone", "Europe/Berlin")
        host.click(SAVE)
        host.page.wait_for_selector("[role=alert]")
        assert "In the way" in host.page.inner_text("[role=alert]"), "the overlapping meeting is not named"
        host.page.fill("#startsAt", "2031-03-01T12:30")
        host.page.fill("#endsAt", "2031-03-01T13:30")
        host.click(SAVE)
        host.page.wait_for_url("**" + path)
        stored = service.call("GET", "/v1" + path)
        assert stored["startsAt"] == "2031-03-01T11:30:00Z" and stored["headcount"] == 12
        assert stored["title"] == "Moved " + NASTY and stored["place"] == NASTY
        host.check_page("meeting-details-" + language)
        host.open(path + "/edit")
        assert host.page.input_value("#startsAt") == "2031-03-01T12:30"
        # Moves it to the trash and back.
        host.click("details > summary")
        host.click('button[value="trash"]')
        host.page.wait_for_url("**/trash")
        host.check_page("trash-" + language)
        host.click(f'button[value="{form["meeting"]}"]')
        host.page.wait_for_url("**" + path)
        assert service.call("GET", "/v1" + path)["deletedAt"] is None
        service.call("DELETE", "/v1" + path)
        host.end()
    service.call("DELETE", "/v1/meetings/" + other["id"])


def picture_is_validated_uploaded_and_removed(service, browser):
    for script in [True, False]:
        form = service.form(QUESTIONS, publish=False)
        path = f"/meetings/{form['meeting']}"
        host = signed_in(browser, service, path + "/edit", script=script)

        def upload(data):
            host.page.set_input_files("#image", {"name": 'a;"name=x.png', "mimeType": "image/png", "buffer": data})
            host.click('button[value="upload"]')

        upload(picture(noise=b"x" * (2 * 1024 * 1024)))
        host.page.wait_for_selector('#image[aria-invalid="true"]')
        assert "2 MiB" in host.page.inner_text("#image-fault")
        host.check_page("picture-too-large")
        for broken in [b"no picture", picture()[:-20]]:
            upload(broken)
            host.page.wait_for_selector("#image-fault:has-text('PNG')")
            assert host.page.locator("img.picture").count() == 0
        host.click('button[value="upload"]')
        host.page.wait_for_selector("#image-fault:has-text('first')")
        upload(picture(noise=b"where it was taken"))
        host.page.wait_for_selector("img.picture")
        stored = host.page.request.get(service.base + path + "/image")
        assert stored.status == 200 and b"where it was taken" not in stored.body()
        if script:
            assert host.page.evaluate("document.querySelector('img.picture').naturalWidth") == 40
        host.check_page("picture")
        host.click('button[value="remove"]')
        host.page.wait_for_selector("img.picture", state="detached")
        assert service.call("GET", "/v1" + path)["image"] is None
        host.end()


def enter_moves_to_the_next_option_and_settings_are_linked(service, browser):
    form = service.form(QUESTIONS, publish=False)
    for width, scheme, language in [(360, "light", "en-GB"), (1440, "dark", "ko-KR"), (360, "dark", "de-DE")]:
        host = signed_in(browser, service, f"/meetings/{form['meeting']}/form", width=width, scheme=scheme, language=language)
        host.click('button[value="add:choice"]')
        host.page.wait_for_selector("#q5-option-1")
        host.page.fill("#q5-option-0", "Soup")
        host.page.press("#q5-option-0", "Enter")
        assert host.page.evaluate("document.activeElement.id") == "q5-option-1"
        assert host.page.locator("#q5 [data-option]").count() == 2
        host.page.fill("#q5-option-1", "Rice")
        host.page.press("#q5-option-1", "Enter")
        host.page.wait_for_selector("#q5-option-2:focus")
        tops = host.page.locator(".save-bar .actions > *").evaluate_all("all => all.map(each => Math.round(each.getBoundingClientRect().top))")
        assert len(tops) == 3 and max(tops) - min(tops) < 12, "the save bar wraps onto a second line"
        host.click("#to-settings")
        assert host.page.locator("#identity").is_visible()
        assert host.page.evaluate("document.activeElement.closest('details').id") == "settings"
        host.check_page("builder-to-settings")
        host.end()

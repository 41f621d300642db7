"""What a new host met on the first walk through the product. `docs/first-walk.md` lists it."""

import json
import re
import shlex

from playwright.sync_api import expect

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_service import hours_from_now
from page_visitor import ALERT, NASTY, QUESTIONS, SEND, Visitor, send

PAGE_TOP = "(element) => element.getBoundingClientRect().top + scrollY"


def new_host(service, browser, name, **settings):
    email = account(service, f"walk-{name}@example.org")
    return HostAPI(service, email), signed_in(service, browser, email, PASSWORD, **settings)


def own_words_of_a_choice_are_listed_searched_and_hidden(service, browser):
    api, host = new_host(service, browser, "other", width=1440)
    form = api.form(QUESTIONS, identity="device", showResults="always")
    answer(service, form, *(
        {"pace": 3, "topics": ["demo", {"other": f"The snacks {number} {NASTY}"}]} for number in range(7)),
        {"pace": 3, "topics": [{"other": "회의 자료"}]}, {"pace": 3, "topics": ["talk"]})
    path = f"/meetings/{form['meeting']}/results"
    for script in [True, False]:
        email = f"walk-other@example.org"
        host = signed_in(service, browser, email, PASSWORD, script=script, width=1440 if script else 360)
        host.open(path)
        card = host.page.locator("#q-topics")
        assert card.locator("blockquote").count() == 5, "not only the newest are shown"
        assert card.locator("h3").inner_text() == "In their own words"
        assert host.page.locator("#q-role form, #q-role blockquote").count() == 0
        assert card.locator('button[value^="release"]').count() == 0, "own answers can be released to participants"
        newest = card.locator("blockquote").first.inner_text()
        host.click(card.locator(".written button").first)
        host.page.wait_for_url("**done=*")
        assert newest not in card.inner_text()
        host.check_page("own-words")
        host.click(card.locator("form.status button"))
        assert newest in card.inner_text()
        host.click(card.locator("a.button"))
        assert host.page.locator("blockquote").count() == 8
        host.page.fill("#q", "SNACKS 3")
        host.page.press("#q", "Enter")
        host.page.wait_for_url("**q=*")
        assert host.page.locator("blockquote").all_inner_texts() == [f"The snacks 3 {NASTY}"]
        host.check_page("own-words-all")
        # The words of more than one answer are counted.
        host.open(path + "/topics")
        assert host.page.locator(".chips a", has_text="snacks").inner_text().split() == ["snacks", "7"]
        host.end()
    # Hidden words leave the downloads, and the option stays counted.
    host = signed_in(service, browser, "walk-other@example.org", PASSWORD)
    host.open(path + "/topics?q=" + "자료")
    host.click(".written button")
    host.page.wait_for_url("**done=*")
    rows = host.page.request.get(host.base + f"/meetings/{form['meeting']}/export/submissions.csv").text()
    assert "회의 자료" not in rows and "The snacks 3" in rows
    counted = api.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"]
    assert [question["points"][2]["count"] for question in counted if question["key"] == "topics"] == [8]
    host.end()
    # Participants see the numbers only.
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}/results")
    assert "snacks" not in guest.page.inner_text("main")
    guest.end()


def own_words_of_an_anonymous_choice_wait_for_its_close(service, browser):
    api, host = new_host(service, browser, "other-anonymous")
    form = api.form(QUESTIONS, identity="device", anonymous=True, minimumGroup=3)
    answer(service, form, *({"pace": 3, "topics": [{"other": f"Own {number}"}]} for number in range(7)))
    path = f"/meetings/{form['meeting']}/results"
    host.open(path)
    assert host.page.locator("#q-topics blockquote").count() == 0
    host.open(path + "/topics")
    assert host.page.locator("blockquote").count() == 0 and host.page.locator(".promise.anonymous").count() == 1
    api.call("POST", f"/v1/meetings/{form['meeting']}/form/close")
    host.open(path)
    assert host.page.locator("#q-topics blockquote").count() == 5
    host.open(path + "/topics")
    assert sorted(host.page.locator("blockquote").all_inner_texts()) == [f"Own {number}" for number in range(7)]
    host.end()


def live_summary_counts_the_questions_it_leaves_out(service, browser):
    api, host = new_host(service, browser, "brief")
    questions = [{"key": f"r{number}", "kind": "rating", "title": f"Rating {number}"} for number in range(7)]
    form = api.form([*questions, QUESTIONS[1]])
    answer(service, form, {**{f"r{number}": 4 for number in range(7)}, "nps": 9})
    host.open(f"/meetings/{form['meeting']}/now")
    assert host.page.locator("dl.brief dt").count() == 6 and "2 more questions" in host.page.inner_text("#results")
    host.end()


def shared_page_says_why_it_shows_no_texts(service, browser):
    api, host = new_host(service, browser, "share")
    form = api.form(QUESTIONS)
    answer(service, form, {"pace": 3, "better": "More tea"})
    url = api.call("POST", f"/v1/meetings/{form['meeting']}/shares", {})["url"]
    guest = Visitor(browser, service.base)
    guest.page.goto(url)
    assert "Only hosts can read these texts." in guest.page.inner_text("#q-better")
    guest.check_page("shared-unreleased")
    api.call("POST", f"/v1/meetings/{form['meeting']}/results/better/release")
    guest.page.reload()
    assert guest.page.inner_text("#q-better blockquote") == "More tea"
    assert "Only hosts" not in guest.page.inner_text("#q-better")
    guest.end()
    host.open(f"/meetings/{form['meeting']}/results/better")
    assert host.page.locator("#words").count() == 0, "words of one answer are called frequent"
    empty = api.form(QUESTIONS)
    host.open(f"/meetings/{empty['meeting']}/results")
    assert host.page.locator("#q-better a.button").count() == 0, "there is nothing to read and search"
    assert host.page.locator('#q-better button[value="release:better"]').count() == 1
    host.end()


def faults_are_named_and_lead_to_their_questions(service, browser):
    many = [{"key": f"r{number}", "kind": "rating", "title": f"Rating {number}"} for number in range(6)]
    form = service.form([*many, QUESTIONS[2], {**QUESTIONS[0], "title": "The pace " + NASTY}], identity="device")
    for script in [True, False]:
        visitor = Visitor(browser, service.base, script)
        visitor.open(f"/f/{form['code']}")
        visitor.pick("topics", "demo")
        visitor.pick("topics", "talk")
        visitor.page.fill('[name="t.topics"]', "and more")
        visitor.click(SEND)
        visitor.page.wait_for_selector(ALERT + " li")
        assert visitor.page.locator(ALERT + " a").all_inner_texts() == [
            "Question 7, “Which parts helped you?”: Choose at most 2.",
            f"Question 8, “The pace {NASTY}”: Please answer this."]
        visitor.check_page("form-fault-links")
        visitor.click(ALERT + " a >> nth=1")
        assert visitor.page.locator("#q-pace").evaluate("(q) => q.getBoundingClientRect().top < innerHeight")
        if script:
            assert visitor.page.evaluate("document.activeElement.name") == "a.pace"
            visitor.pick("pace", "3")
            assert visitor.page.locator("#q-pace.wrong, #q-pace .fault").count() == 0, "the answered question is red"
        visitor.end()
    api, host = new_host(service, browser, "builder", width=1440)
    draft = api.form(many, publish=False)
    for script in [True, False]:
        host = signed_in(service, browser, "walk-builder@example.org", PASSWORD, script=script)
        host.open(f"/meetings/{draft['meeting']}/form")
        host.click('button[value="add:text"]')
        host.page.wait_for_selector("#q6")
        host.click("button.send")
        link = host.page.locator('[role=alert] a[href="#q6"]')
        assert link.inner_text() == "Question 7: This cannot be empty."
        host.check_page("builder-fault-links")
        host.click(link)
        assert host.page.locator("#q6").evaluate("(q) => q.getBoundingClientRect().top < innerHeight")
        if script:
            assert host.page.evaluate("document.activeElement.name") == "q6.title", "typing would be lost"
        host.end()


def clearing_an_answer_moves_nothing(service, browser):
    form = service.form(QUESTIONS, identity="device")
    visitor = Visitor(browser, service.base)
    visitor.open(f"/f/{form['code']}")
    tops = [visitor.page.locator(f"#q-{question['key']}").evaluate(PAGE_TOP) for question in QUESTIONS]
    for key, value in [("pace", "3"), ("nps", "9"), ("role", "guest")]:
        visitor.pick(key, value)
    assert tops == [visitor.page.locator(f"#q-{question['key']}").evaluate(PAGE_TOP) for question in QUESTIONS]
    # A required question cannot be cleared.
    assert visitor.page.locator("#q-pace button.clear").count() == 0
    visitor.click("#q-nps button.clear")
    assert visitor.page.locator("#q-nps :checked").count() == 0
    expect(visitor.page.locator("#q-nps button.clear")).to_be_hidden()
    visitor.end()


def personal_link_says_for_whom_it_is(service, browser):
    for anonymous in [False, True]:
        form = service.form(QUESTIONS, identity="attendee", anonymous=anonymous)
        people = f"/v1/meetings/{form['meeting']}/attendees"
        person = service.call("POST", people, {"name": "Anna " + NASTY, "email": "anna@example.org"})
        link = service.call("POST", f"{people}/{person['id']}/link")["url"]
        visitor = Visitor(browser, service.base)
        visitor.page.goto(link)
        sentence = "This personal link is for {}." if anonymous else "You answer as {}."
        assert visitor.page.inner_text(".holder") == sentence.format("Anna " + NASTY)
        visitor.check_page("form-holder")
        visitor.pick("pace", "3")
        send(visitor)
        visitor.end()
        second = Visitor(browser, service.base, script=False)
        second.page.goto(link)
        # The form of an anonymous meeting does not show who has answered.
        assert second.page.locator(SEND).count() == (1 if anonymous else 0)
        if not anonymous:
            assert "you have already answered" in second.page.inner_text("main")
            second.check_page("form-answered-elsewhere")
        second.end()


def check_in_says_who_and_when(service, browser):
    for minutes, late in [(-12, "(late)"), (12, "")]:
        form = service.form(QUESTIONS, title="Monthly all-hands", meeting={
            "startsAt": hours_from_now(minutes / 60), "endsAt": hours_from_now(2), "timeZone": "UTC",
            "allowOverlap": True})
        path = f"/c/{form['checkIn']['checkInCode']}"
        for script in [True, False]:
            visitor = Visitor(browser, service.base, script=script)
            visitor.open(path)
            assert visitor.page.inner_text("main").count("Monthly all-hands") == 1
            visitor.page.fill("#name", "Mina")
            visitor.click("form button")
            assert "Please fill this in." == visitor.page.inner_text("#email-fault")
            visitor.page.fill("#email", f"mina-{script}@example.org")
            visitor.page.check('[name="remember"]')
            visitor.click("form button")
            heading = visitor.page.inner_text("h1")
            assert re.fullmatch(r"You are checked in, Mina: \d\d?:\d\d ?" + re.escape(late), heading), heading
            assert visitor.page.inner_text("main").count("Monthly all-hands") == 1
            visitor.check_page("checked-in-late" if late else "checked-in")
            visitor.open(path)
            assert visitor.page.inner_text("h1") == heading, "the check-in is offered again"
            visitor.click('a[href$="another"]')
            visitor.page.fill("#name", "Jun")
            visitor.page.fill("#email", f"jun-{script}@example.org")
            visitor.page.uncheck('[name="remember"]')
            visitor.click("form button")
            visitor.open(path)
            assert visitor.page.locator("#name").count() == 1, "a shared device shows who was here before"
            visitor.end()


def pasted_people_are_added_line_by_line(service, browser):
    api, host = new_host(service, browser, "paste")
    series = api.form(QUESTIONS, meeting={
        "startsAt": hours_from_now(30), "endsAt": hours_from_now(31)})["checkIn"]["seriesId"]
    host.open(f"/series/{series}/people")
    host.page.fill("#lines", "Ann, ann@example.org\ntom@example.org\nJust a name\nBob <no address>\nAnn, ann@example.org")
    host.click('button[value="add"]')
    host.page.wait_for_selector(".fault")
    assert "Added: 2. Please correct the lines below: 2." in host.page.inner_text("[role=alert]")
    assert host.page.locator(".fault").all_inner_texts() == [
        "“Just a name”: There is no e-mail address in this line.",
        "“Bob <no address>”: This is not an e-mail address."]
    assert host.page.input_value("#lines") == "Just a name\nBob <no address>"
    host.check_page("people-lines-left")
    names = sorted(member["name"] for member in api.call("GET", f"/v1/series/{series}/members")["items"])
    assert names == ["Ann", "tom"]
    host.page.fill("#lines", "Bob, bob@example.org\nBOB@example.org\nAnn, ann@example.org")
    host.click('button[value="add"]')
    host.expect_notice("1 added. Already on the list or entered twice: 2.")
    host.end()


def list_of_a_meeting_takes_several_people(service, browser):
    api, host = new_host(service, browser, "list")
    form = api.form(QUESTIONS, identity="attendee", meeting={"startsAt": None, "endsAt": None})
    host.open(f"/meetings/{form['meeting']}/people")
    host.click("#several summary")
    host.page.fill("#lines", "Ann, ann@example.org\nJust a name\nann@example.org")
    host.click('button[value="add-lines"]')
    host.expect_notice("2 added. Already on the list or entered twice: 1.")
    host.page.fill("#lines", "Bob <no address>") if host.page.is_visible("#lines") else None
    host.click("#several summary")
    host.page.fill("#lines", "Cleo\nBob <no address>\nDan, dan@example.org")
    host.click('button[value="add-lines"]')
    assert "“Bob <no address>”: This is not an e-mail address." in host.page.inner_text("#lines-fault")
    assert "Added: 2. Please correct the lines below: 1." in host.page.inner_text(".alert")
    assert host.page.input_value("#lines") == "Bob <no address>", "the lines that were added are gone"
    assert len(api.call("GET", f"/v1/meetings/{form['meeting']}/attendees")["items"]) == 4
    host.check_page("attendance-lines")
    host.end()


def personal_links_are_copied_and_downloaded_together(service, browser):
    api, host = new_host(service, browser, "links", width=1440)
    form = api.form(QUESTIONS, identity="attendee", meeting={"startsAt": None, "endsAt": None})
    people = f"/v1/meetings/{form['meeting']}/attendees"
    for name in ["Ben", "=Anna()"]:
        api.call("POST", people, {"name": name, "email": f"{name[1:3]}@example.org"})
    host.open(f"/meetings/{form['meeting']}/people")
    host.click('button[value="links"]')
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.click('button[data-copies="all-links"]')
    host.until("() => (b => b.textContent === b.dataset.copied)(document.querySelector('[data-copies]'))")
    lines = [line.split("\t") for line in host.page.evaluate("navigator.clipboard.readText()").split("\n")]
    assert [line[:2] for line in lines] == [["=Anna()", "An@example.org"], ["Ben", "en@example.org"]]
    host.check_page("personal-links")
    with host.page.expect_download() as download:
        host.page.click('button[value="links-csv"]')
    rows = open(download.value.path(), encoding="utf-8-sig").read().splitlines()
    assert rows[1] == f'"\'=Anna()","An@example.org","{lines[0][2]}"' and len(rows) == 3
    visitor = Visitor(browser, service.base)
    visitor.page.goto(lines[1][2])
    assert visitor.page.inner_text(".holder") == "You answer as Ben."
    visitor.end()
    host.end()


def new_meeting_is_today_and_opens_by_its_title(service, browser):
    for script, zone in [(True, "Asia/Seoul"), (False, None)]:
        api, host = new_host(service, browser, f"today-{script}".lower(), script=script, zone=zone)
        for title in ["One", "Two"]:
            host.open("/home")
            host.page.fill("#title", title)
            host.page.select_option("#template", "retro")
            host.click("form.new-meeting button")
            host.page.wait_for_url("**/meetings/*")
            meeting = api.call("GET", host.page.url.replace(host.base, "/v1"))
            assert meeting["timeZone"] == (zone or "UTC")
            assert hours_from_now(-0.1) < meeting["startsAt"] < hours_from_now(0.3), meeting["startsAt"]
        api.call("POST", f"/v1/meetings/{meeting['id']}/form/publish")
        host.open("/home")
        # The open form is on top, although its meeting has not begun.
        assert host.page.inner_text("#now-title") == "Two"
        card = host.page.locator(".series-card", has_text="Two")
        host.check_page("home-today")
        host.click(card.locator("h3 a"))
        assert host.page.url.endswith(f"/meetings/{meeting['id']}")
        # A start without an end is an hour, and both fields may be empty.
        for start, end in [("2031-05-07T09:30", "2031-05-07T10:30"), ("", None)]:
            host.open("/home")
            host.click("form.new-meeting summary")
            host.page.fill("#title", "Three")
            host.page.fill("#start", start)
            host.page.fill("#end", "")
            host.click("form.new-meeting button")
            host.page.wait_for_url("**/meetings/*")
            created = api.call("GET", host.page.url.replace(host.base, "/v1"))
            assert bool(created["startsAt"]) == bool(start)
            if start and not zone:
                assert created["endsAt"] == end + ":00Z"
        host.end()


def only_admins_see_the_command_that_opens_the_service_to_phones(service, browser):
    api, host = new_host(service, browser, "command")
    form = api.form(QUESTIONS)
    for path in ["/shares", "/door", "/people"]:
        host.open(f"/meetings/{form['meeting']}{path}")
        assert "afterword serve" not in host.page.inner_text("main") and "--host" not in host.page.inner_text("main")
    host.end()
    admin = signed_in(service, browser, service.email, service.password, width=1440)
    admin.open(f"/meetings/{form['meeting']}/shares")
    admin.click(".unreachable a")
    port = service.base.rsplit(":", 1)[1]
    command = admin.page.inner_text("#command")
    kept = [part for part in service.command if part != "--port"]
    assert shlex.split(command) == kept + [
        "--host", "0.0.0.0", "--port", port, "--public-url", f"http://ADDRESS:{port}"], command
    assert admin.page.locator('button[data-copies="command"]').is_visible()
    admin.check_page("health-command")
    admin.end()

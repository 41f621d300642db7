"""What a host met on the second walk through the product."""

import csv
import io

from playwright.sync_api import expect

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_service import hours_from_now
from page_visitor import QUESTIONS, Visitor, send

WHOLE_TEXT = "anyone with access to the database"


def new_host(service, browser, name, **settings):
    email = account(service, f"second-walk-{name}@example.org")
    return HostAPI(service, email), signed_in(service, browser, email, PASSWORD, **settings)


def short_notice_of_anonymity_unfolds(service, browser):
    api, host = new_host(service, browser, "notice", width=1440)
    form = api.form(QUESTIONS, identity="device", anonymous=True, minimumGroup=4, oneByOne=True)
    for script in [True, False]:
        guest = Visitor(browser, service.base, script)
        guest.open(f"/f/{form['code']}")
        notice = guest.page.locator("header .promise")
        assert notice.locator("> p").inner_text().startswith(
            "Anonymous: no name, no time of day. The hosts see answers only in groups of 4 or more. They may show")
        assert notice.bounding_box()["height"] < 200, "the notice fills the screen"
        assert WHOLE_TEXT not in notice.inner_text()
        guest.check_page("form-anonymous")
        guest.page.click("header .promise summary")
        assert WHOLE_TEXT in notice.inner_text()
        guest.check_page("form-anonymous-more")
        if script:
            guest.pick("pace", "3")
            guest.page.click("button.next")
            expect(notice).to_be_hidden()
        guest.end()
    # Hosts read the whole text at one place, and one sentence where they choose the setting.
    path = f"/meetings/{form['meeting']}"
    for page, shown in [("", 1), ("/results", 0), ("/now", 0), ("/stage", 0)]:
        host.open(path + page)
        text = host.page.inner_text("main")
        assert text.count("You see answers only in groups of 4 or more.") == shown, page
        assert host.page.locator("main", has_text=WHOLE_TEXT).count() == shown and WHOLE_TEXT not in text, page
    assert host.page.locator("#results").inner_text().count("groups of 4") <= 1, "the slide says it twice"
    for anonymous in [True, False]:
        other = form if anonymous else api.form(QUESTIONS, identity="device", publish=False)
        host.open(f"/meetings/{other['meeting']}/form")
        host.page.click("#settings > summary")
        expect(host.page.locator("#anonymous-notice")).to_be_visible(visible=anonymous)
    host.page.check("#anonymous")
    expect(host.page.locator("#anonymous-notice")).to_be_visible()
    host.check_page("builder-anonymous")
    host.end()


def remote_is_opened_on_the_phone_by_its_code(service, browser):
    api, host = new_host(service, browser, "remote", width=1440)
    form = api.form(QUESTIONS, identity="device")
    path = f"/meetings/{form['meeting']}"
    host.open(path + "/stage")
    with host.context.expect_page() as opened:
        host.page.click("#stage-controls a[href$='#phone']")
    opened.value.wait_for_url("**/now#phone")
    opened.value.close()
    host.open(path + "/now#phone")
    expect(host.page.locator(".phone .code")).to_be_visible()
    assert host.page.locator(".phone img.code").evaluate("(image) => image.naturalWidth") > 0
    assert host.page.inner_text("#remote-link") == service.base + path + "/remote"
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.click(".phone [data-copies]")
    host.until("() => (b => b.textContent === b.dataset.copied)(document.querySelector('[data-copies]'))")
    link = host.page.evaluate("navigator.clipboard.readText()")
    host.check_page("live-remote-code")
    host.click(".phone a.button")
    host.page.wait_for_url("**/remote")
    for line in host.page.locator(".remote-slide > *").all():
        box = line.bounding_box()
        assert abs(box["x"] + box["width"] / 2 - 720) < 2, "the slide is not in the middle"
    host.check_page("remote-wide")
    host.end()
    # The phone signs in, and is then at the remote.
    phone = Visitor(browser, service.base)
    phone.page.goto(link)
    phone.page.fill("#email", "second-walk-remote@example.org")
    phone.page.fill("#password", PASSWORD)
    phone.click("main form button")
    phone.page.wait_for_url("**/remote")
    phone.end()
    stranger = Visitor(browser, service.base)
    code = stranger.page.request.get(service.base + path + "/remote.svg", max_redirects=0)
    assert code.status == 303, code.status
    stranger.end()


def home_lists_open_forms_with_code_and_stage(service, browser):
    api, host = new_host(service, browser, "home", width=1440)
    running = {"startsAt": hours_from_now(-0.5), "endsAt": hours_from_now(1), "allowOverlap": True}
    closed = api.form(QUESTIONS, title="Closed", identity="device", meeting=running)
    api.call("POST", f"/v1/meetings/{closed['meeting']}/form/close")
    undated = {"startsAt": None, "endsAt": None}
    forms = [api.form(QUESTIONS, title=title, identity="device", meeting=undated) for title in ["Older", "Newer"]]
    listed = api.form(QUESTIONS, title="Listed", identity="attendee", meeting=undated)
    host.open("/home")
    assert host.page.inner_text("#now-title") in ["Older", "Newer", "Listed"], "a closed form is on top"
    assert host.page.locator("#now a[href$='/people']").count() == 1
    shown = [host.page.inner_text("#now-title")] + [
        line.locator("a").first.inner_text() for line in host.page.locator("#open li").all()]
    assert sorted(shown) == ["Listed", "Newer", "Older"]
    for form, title in zip([*forms, listed], ["Older", "Newer", "Listed"]):
        line = host.page.locator("#now, #open li").filter(has=host.page.get_by_role("link", name=title, exact=True))
        assert line.locator(".join").all_inner_texts() == ([form["joinCode"]] if form != listed else [])
        if line.locator("#now-title").count() == 0:
            assert line.locator(f"a.button[href='/meetings/{form['meeting']}/stage']").count() == 1
    assert "Closed" in host.page.inner_text("#coming")
    host.check_page("home-open-forms")
    # A viewer gets no button that ends in a refusal.
    email = account(service, "second-walk-viewer@example.org")
    series = forms[0]["checkIn"]["seriesId"]
    api.call("POST", f"/v1/series/{series}/hosts", {"email": email, "role": "viewer"})
    viewer = signed_in(service, browser, email, PASSWORD)
    assert viewer.page.inner_text("#now-title") == "Older"
    assert viewer.page.locator("#now a[href$='/people']").count() == 0
    viewer.check_page("home-viewer")
    viewer.end()
    host.end()


def closed_form_leads_to_its_results(service, browser):
    api, host = new_host(service, browser, "closed", width=1440)
    form = api.form(QUESTIONS, identity="device", meeting={
        "startsAt": hours_from_now(-1), "endsAt": hours_from_now(1), "headcount": 9})
    answer(service, form, *({"pace": pace, "nps": 9, "role": "guest"} for pace in [3, 4, 5]),
           *({"pace": 3, "nps": 7, "role": "member"} for _ in range(2)))
    people = f"/v1/meetings/{form['meeting']}/attendees"
    for name in range(4):
        api.call("POST", people, {"name": f"P{name}", "email": f"p{name}@example.org", "status": "present"})
    path = f"/meetings/{form['meeting']}"
    host.open(path)
    assert host.page.locator(".total").inner_text() == "5 answers"
    host.check_page("meeting-open-count")
    host.click('button[value="close"]')
    main = host.page.locator(".actions .button:not(.plain), .actions button:not(.plain)")
    assert main.all_inner_texts() == ["See the results"]
    host.check_page("meeting-closed-results")
    host.click(main)
    host.page.wait_for_url("**/results")
    # The numbers of a ring are beside it, and the page says how many people are known.
    host.page.wait_for_selector("#q-role canvas")
    legend = host.page.locator("#q-role canvas").evaluate(
        "(canvas) => Chart.getChart(canvas).legend.legendItems.map((entry) => entry.text)")
    assert legend == ["Guest: 3 (60 %)", "Member: 2 (40 %)"], legend
    assert host.page.inner_text(".counts").split("\n")[-1] == "Only 4 people checked in."
    bar = host.page.locator("#q-nps canvas").evaluate(
        "(canvas) => { const { chartArea, scales } = Chart.getChart(canvas); return scales.x.max; }")
    assert bar == 5, "the bar of the groups is narrower than its card"
    host.check_page("results-ring-numbers")
    host.end()


def change_that_is_not_clear_says_why(service, browser):
    api, host = new_host(service, browser, "change")
    first = api.form(QUESTIONS, identity="device", meeting={"headcount": 6})
    answer(service, first, *({"pace": 3, "nps": score} for score in [2, 9, 10, 6]))
    series = first["checkIn"]["seriesId"]
    second = api.call("POST", f"/v1/series/{series}/meetings", {})
    api.call("POST", f"/v1/meetings/{second['id']}/form/publish")
    form = api.call("GET", f"/v1/meetings/{second['id']}/form")
    answer(service, form, *({"pace": 3, "nps": score} for score in [9, 10, 9, 7]))
    host.open(f"/meetings/{second['id']}/results")
    text = host.page.inner_text("#q-nps .since")
    assert text.startswith("No clear change since #1") and "it could be anything from" in text, text
    assert "if all 6 had answered" in host.page.inner_text("#q-nps .mean")
    host.check_page("results-open-change")
    host.end()


def condition_begins_with_a_sensible_test_and_marks_stay(service, browser):
    api, host = new_host(service, browser, "condition", width=1440)
    form = api.form([QUESTIONS[1], QUESTIONS[0]], publish=False)
    host.open(f"/meetings/{form['meeting']}/form")
    host.click('button[value="add:text"]')
    host.page.wait_for_selector("#q2")
    host.click("button.send")
    host.page.wait_for_selector("#q2 .fault")
    host.page.locator("#q2 .fold").evaluate("(part) => { part.open = true; }")
    for action, index in [("if-add:1", 1), ("if-add:2", 2)]:
        host.page.click(f'button[value="{action}"]')
        host.page.wait_for_selector(f"#q{index} .condition-row")
    chosen = [host.page.locator(f"#q{index} [name$='if-check'] :checked").inner_text() for index in [1, 2]]
    assert chosen == ["is at most 6", "is at most 2"], chosen
    # The title is still empty, so its mark stays until it is typed.
    title = host.page.locator("[name='q2.title']")
    assert title.get_attribute("aria-invalid") == "true", "the mark is gone"
    described = title.get_attribute("aria-describedby").split()[-1]
    assert host.page.locator(f"#{described}").inner_text() == "This cannot be empty."
    host.check_page("builder-condition-mark")
    host.page.fill("[name='q2.title']", "Why?")
    host.page.click('button[value="if-add:2"]')
    host.page.wait_for_selector("#q2 .condition-row >> nth=1")
    assert title.get_attribute("aria-invalid") is None, "the mark of a typed field stays"
    host.end()


def own_answers_can_be_left_as_they_are(service, browser):
    form = service.form(QUESTIONS, identity="device")
    for script in [True, False]:
        guest = Visitor(browser, service.base, script)
        guest.open(f"/f/{form['code']}")
        guest.pick("pace", "3")
        send(guest)
        guest.click(f"a[href='/f/{form['code']}/edit']")
        assert guest.page.inner_text(".holder") == "These are your answers so far. Leave them as they are"
        guest.check_page("form-former-answers")
        guest.click(".holder a")
        assert guest.page.url.endswith("/sent")
        guest.end()


def downloads_and_texts_have_labels(service, browser):
    api, host = new_host(service, browser, "labels", width=1440)
    form = api.form(QUESTIONS, identity="device")
    answer(service, form, *({"pace": 4, "nps": 9, "role": "guest"} for _ in range(3)))
    path = f"/meetings/{form['meeting']}"
    host.open(path + "/results")
    for row in host.page.locator(".downloads li").all():
        places = [link.bounding_box()["y"] for link in row.locator("a").all()]
        assert len(set(places)) == 1, "the links are not beside each other"
    link = host.page.locator(".downloads a[href*='submissions.csv']").get_attribute("href")
    rows = list(csv.reader(io.StringIO(host.page.request.get(host.base + link).body().decode("utf-8-sig"))))
    assert "You are here as" in rows[0] and "Guest" in rows[1], rows
    assert host.page.evaluate("document.querySelector('main > p.actions').offsetHeight") < 90, "the buttons wrap"
    host.open(path + "/summary")
    assert "Would you recommend it? NPS +100" in host.page.input_value("#summary")
    host.end()


def door_fits_into_the_window(service, browser):
    api, host = new_host(service, browser, "door", width=1440)
    form = api.form(QUESTIONS, title="Monthly all-hands of the whole organisation", meeting={
        "startsAt": hours_from_now(0.2), "endsAt": hours_from_now(2)})
    host.page.set_viewport_size({"width": 1440, "height": 900})
    host.open(f"/meetings/{form['meeting']}/door")
    assert host.page.evaluate("document.documentElement.scrollHeight") <= 900
    host.check_page("door-wide")
    host.end()

"""Pages around a host's meetings: home, series, calendar, people, shares and the account."""

import datetime
import json
import re
import xml.etree.ElementTree

from playwright.sync_api import expect

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_service import hours_from_now
from page_visitor import NASTY, QUESTIONS, Visitor, send

VIEWS = [(360, "light", "en-GB"), (1440, "dark", "ko-KR"), (360, "dark", "de-DE")]
# The views in other languages than English.
OTHERS = VIEWS[1:]


def answer(service, browser, form, pace="4"):
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}")
    guest.pick("pace", pace)
    if guest.page.locator('[name="a.role"]').count():
        guest.pick("role", "guest")
    send(guest)
    guest.end()


def navigation_bar_links_all_areas_and_administration_for_admins_only(service, browser):
    for width, scheme, language in VIEWS:
        admin = signed_in(service, browser, width=width, scheme=scheme, language=language)
        places = admin.page.locator(".host-bar nav a")
        assert [places.nth(place).get_attribute("href") for place in range(places.count())] == [
            "/home", "/calendar", "/series", "/account", "/admin/accounts"]
        assert admin.page.locator(".host-bar [aria-current]").get_attribute("href") == "/home"
        admin.page.keyboard.press("Tab")
        admin.page.keyboard.press("Enter")
        # The first tab stop skips the navigation bar.
        admin.page.wait_for_url("**#main")
        admin.check_page("bar")
        admin.open("/series/nothing-here")
        assert admin.page.locator(".host-bar").count() == 1, "the page of an unknown series has no navigation bar"
        admin.end()
    host = signed_in(service, browser, account(service, "bar@example.org"), PASSWORD)
    assert host.page.locator(".host-bar nav a").count() == 4
    host.end()
    guest = Visitor(browser, service.base)
    guest.open("/home")
    assert guest.page.locator(".host-bar").count() == 0
    guest.end()


def home_shows_the_current_meeting_and_updates_its_counts(service, browser):
    api = HostAPI(service, account(service, "home@example.org"))
    form = api.form(QUESTIONS, title="Now " + NASTY, meeting={
        "startsAt": hours_from_now(-1), "endsAt": hours_from_now(2), "headcount": 12, "place": "Room " + NASTY})
    api.form(QUESTIONS, title="Tomorrow", meeting={"startsAt": hours_from_now(20), "endsAt": hours_from_now(21)})
    host = signed_in(service, browser, "home@example.org", PASSWORD)
    assert host.page.inner_text("#now-title") == "Now " + NASTY
    assert host.page.locator("#now .join").count() == 1
    assert "Tomorrow" in host.page.inner_text("ul.rows")
    host.page.evaluate("window.isSame = true")
    answer(service, browser, form)
    host.page.wait_for_selector('#now [data-count="submissions"]:text-is("1")')
    service.call("POST", f"/v1/check-ins/{form['checkIn']['checkInCode']}", {"name": "Ann", "email": "ann@example.org"})
    host.page.wait_for_selector('#now [data-count="attended"]:text-is("1")')
    assert host.page.evaluate("window.isSame"), "the page was reloaded"
    picture = host.page.request.get(service.base + host.page.get_attribute("#now img", "src"))
    assert picture.status == 200 and "svg" in picture.headers["content-type"]
    host.check_page("home-now")
    host.end()
    for width, scheme, language in OTHERS:
        other = signed_in(service, browser, "home@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        other.check_page("home-now")
        other.end()


def meeting_with_times_is_created_on_the_home_page(service, browser):
    account(service, "begin@example.org")
    host = signed_in(service, browser, "begin@example.org", PASSWORD, script=False)
    host.page.fill("#title", "")
    host.click("summary")
    host.page.fill("#start", "2031-05-07T09:30")
    host.page.fill("#end", "2031-05-07T08:30")
    host.click("form.card button")
    assert host.page.locator("#title-fault").count() == 1 and host.page.locator("#end-fault").count() == 1
    assert host.page.input_value("#start") == "2031-05-07T09:30", "the input is lost"
    host.page.fill("#title", "A dated one")
    host.page.fill("#end", "2031-05-07T10:30")
    host.click("form.card button")
    host.page.wait_for_url("**/meetings/*")
    api = HostAPI(service, "begin@example.org")
    meeting = api.call("GET", host.page.url.replace(service.base, "/v1"))
    assert meeting["startsAt"] == "2031-05-07T09:30:00Z" and meeting["endsAt"] == "2031-05-07T10:30:00Z"
    host.end()


def time_zone_defaults_to_that_of_the_device(service, browser):
    account(service, "seoul@example.org")
    host = signed_in(service, browser, "seoul@example.org", PASSWORD, zone="Asia/Seoul")
    host.page.fill("#title", "Morning")
    host.click("summary")
    assert "Asia/Seoul" in host.page.inner_text("details")
    host.page.fill("#start", "2031-05-07T09:30")
    host.page.fill("#end", "2031-05-07T10:30")
    host.click("form.card button")
    host.page.wait_for_url("**/meetings/*")
    meeting = HostAPI(service, "seoul@example.org").call("GET", host.page.url.replace(service.base, "/v1"))
    assert meeting["startsAt"] == "2031-05-07T00:30:00Z" and meeting["timeZone"] == "Asia/Seoul"
    host.open("/account")
    host.click("#zone-proposal")
    host.click('button[value="profile"]')
    host.expect_notice("Saved.")
    host.end()
    other = signed_in(service, browser, "seoul@example.org", PASSWORD, zone="Europe/Berlin")
    other.click("summary")
    assert "Asia/Seoul" in other.page.inner_text("details"), "the time zone of the account is not used"
    other.end()


def series_gets_a_round_with_one_click_and_shows_trends(service, browser):
    api = HostAPI(service, account(service, "series@example.org"))
    form = api.form(QUESTIONS, title="Retro " + NASTY, identity="device", meeting={
        "startsAt": "2026-10-22T09:00:00Z", "endsAt": "2026-10-22T10:00:00Z", "timeZone": "Europe/Berlin",
        "headcount": 4})
    answer(service, browser, form, "2")
    series = form["checkIn"]["seriesId"]
    host = signed_in(service, browser, "series@example.org", PASSWORD)
    before = datetime.datetime.now(datetime.timezone.utc)
    host.click(".series-card form button")
    host.page.wait_for_url("**/meetings/*")
    second = api.call("GET", host.page.url.replace(service.base, "/v1"))
    # A week later in Berlin's local time, across the end of summer time, and not in the past.
    start = datetime.datetime.fromisoformat(second["startsAt"])
    days = (start.date() - datetime.date(2026, 10, 22)).days
    assert days % 7 == 0 and start > before
    assert second["round"] == 2 and start.hour in (9, 10) and second["timeZone"] == "Europe/Berlin"
    path = f"/v1/meetings/{second['id']}/form"
    now = api.call("GET", path)
    questions = [{**QUESTIONS[0], "title": "How did the pace feel?"}, *QUESTIONS[1:]]
    api.call("PUT", path, {"title": "Retro", "questions": questions}, {"If-Match": now["etag"]})
    code = api.call("POST", path + "/publish")["code"]
    answer(service, browser, {"code": code}, "5")
    host.click(f'main a[href="/series/{series}"]')
    assert host.page.inner_text("h1") == "Retro " + NASTY
    trend = host.page.locator(".trend").first
    assert trend.locator("svg[role=img] polyline").count() == 1 and trend.locator("circle").count() == 2
    assert host.page.locator(".trend .legend li").count() == 2, "the legend does not name both options"
    assert trend.locator("line.mark").count() == 1 and "How did the pace feel?" in trend.inner_text()
    trend.locator("summary").click()
    assert "2.00" in trend.inner_text() and "5.00" in trend.inner_text()
    host.check_page("series")
    host.click('main a.button[href$="/rounds#next"]')
    assert host.page.locator("#next").count() == 1 and host.page.input_value("#start") != ""
    assert "25 %" in host.page.inner_text("section:has(#rounds) .lines"), "the first round has no response rate"
    host.check_page("series-rounds")
    poster = host.page.request.get(service.base + host.page.get_attribute(".poster a[href$='.png']", "href"))
    assert poster.status == 200 and poster.body()[:4] == b"\x89PNG"
    host.page.fill("#start", "2033-03-03T09:00")
    host.page.fill("#end", "2033-03-03T08:00")
    host.page.fill("#count", "3")
    host.click("#next button")
    host.page.wait_for_selector("#end-fault")
    assert host.page.input_value("#count") == "3"
    host.page.fill("#end", "2033-03-03T10:00")
    host.click("#next button")
    host.page.wait_for_url("**/meetings/*")
    rounds = api.call("GET", f"/v1/series/{series}/meetings")["items"]
    assert [item["startsAt"] for item in rounds[:3]] == [
        "2033-03-17T08:00:00Z", "2033-03-10T08:00:00Z", "2033-03-03T08:00:00Z"]
    host.open(f"/series/{series}/rounds")
    host.page.fill("#start", "2033-03-03T09:30")
    host.page.fill("#end", "2033-03-03T10:30")
    host.click("#next button")
    host.page.wait_for_selector("[role=alert]")
    host.check_page("series-overlap")
    host.open(f"/series/{series}/next")
    assert host.page.locator("#next").count() == 1, "the page of a refused round cannot be reloaded"
    host.page.fill("#start", "2033-03-03T09:30")
    host.page.fill("#end", "2033-03-03T10:30")
    host.click("#next button")
    host.page.wait_for_selector("[role=alert]")
    host.page.check("[name=overlap]")
    host.click("#next button")
    host.page.wait_for_url("**/meetings/*")
    host.end()
    for width, scheme, language in OTHERS:
        other = signed_in(service, browser, "series@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        for tab in ["", "/rounds", "/settings"]:
            other.open(f"/series/{series}{tab}")
            other.check_page("series" + tab.replace("/", "-"))
        other.open("/series")
        other.check_page("series-list")
        other.page.fill("#q", "nowhere")
        other.click("form.search button")
        assert other.page.locator(".series-card").count() == 0
        other.page.fill("#q", "retro")
        other.click("form.search button")
        assert other.page.locator(".series-card").count() == 1
        other.end()


def trend_line_is_interrupted_at_rounds_without_answers(service, browser):
    api = HostAPI(service, account(service, "gap@example.org"))
    form = api.form(QUESTIONS[:1], meeting={"startsAt": "2026-01-05T09:00:00Z", "endsAt": "2026-01-05T10:00:00Z"})
    answer(service, browser, form)
    series = form["checkIn"]["seriesId"]
    for number in range(4):
        created = api.call("POST", f"/v1/series/{series}/meetings", {
            "startsAt": f"2026-02-0{number + 1}T09:00:00Z", "endsAt": f"2026-02-0{number + 1}T10:00:00Z"})
        published = api.call("POST", f"/v1/meetings/{created['id']}/form/publish")
        if number != 1:
            answer(service, browser, published)
    host = signed_in(service, browser, "gap@example.org", PASSWORD, width=1440)
    host.open(f"/series/{series}")
    assert host.page.locator(".trend svg polyline").count() == 2, "the line continues across a round without answers"
    assert host.page.locator(".trend svg circle").count() == 4
    host.end()


def series_is_downloaded_as_pictures_and_tables(service, browser):
    api = HostAPI(service, account(service, "files@example.org"))
    questions = [{**question, "title": question["title"] + NASTY} for question in QUESTIONS if not question.get("multiple")]
    form = api.form(questions, meeting={"startsAt": "2026-01-05T09:00:00Z", "endsAt": "2026-01-05T10:00:00Z"})
    answer(service, browser, form)
    series = form["checkIn"]["seriesId"]
    host = signed_in(service, browser, "files@example.org", PASSWORD, width=1440)
    host.open(f"/series/{series}")
    assert host.page.locator(".trend").count() == len(questions)
    assert host.page.locator(".trend svg").count() == 0, "a trend is drawn for a single round"
    assert "from the second round" in host.page.inner_text("main")
    assert host.context.request.get(f"{service.base}/series/{series}/trends/pace.svg").status == 404
    created = api.call("POST", f"/v1/series/{series}/meetings", {
        "startsAt": "2026-01-12T09:00:00Z", "endsAt": "2026-01-12T10:00:00Z"})
    answer(service, browser, api.call("POST", f"/v1/meetings/{created['id']}/form/publish"), pace="5")
    host.open(f"/series/{series}")
    assert "from the second round" not in host.page.inner_text("main")
    assert host.page.locator("section:has(#trend-pace) svg text.end").all_text_contents() == list("12345")
    assert host.page.locator("section:has(#trend-better) svg").count() == 0, "a text question has a trend chart"
    pictures = [link.get_attribute("href") for link in host.page.locator(".trend a[download]").all()]
    assert len(pictures) >= 2, pictures
    for path in pictures:
        response = host.context.request.get(service.base + path)
        assert response.status == 200 and response.headers["content-type"] == "image/svg+xml; charset=utf-8"
        assert response.headers["content-disposition"].startswith("attachment")
        root = xml.etree.ElementTree.fromstring(response.body())
        assert root.tag.endswith("svg") and NASTY in "".join(root.itertext())
        assert not [part for part in root.iter() if part.tag.split("}")[1] in ("script", "img")]
    for link in host.page.locator(".downloads a").all():
        response = host.context.request.get(service.base + link.get_attribute("href"))
        first = response.body()[:3]
        assert response.status == 200 and first in (b"PK\x03", b"\xef\xbb\xbf"), link.get_attribute("href")
    missing = host.context.request.get(f"{service.base}/series/{series}/trends/nothing.svg")
    assert missing.status == 404
    stranger = browser.new_context()
    refused = stranger.request.get(service.base + pictures[0], max_redirects=0)
    assert refused.status == 303, "a picture is available without sign-in"
    stranger.close()
    host.end()


def series_is_renamed_shared_with_co_hosts_and_restored_from_the_trash(service, browser):
    api = HostAPI(service, account(service, "owner@example.org"))
    account(service, "co@example.org", "Co " + NASTY)
    series = api.form(QUESTIONS, title="Ours")["checkIn"]["seriesId"]
    host = signed_in(service, browser, "owner@example.org", PASSWORD, script=False)
    host.open(f"/series/{series}/settings")
    host.page.fill("#title", "")
    host.click('button[value="rename"]')
    assert host.page.locator("#title-fault").count() == 1
    host.page.fill("#title", "Renamed " + NASTY)
    host.click('button[value="rename"]')
    assert host.page.inner_text("h1") == "Renamed " + NASTY
    host.page.fill("#email", "nobody@example.org")
    host.click('button[value="host"]')
    assert host.page.locator("#email-fault").count() == 1
    assert host.page.input_value("#email") == "nobody@example.org"
    links = host.page.locator('#stranger [role=alert] ~ a[href="#email"]')
    assert links.count() == 1, "the error does not link to its field"
    host.page.fill("#email", "co@example.org")
    host.page.select_option("#role", "viewer")
    host.click('button[value="host"]')
    assert "Co " + NASTY in host.page.inner_text("ul.rows")
    host.expect_notice("Co " + NASTY + " was added.")
    other = signed_in(service, browser, "co@example.org", PASSWORD)
    other.open("/series")
    other.click(f'a[href="/series/{series}"]')
    assert other.page.locator(".tab-bar a").count() == 2 and other.page.locator('a[href$="#next"]').count() == 0
    other.click(".tab-bar a:nth-child(2)")
    assert other.page.locator("#next").count() == 0, "a viewer is offered a new round"
    other.check_page("series-viewer")
    host.click('button[value^="host-off"]')
    other.open("/series?state=trash")
    other.check_page("series-trash")
    other.open(f"/series/{series}")
    assert other.page.locator(".tab-bar").count() == 0, "a removed co-host still sees the series"
    other.end()
    host.page.locator("details:has(button.danger) summary").click()
    host.click("button.danger")
    host.page.wait_for_url("**/series?state=trash")
    host.click('button[value="restore"]')
    host.page.wait_for_url(f"**/series/{series}")
    assert host.page.locator(".tab-bar a").count() == 4
    host.end()


def calendar_shows_the_meetings_of_a_month(service, browser):
    api = HostAPI(service, account(service, "calendar@example.org"))
    tag = api.call("GET", "/v1/me")["etag"]
    api.call("PATCH", "/v1/me", {"timeZone": "Asia/Seoul"}, {"If-Match": tag})
    # In Seoul it is already the 21st.
    api.form(QUESTIONS, title="Night " + NASTY, meeting={
        "startsAt": "2031-11-20T16:00:00Z", "endsAt": "2031-11-20T17:00:00Z"})
    api.form(QUESTIONS, title="Last", meeting={"startsAt": "2031-11-30T14:30:00Z", "endsAt": "2031-11-30T14:45:00Z"})
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "calendar@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        host.open("/calendar?month=2031-11")
        assert "2031" in host.page.inner_text("#month") and "11" in host.page.inner_text("#month") or width == 360
        cell = host.page.locator("td", has=host.page.locator('time[datetime="2031-11-21"]'))
        assert cell.locator("a").inner_text() == "01:00 Night " + NASTY
        last = host.page.locator("td", has=host.page.locator('time[datetime="2031-11-30"]'))
        assert last.locator("a").inner_text() == "23:30 Last"
        weekdays = host.page.locator("thead th")
        first = {"en-GB": "Monday", "ko-KR": "일요일", "de-DE": "Montag"}[language]
        assert weekdays.nth(0).get_attribute("abbr") == first
        host.check_page("calendar")
        host.click("[rel=next]")
        assert host.page.url.endswith("month=2031-12") and host.page.locator("td a").count() == 0
        host.click("[rel=next]")
        assert host.page.url.endswith("month=2032-01")
        host.click("[rel=prev]")
        host.click('.months a[href="/calendar"]')
        assert host.page.locator("td[aria-current=date]").count() == 1
        host.check_page("calendar-now")
        host.end()
    plain = signed_in(service, browser, "calendar@example.org", PASSWORD, script=False)
    plain.open("/calendar?month=2031-13")
    assert plain.page.locator("td[aria-current=date]").count() == 1
    plain.end()


def members_are_added_as_lines_and_removed(service, browser):
    api = HostAPI(service, account(service, "people@example.org"))
    series = api.form(QUESTIONS, title="With people", meeting={
        "startsAt": hours_from_now(30), "endsAt": hours_from_now(31)})["checkIn"]["seriesId"]
    host = signed_in(service, browser, "people@example.org", PASSWORD)
    host.open(f"/series/{series}/people")
    host.page.fill("#lines", f'Ann Ames, ann@example.org\n\n"Kim; {NASTY.replace(chr(34), chr(34) * 2)}",mina@example.org\nBob <no address>')
    host.click('button[value="add"]')
    host.page.wait_for_selector(".fault")
    assert "Bob <no address>" in host.page.inner_text(".fault"), "the fault does not name its line"
    assert host.page.input_value("#lines") == "Bob <no address>"
    host.check_page("people-fault")
    host.page.fill("#lines", host.page.input_value("#lines").replace("no address", "bob@example.org"))
    host.click('button[value="add"]')
    host.page.wait_for_selector("[role=status]")
    host.expect_notice("1 added.")
    assert "Kim; " + NASTY in host.page.inner_text("ul.rows:has(li)")
    host.page.set_input_files("#file", {
        "name": "people.csv", "mimeType": "text/csv",
        "buffer": "Phone,Email,Name\r\n1,cleo@example.org,클레오\r\n".encode()})
    expect(host.page.locator("#lines")).to_have_value(re.compile("cleo"))
    host.click('button[value="add"]')
    host.page.wait_for_selector("text=cleo@example.org")
    host.check_page("people")
    host.page.fill("#q", "bob")
    host.click("form.search button")
    assert host.page.locator("ul.rows li").count() == 1
    host.click('button[value^="remove"]')
    host.open(f"/series/{series}/people")
    names = [member["name"] for member in api.call("GET", f"/v1/series/{series}/members")["items"]]
    assert sorted(names) == sorted(["Ann Ames", "클레오", "Kim; " + NASTY])
    host.click("text=Ann Ames")
    host.check_page("person-of-a-host")
    own = host.page.get_attribute('a[href*="/p/"]', "href")
    assert own.startswith(service.base)
    host.page.go_back()
    host.click('button[value="code"]')
    link = host.page.get_attribute('a[href*="/j/"]', "href")
    guest = Visitor(browser, service.base, script=False)
    guest.page.goto(link)
    guest.page.fill("#name", "Dora")
    guest.page.fill("#email", "dora")
    guest.click("form button")
    assert guest.page.locator("#email-fault").count() == 1 and guest.page.input_value("#name") == "Dora"
    guest.page.fill("#email", "dora@example.org")
    guest.click("form button")
    assert guest.page.locator('a[href*="/p/"]').count() == 1
    guest.end()
    visitor = Visitor(browser, service.base)
    visitor.page.goto(link)
    visitor.check_page("join")
    visitor.end()
    host.click('button[value^="code-end"]')
    assert host.page.locator('a[href*="/j/"]').count() == 0
    host.end()
    for width, scheme, language in OTHERS:
        other = signed_in(service, browser, "people@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        other.open(f"/series/{series}/people")
        other.check_page("people")
        other.end()


def long_lists_are_paged_and_actions_stay_on_their_page(service, browser):
    api = HostAPI(service, account(service, "long@example.org"))
    form = api.form(QUESTIONS, meeting={"startsAt": hours_from_now(40), "endsAt": hours_from_now(41)})
    series = form["checkIn"]["seriesId"]
    api.call("POST", f"/v1/series/{series}/members", {
        "members": [{"name": f"P {number:03}", "email": f"p{number:03}@example.org"} for number in range(103)]})
    for number in range(51):
        api.call("POST", "/v1/meetings", {"title": f"S {number}", "timeZone": "UTC"})
    host = signed_in(service, browser, "long@example.org", PASSWORD, script=False)
    for path, row in [(f"/series/{series}/people", "ul.rows li"), (f"/meetings/{form['meeting']}/people", "ul.people li")]:
        host.open(path)
        assert host.page.locator(row).count() == 100
        host.click('main a[href*="cursor="]')
        left = host.page.locator(row).count()
        host.click(host.page.locator('button[value^="remove"]').last)
        assert "cursor=" in host.page.url and host.page.locator(row).count() == left - 1
    host.open("/series")
    assert host.page.locator(".series-card").count() == 50
    host.click('main a[href*="cursor="]')
    assert host.page.locator(".series-card").count() == 2
    host.open(f"/series/{series}/people?q=p00")
    host.click(host.page.locator('button[value^="remove"]').first)
    assert "q=p00" in host.page.url and host.page.locator("ul.rows li").count() == 9
    host.end()


def attendance_is_recorded_and_the_door_page_shows_the_code(service, browser):
    api = HostAPI(service, account(service, "door@example.org"))
    form = api.form(QUESTIONS, title="At the door", identity="attendee", meeting={
        "startsAt": hours_from_now(-0.5), "endsAt": hours_from_now(2), "headcount": 5})
    path = f"/meetings/{form['meeting']}"
    for script in [True, False]:
        host = signed_in(service, browser, "door@example.org", PASSWORD, script=script)
        host.open(path + "/people")
        host.page.fill("#email", "no address")
        host.click('button[value="add"]')
        assert host.page.locator("#name-fault").count() == 1 and host.page.locator("#email-fault").count() == 1
        name = f"Eve {script} {NASTY}"
        host.page.fill("#name", name)
        host.page.fill("#email", f"eve-{script}@example.org")
        host.click('button[value="add"]')
        row = host.page.locator("ul.people li", has_text=f"eve-{script}")
        host.click(row.locator('button[value^="late"]'))
        assert row.locator('[aria-pressed=true][value^="late"]').count() == 1
        host.click(row.locator('button[value^="present"]'))
        assert "5" in host.page.inner_text(".lead")
        statuses = {a["name"]: a["status"] for a in api.call("GET", f"/v1{path}/attendees")["items"]}
        assert statuses[name] == "present"
        host.click('nav.filters a[href$="late"]')
        assert host.page.locator("ul.people li").count() == 0
        host.end()
    host = signed_in(service, browser, "door@example.org", PASSWORD)
    host.open(path + "/people")
    host.click(host.page.locator('button[value^="link"]').first)
    link = host.page.input_value("#once")
    assert f"/f/{form['code']}" in link and "Eve" in host.page.inner_text("#once-text")
    host.check_page("attendance")
    assert host.page.locator('button[value="mail"], button[value="remind"]').count() == 0, "this service sends no mail"
    assert "press “Personal link”" in host.page.inner_text("main .promise")
    host.click(host.page.locator('button[value^="remove"]').first)
    assert host.page.locator("ul.people li").count() == 1
    host.click('a[href$="/door"]')
    assert host.page.locator(".host-bar").count() == 0 and f"/c/{form['checkIn']['checkInCode']}" in host.page.inner_text(".door")
    host.check_page("door")
    host.end()
    for width, scheme, language in OTHERS:
        other = signed_in(service, browser, "door@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        other.open(path + "/people")
        other.check_page("attendance")
        other.open(path + "/door")
        other.check_page("door")
        other.end()


def attendance_of_a_series_is_a_grid(service, browser):
    api = HostAPI(service, account(service, "grid@example.org"))
    form = api.form(QUESTIONS, title="Grid", meeting={"startsAt": hours_from_now(-5), "endsAt": hours_from_now(-4)})
    source, series = f"/v1/meetings/{form['meeting']}", form["checkIn"]["seriesId"]
    for number in range(14):
        api.call("POST", source + "/attendees", {"name": f"Person {number} {NASTY}", "email": f"p{number}@example.org",
                                                 "status": ["present", "late", "expected"][number % 3]})
    for round in range(2, 10):
        meeting = api.call("POST", f"/v1/series/{series}/meetings", {
            "startsAt": hours_from_now(-5 - 24 * round), "endsAt": hours_from_now(-4 - 24 * round)})["id"]
        api.call("POST", f"/v1/meetings/{meeting}/attendees", {
            "name": "Person 0", "email": "P0@example.org", "status": "present" if round % 2 else "expected"})
    for width, scheme, language in [(360, "light", "en-GB"), *OTHERS]:
        host = signed_in(service, browser, "grid@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        host.open(f"/series/{series}/people")
        table = host.page.locator("table.grid")
        assert table.locator("tbody tr").count() == 14 and table.locator("thead th").count() == 11
        row = table.locator("tbody tr").first
        assert "56 %" in row.locator("td").last.inner_text(), row.inner_text()
        region = host.page.locator(".scroll:has(table.grid)")
        region.evaluate("element => element.scrollLeft = element.scrollWidth")
        name = row.locator("th").bounding_box()
        assert name["x"] >= region.bounding_box()["x"] - 1, "the first column scrolls away"
        region.evaluate("element => element.scrollLeft = 0")
        host.check_page("series-attendance")
        host.end()


def share_link_is_shown_once_and_can_be_ended(service, browser):
    api = HostAPI(service, account(service, "share@example.org"))
    form = api.form(QUESTIONS, title="Shared")
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "share@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        host.open(f"/meetings/{form['meeting']}/shares")
        host.page.fill("#name", "Board " + NASTY)
        host.page.select_option("#days", "7")
        host.click('button[value="make"]')
        host.page.wait_for_selector("#once")
        link = host.page.input_value("#once")
        host.context.grant_permissions(["clipboard-read", "clipboard-write"])
        host.click("button[data-copies]")
        host.until("() => (b => b.textContent === b.dataset.copied)(document.querySelector('[data-copies]'))")
        assert host.page.evaluate("navigator.clipboard.readText()") == link
        host.check_page("shares")
        guest = Visitor(browser, service.base)
        guest.page.goto(link)
        assert guest.page.inner_text("h1") == "Shared"
        host.open(f"/meetings/{form['meeting']}/shares")
        assert host.page.locator("#once").count() == 0, "the link is shown again"
        assert "Board " + NASTY in host.page.inner_text("ul.rows")
        host.click('button[value^="end"]')
        assert host.page.locator("ul.rows li").count() == 0
        guest.page.reload()
        assert "Shared" not in guest.page.inner_text("main"), "an ended link still shows results"
        guest.end()
        host.end()


def account_is_changed_and_deleted(service, browser):
    account(service, "own@example.org")
    host = signed_in(service, browser, "own@example.org", PASSWORD)
    german = signed_in(service, browser, "own@example.org", PASSWORD, scheme="dark", language="de-DE")
    german.open("/account")
    german.check_page("account")
    german.end()
    other = signed_in(service, browser, "own@example.org", PASSWORD, width=1440, scheme="dark", language="ko-KR")
    other.open("/account")
    other.check_page("account")
    host.open("/account")
    host.page.fill("#name", "Hanna " + NASTY)
    host.page.fill("#timeZone", "Mars/Olympus")
    host.click('button[value="profile"]')
    host.page.wait_for_selector("#zone-fault")
    assert host.page.input_value("#name") == "Hanna " + NASTY
    host.page.fill("#timeZone", "Asia/Seoul")
    host.click('button[value="profile"]')
    host.expect_notice("Saved.")
    host.click('button[value="token"]')
    host.page.wait_for_selector("fieldset .fault")
    assert host.page.locator("#token-fault").count() == 1 and host.page.locator("#name-fault").count() == 0
    host.page.fill("#token-name", "A script")
    host.page.check('[name=scope][value="results:read"]')
    assert host.page.locator('[name=scope][value="admin"]').count() == 0, "a host is offered the scope admin"
    host.click('button[value="token"]')
    host.page.wait_for_selector("#once")
    token = host.page.input_value("#once")
    own, service.token = service.token, "Bearer " + token
    try:
        assert service.call("GET", "/v1/me")["email"] == "own@example.org"
    finally:
        service.token = own
    host.check_page("account")
    host.click('button[value^="revoke"]')
    host.expect_notice("The token no longer works.")
    data = host.page.request.get(service.base + "/account/data")
    assert json.loads(data.body())["account"]["name"] == "Hanna " + NASTY
    assert "attachment" in data.headers["content-disposition"]
    assert host.page.locator('button[value^="session"]').count() == 2
    host.page.fill("#old", "not my password")
    host.page.fill("#new", "another long password")
    host.click('button[value="password"]')
    host.page.wait_for_selector("#old-fault")
    assert host.page.input_value("#new") == "", "the password is sent back to the page"
    host.page.fill("#old", PASSWORD)
    host.page.fill("#new", "another long password")
    host.click('button[value="password"]')
    host.expect_notice("Your password has been changed.")
    other.page.reload()
    assert "/sign-in" in other.page.url, "a session survived the change of the password"
    other.end()
    host.click("details.card summary")
    host.page.fill("#confirm", "somebody@example.org")
    host.click('button[value="leave"]')
    host.page.wait_for_selector("#confirm-fault")
    host.page.fill("#heir", "nobody@example.org")
    host.page.fill("#confirm", "own@example.org")
    host.click('button[value="leave"]')
    host.page.wait_for_selector("#heir-fault")
    host.page.fill("#heir", "")
    host.page.fill("#confirm", "own@example.org")
    host.click('button[value="leave"]')
    host.page.wait_for_selector("main:not(:has(form))")
    host.open("/home")
    assert "/sign-in" in host.page.url
    host.end()


def input_survives_a_stale_page(service, browser):
    api = HostAPI(service, account(service, "stale@example.org"))
    form = api.form(QUESTIONS, title="Stale")
    places = [
        ("/home", "#title", "form.card button"), (f"/series/{form['checkIn']['seriesId']}/settings", "#title", 'button[value="rename"]'),
        (f"/series/{form['checkIn']['seriesId']}/people", "#lines", 'button[value="add"]'),
        (f"/meetings/{form['meeting']}/people", "#name", 'button[value="add"]'),
        (f"/meetings/{form['meeting']}/shares", "#name", 'button[value="make"]'), ("/account", "#name", 'button[value="profile"]'),
    ]
    host = signed_in(service, browser, "stale@example.org", PASSWORD)
    for path, field, button in places:
        host.open(path)
        host.page.fill(field, "typed " + NASTY)
        host.page.evaluate("document.querySelectorAll('[name=csrf]').forEach((field) => { field.value = 'old' })")
        host.click(button)
        host.page.wait_for_selector("[role=alert]")
        assert host.page.input_value(field) == "typed " + NASTY, path
    host.end()


def home_lists_open_meetings_first_in_their_time_zones(service, browser):
    api = HostAPI(service, account(service, "order@example.org"))
    tag = api.call("GET", "/v1/me")["etag"]
    api.call("PATCH", "/v1/me", {"timeZone": "Europe/Berlin"}, {"If-Match": tag})
    for title in ["Open long ago", "Open too"]:
        api.form(QUESTIONS, title=title, meeting={"startsAt": None, "endsAt": None})
    for number in range(9):
        api.form(QUESTIONS, title=f"Later {number}", publish=False, meeting={
            "startsAt": f"2032-12-{10 + number}T18:00:00Z", "endsAt": f"2032-12-{10 + number}T19:00:00Z",
            "timeZone": "Asia/Seoul" if number == 8 else "Europe/Berlin"})
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "order@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        titles = host.page.locator(".series-card h3").all_inner_texts()
        assert titles == ["Open too", "Open long ago", *[f"Later {number}" for number in range(8, 2, -1)]], titles
        assert host.page.inner_text("#now-title") == "Open too"
        assert "Open long ago" in host.page.inner_text("#open")
        # In Seoul it is three in the morning of the next day.
        seoul, berlin = host.page.locator(".series-card", has_text="Later 8"), host.page.locator(".series-card", has_text="Later 7")
        assert "(Asia/Seoul)" in seoul.inner_text() and "Berlin" not in berlin.inner_text()
        if language == "en-GB":
            assert "19 December 2032" in seoul.inner_text() and "17 December 2032" in berlin.inner_text()
            assert "Add a round · Fri 24 December 2032" in berlin.locator("button").inner_text()
        host.check_page("home-order")
        host.end()
    host = signed_in(service, browser, "order@example.org", PASSWORD, script=False)
    host.click(host.page.locator(".series-card", has_text="Later 7").locator("button"))
    created = api.call("GET", host.page.url.replace(service.base, "/v1"))
    assert created["startsAt"] == "2032-12-24T18:00:00Z" and created["endsAt"] == "2032-12-24T19:00:00Z"
    host.end()


def planned_rounds_are_linked_and_adding_another_is_explicit(service, browser):
    for width, scheme, language in VIEWS:
        email = account(service, f"planned-{language.lower()}@example.org")
        api = HostAPI(service, email)
        form = api.form(QUESTIONS, title="Planned", identity="device", meeting={
            "startsAt": hours_from_now(-3), "endsAt": hours_from_now(-2)})
        series = form["checkIn"]["seriesId"]
        later = [api.call("POST", f"/v1/series/{series}/meetings", {
            "startsAt": hours_from_now(24 * days), "endsAt": hours_from_now(24 * days + 1)}) for days in [7, 14]]
        api.call("POST", f"/v1/meetings/{form['meeting']}/form/close")
        host = signed_in(service, browser, email, PASSWORD, width=width, scheme=scheme, language=language)
        card = host.page.locator(".series-card")
        links = [link.get_attribute("href").rsplit("/", 1)[1] for link in card.locator("p a").all()]
        assert links == [form["meeting"], later[0]["id"]], links
        is_english = language == "en-GB"
        if is_english:
            assert card.locator("button").inner_text().startswith("Add a round · ") and "Next: Round 2 · " in card.inner_text()
        # The fourteenth day still belongs to the next two weeks.
        assert host.page.locator(f'#now-title a[href$="{later[0]["id"]}"]').count() == 1
        assert host.page.locator(f'#coming a[href$="{later[1]["id"]}"]').count() == 1
        host.check_page("home-planned")
        host.open("/series")
        links = [link.get_attribute("href").rsplit("/", 1)[1] for link in host.page.locator(".series-card p a").all()]
        assert links == [form["meeting"], later[0]["id"]], links
        host.check_page("series-list-planned")
        host.open(f"/series/{series}/rounds")
        assert host.page.locator(f'#planned a[href$="{later[0]["id"]}"]').count() == 1
        host.check_page("series-planned")
        host.open(f"/meetings/{form['meeting']}")
        assert host.page.locator(f'#next ~ p a[href$="{later[0]["id"]}"]').count() == 1
        assert host.page.locator("#next ~ .actions").count() == 0
        host.check_page("meeting-planned")
        host.open(f"/meetings/{form['meeting']}/edit")
        host.click(f'a[href="/series/{series}/rounds#next"]')
        host.page.wait_for_url("**#next")
        host.end()


def home_reports_that_nothing_is_planned_only_if_true(service, browser):
    email = account(service, "idle@example.org")
    api = HostAPI(service, email)
    api.form(QUESTIONS, title="Undated", publish=False, meeting={"startsAt": None, "endsAt": None})
    host = signed_in(service, browser, email, PASSWORD)
    assert "Nothing is planned" in host.page.inner_text("main")
    api.form(QUESTIONS, title="In a month", publish=False, meeting={
        "startsAt": hours_from_now(24 * 30), "endsAt": hours_from_now(24 * 30 + 1)})
    host.open("/home")
    assert host.page.inner_text("#now-title") == "In a month"
    assert "Nothing is planned" not in host.page.inner_text("main")
    host.check_page("home-in-a-month")
    host.end()

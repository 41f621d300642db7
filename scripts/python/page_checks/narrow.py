"""Wide tables on narrow screens, the attendance of one person, and codes that phones can't open."""

import openpyxl

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_service import hours_from_now
from page_visitor import NASTY, QUESTIONS, Visitor

LONG = {"key": "parts", "kind": "choice", "title": "Which of the long parts of this day was the best one for you?",
        "options": [{"id": f"o{n}", "label": f"The part of the programme with number {n}"} for n in range(1, 9)]}


def expect_stacked_table(visitor, selector="table.stacks"):
    """Expects the whole table to be visible, and to remain a table for screen readers."""
    table = visitor.page.locator(selector).first
    cut = table.evaluate("""table => [...table.querySelectorAll("tbody :is(td, th)")].filter(cell => {
        const box = cell.getBoundingClientRect();
        return box.width > 0 && (box.left < 0 || box.right > innerWidth || box.width < 40);
    }).map(cell => cell.textContent)""")
    assert not cut, cut
    heads = table.get_by_role("columnheader").count()
    row = table.get_by_role("row").nth(1)
    cells = row.get_by_role("cell").count() + row.get_by_role("rowheader").count()
    assert heads > 1 and 1 < cells <= heads, (heads, cells)


def expect_scrollable_region(visitor, selector):
    """Expects the first column to stay visible while the rest scrolls, in a named region that can be focused."""
    region = visitor.page.locator(selector).first
    assert region.get_attribute("tabindex") == "0" and region.get_attribute("role") == "region"
    assert region.get_attribute("aria-label") or region.get_attribute("aria-labelledby")
    region.scroll_into_view_if_needed()
    left = """region => region.querySelector("tbody th").getBoundingClientRect().left
        - region.getBoundingClientRect().left"""
    before = region.evaluate(left)
    moved = region.evaluate("region => { region.scrollLeft = 60; return region.scrollLeft; }")
    assert moved > 0, "the region does not scroll"
    assert abs(region.evaluate(left) - before) < 1, "the first column scrolls out of view"
    assert "gradient" in region.evaluate("region => getComputedStyle(region).backgroundImage")


def rounds(service, email, title="A meeting with a long name, every week", count=3):
    api = HostAPI(service, account(service, email))
    form = api.form(QUESTIONS + [LONG], title=title, identity="open", meeting={
        "startsAt": "2026-10-01T09:00:00Z", "endsAt": "2026-10-01T10:00:00Z", "headcount": 12})
    series = form["checkIn"]["seriesId"]
    for number in range(1, count):
        api.call("POST", f"/v1/series/{series}/meetings", {
            "startsAt": f"2026-10-{1 + 7 * number:02}T09:00:00Z", "endsAt": f"2026-10-{1 + 7 * number:02}T10:00:00Z"})
    return api, form, series


def wide_tables_are_readable_on_narrow_screens(service, browser):
    api, form, series = rounds(service, "narrow@example.org")
    hosts, service.token = service.token, None
    for number in range(4):
        service.call("POST", f"/v1/forms/{form['code']}/submissions", {
            "answers": {"pace": 1 + number, "role": "guest", "parts": f"o{number + 1}"}},
            {"Idempotency-Key": f"narrow-answer-{number}-{series}"})
    service.token = hosts
    for scheme in ["light", "dark"]:
        host = signed_in(service, browser, "narrow@example.org", PASSWORD, scheme=scheme)
        host.open(f"/series/{series}/rounds")
        expect_stacked_table(host)
        host.check_page("narrow-series")
        host.open(f"/meetings/{form['meeting']}/crosstab?rows=role&columns=parts")
        expect_scrollable_region(host, ".scroll")
        host.check_page("narrow-crosstab")
        host.open("/docs/objects")
        expect_stacked_table(host)
        host.end()
    wide = signed_in(service, browser, "narrow@example.org", PASSWORD, width=1440)
    wide.open(f"/series/{series}/rounds")
    assert wide.page.locator("table.stacks tbody td").first.evaluate("cell => getComputedStyle(cell).display") == "table-cell"
    wide.check_page("narrow-series")
    wide.end()


def personal_attendance_shows_each_status_and_links_to_meetings(service, browser):
    api, form, series = rounds(service, "days@example.org", title="Days " + NASTY)
    meetings = [meeting["id"] for meeting in api.call("GET", f"/v1/series/{series}/meetings")["items"]]
    for place, (meeting, status) in enumerate(zip(meetings, ["present", "late", "expected"])):
        api.call("POST", f"/v1/meetings/{meeting}/attendees", {
            "name": "Ann Ames", "email": "ann@example.org", "status": status})
    last = api.call("POST", f"/v1/series/{series}/meetings", {
        "startsAt": "2026-10-29T09:00:00Z", "endsAt": "2026-10-29T10:00:00Z"})
    host = signed_in(service, browser, "days@example.org", PASSWORD)
    host.open(f"/series/{series}/person?email=ann@example.org")
    rows = host.page.locator("tbody tr").all_inner_texts()
    words = ["Not on the list", "Present", "Late", "Missed"]
    assert len(rows) == 4 and all(word in row for word, row in zip(words, rows)), rows
    assert "29 Oct 2026" in rows[0] and "2026-10" not in host.page.inner_text("main")
    assert "2 of 4" in host.page.inner_text("dl")
    expect_stacked_table(host)
    host.check_page("person-days")
    own = host.page.get_attribute('a[href*="/p/"]', "href")
    host.click("tbody th a >> nth=0")
    assert host.page.url.endswith("/meetings/" + last["id"])
    host.end()
    for width, language, status, day in [
            (1440, "ko-KR", "명단에 없음", "2026년 10월 29일"), (360, "de-DE", "Nicht auf der Liste", "29. Okt. 2026")]:
        guest = Visitor(browser, service.base, width=width, language=language, scheme="dark")
        guest.page.goto(own)
        assert status in guest.page.inner_text("tbody") and guest.page.locator("tbody a").count() == 0
        assert day in guest.page.inner_text("tbody")
        guest.check_page("person-days")
        guest.end()


def attendance_page_depends_on_the_time_of_the_meeting(service, browser):
    api = HostAPI(service, account(service, "begins@example.org"))
    soon = api.form(QUESTIONS, title="Soon", meeting={"startsAt": hours_from_now(1), "endsAt": hours_from_now(2)})
    over = api.form(QUESTIONS, title="Over", meeting={
        "startsAt": "2026-10-01T09:00:00Z", "endsAt": "2026-10-01T10:00:00Z"})
    host = signed_in(service, browser, "begins@example.org", PASSWORD)
    host.open(f"/meetings/{soon['meeting']}/people")
    assert "Nobody is on the list yet" in host.page.inner_text(".lead") and "0" not in host.page.inner_text(".lead")
    assert host.page.locator("nav.filters").count() == 0 and host.page.locator("main img.code").is_visible()
    host.check_page("attendance-soon")
    host.open(f"/meetings/{over['meeting']}/people")
    assert "No attendance was taken" in host.page.inner_text(".lead")
    assert host.page.locator("main img.code").count() == 0 and host.page.locator("main details[open]").count() == 0
    host.check_page("attendance-over")
    host.page.fill("#name", "Ann")
    host.page.select_option("#status", "present")
    host.click('button[value="add"]')
    assert host.page.inner_text(".lead") == "1 of 1 present"
    host.open(f"/meetings/{over['meeting']}/people?status=late")
    assert host.page.locator("nav.filters").count() == 1 and "Nobody here" in host.page.inner_text("main")
    host.end()


def unreachable_codes_show_a_warning_except_in_print(service, browser):
    api, form, series = rounds(service, "loopback@example.org", count=1)
    host = signed_in(service, browser, "loopback@example.org", PASSWORD, width=1440)
    meeting = f"/meetings/{form['meeting']}"
    other = f"/meetings/{api.form(QUESTIONS)['meeting']}"
    for path in [other + "/shares", f"/series/{series}/rounds"]:
        host.open(path)
        warning = host.page.locator(".unprinted", has_text="phones cannot open it")
        assert warning.count() == 1 and warning.is_visible(), path
        assert host.page.locator("main code").count() == 0, path
        host.page.emulate_media(media="print")
        assert warning.is_hidden(), path
        host.page.emulate_media(media="screen")
    host.check_page("series-unreachable")
    # The audience sees no commands.
    for path in [meeting + "/stage", other + "/door"]:
        host.open(path)
        assert host.page.locator(".unreachable").count() == 0, path
    host.end()


def reference_links_back_to_the_service(service, browser):
    stranger = Visitor(browser, service.base)
    stranger.open("/docs/meetings")
    links = stranger.page.locator(".host-bar a")
    assert [links.nth(place).get_attribute("href") for place in range(links.count())] == ["/", "/sign-in"]
    stranger.check_page("docs-stranger")
    stranger.end()
    host = signed_in(service, browser, account(service, "docs@example.org"), PASSWORD)
    host.open("/docs")
    for part in ["nav a", "a.brand"]:
        assert host.page.locator(f'.host-bar {part}[href="/home"]').count() == 1, part
    host.check_page("docs-host")
    host.end()


def admins_are_not_shown_as_owners_and_cannot_disable_themselves(service, browser):
    api, form, series = rounds(service, "narrow-owner@example.org", count=1)
    admin = signed_in(service, browser)
    admin.open(f"/series/{series}")
    head = admin.page.inner_text("h1 + .hint")
    assert "as an admin" in head and "Hanna Host" in head, head
    admin.open("/admin/accounts?q=" + service.email)
    assert admin.page.locator('button[value^="disable:"]').count() == 0
    admin.open("/admin/accounts?q=narrow-owner@example.org")
    assert admin.page.locator('button[value^="disable:"]').count() == 1
    admin.end()
    owner = signed_in(service, browser, "narrow-owner@example.org", PASSWORD)
    owner.open(f"/series/{series}")
    assert owner.page.inner_text("h1 + .hint").startswith("Owner")
    owner.end()


def unsaved_time_zone_is_marked_as_unsaved(service, browser):
    account(service, "zone@example.org")
    host = signed_in(service, browser, "zone@example.org", PASSWORD, zone="Asia/Seoul")
    host.open("/account")
    assert host.page.input_value("#timeZone") == "" and "Nothing is saved" in host.page.inner_text("#zone-saved")
    assert host.page.locator("#zone-unsaved").is_hidden()
    host.click("#zone-proposal")
    assert host.page.input_value("#timeZone") == "Asia/Seoul" and host.page.locator("#zone-unsaved").is_visible()
    assert host.page.locator("#zone-proposal").is_hidden()
    host.check_page("account-zone")
    host.click('button[value="profile"]')
    host.page.wait_for_selector(".notice")
    assert "Asia/Seoul" in host.page.inner_text("#zone-saved") and host.page.locator("#zone-unsaved").is_hidden()
    host.page.fill("#timeZone", "Europe/Nowhere")
    host.click('button[value="profile"]')
    host.page.wait_for_selector("#zone-fault")
    assert "Asia/Seoul" in host.page.inner_text("#zone-saved") and host.page.locator("#zone-unsaved").is_visible()
    host.end()


def workbooks_open_with_charts_and_are_named_after_the_meeting(service, browser):
    api, form, series = rounds(service, "workbooks@example.org", title="회고: 3/4 분기", count=1)
    hosts, service.token = service.token, None
    service.call("POST", f"/v1/forms/{form['code']}/submissions", {"answers": {"pace": 4, "parts": "o1"}},
                 {"Idempotency-Key": f"workbook-answer-{series}"})
    service.token = hosts
    host = signed_in(service, browser, "workbooks@example.org", PASSWORD, width=1440)

    def book(path, link):
        host.open(path)
        with host.page.expect_download() as download:
            host.click(link)
        return download.value.suggested_filename, openpyxl.load_workbook(open(download.value.path(), "rb"))

    meeting = f"/meetings/{form['meeting']}/results"
    name, answers = book(meeting, '.downloads a[href*="submissions.xlsx"]')
    assert name == "회고- 3-4 분기 #1 - submissions.xlsx", name
    headings = [cell.value for cell in answers["submissions"][1]]
    assert "How was the pace?" in headings and "Which parts helped you?: The demo" in headings, headings
    name, summary = book(meeting, '.downloads a[href*="summary.xlsx"]')
    assert summary.active.title == "Charts" and summary.sheetnames[0] == "summary"
    name, everything = book(f"/series/{series}", '.downloads a[href*="meetings.xlsx"]')
    assert name == "회고- 3-4 분기 - meetings.xlsx", name
    assert "Response rate" in [cell.value for cell in everything["meetings"][1]]
    host.end()

"""What a new host met on the first walk through the pages of accounts and admins, and what charts compare."""

import re

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_service import service as own_service
from page_visitor import QUESTIONS, Visitor


def sessions_are_named_after_their_devices(service, browser):
    email = account(service, "walk-device@example.org")
    host = signed_in(service, browser, email, PASSWORD)
    HostAPI(service, email)
    host.open("/account")
    sessions = host.page.locator("section[aria-labelledby=sessions] li").all_inner_texts()
    assert sorted(re.match("[^:]*", text).group() for text in sessions) == ["Chrome, Linux", "Unknown device"], sessions
    host.check_page("account-devices")
    host.end()


def audit_trail_names_persons_and_sign_ins(service, browser):
    email = account(service, "walk-audit@example.org", "Audrey Audit")
    api = HostAPI(service, email)
    form = api.form(QUESTIONS, title="Audited", identity="attendee")
    people = f"/v1/meetings/{form['meeting']}/attendees"
    person = api.call("POST", people, {"name": "Petra Person", "email": "petra@example.org"})
    api.call("POST", f"{people}/{person['id']}/link")
    service.call("POST", "/v1/invitations", {"email": "invited@example.org"})
    admin = signed_in(service, browser, width=1440)
    admin.open("/admin/audit?account=" + email)
    rows = {row.locator("th").inner_text(): row for row in admin.page.locator("tbody tr").all()}
    assert "Petra Person · Audited" in rows["Attendance: personal link created"].inner_text()
    signed = rows["Account: signed in"].locator("td").first.inner_text()
    assert re.search(r"\d\d?:\d\d:\d\d", signed), signed
    admin.open("/admin/audit?act=invitation.create")
    assert "invited@example.org" in admin.page.locator("tbody tr").first.inner_text()
    admin.check_page("audit-persons")
    admin.end()


def first_admin_is_asked_for_a_password(service, browser):
    with own_service() as fresh:
        admin = signed_in(fresh, browser)
        notice = admin.page.locator("main .promise", has_text="first password")
        assert notice.count() == 1
        admin.check_page("home-first-password")
        admin.click(notice.locator("a"))
        admin.page.fill("#old", fresh.password)
        admin.page.fill("#new", "a password of my own")
        admin.click('button[value="password"]')
        admin.expect_notice("Your password has been changed.")
        admin.open("/home")
        assert admin.page.locator("main .promise").count() == 0
        admin.end()


def crosstab_of_a_scale_keeps_its_ends_and_one_colour(service, browser):
    api = HostAPI(service, account(service, "walk-crosstab@example.org"))
    form = api.form(QUESTIONS)
    answer(service, form, *({"pace": number, "role": "guest"} for number in range(1, 6)))
    for scheme in ["light", "dark"]:
        host = signed_in(service, browser, "walk-crosstab@example.org", PASSWORD, width=1440, scheme=scheme)
        host.open(f"/meetings/{form['meeting']}/crosstab?rows=role&columns=pace")
        headers = host.page.locator("thead tr >> nth=1").locator("th").all_inner_texts()
        assert headers[1:] == ["1 (too slow)", "2", "3", "4", "5 (too fast)"], headers
        colours = host.page.locator(".chart canvas").evaluate(
            "(canvas) => Chart.getChart(canvas).data.datasets.map((one) => one.backgroundColor)")
        assert all(isinstance(colour, str) for colour in colours) and len(set(colours)) == 5, colours
        host.check_page("crosstab-scale")
        host.end()


def trends_show_the_newest_number_beside_that_of_all_rounds(service, browser):
    api = HostAPI(service, account(service, "walk-trend@example.org"))
    form = api.form(QUESTIONS, title="Trend")
    answer(service, form, {"pace": 3, "nps": 0}, {"pace": 3, "nps": 2})
    series = form["checkIn"]["seriesId"]
    later = api.call("POST", f"/v1/series/{series}/meetings", {})
    published = api.call("POST", f"/v1/meetings/{later['id']}/form/publish")
    answer(service, published, {"pace": 4, "nps": 10})
    host = signed_in(service, browser, "walk-trend@example.org", PASSWORD, width=1440)
    host.open(f"/series/{series}")
    hint = host.page.inner_text("#trend-nps + .hint")
    assert hint.startswith("Round 2: NPS +100 · All rounds together: 3 answers · NPS"), hint
    host.check_page("series-newest")
    host.end()


def calendar_days_have_all_borders(service, browser):
    email = account(service, "walk-calendar@example.org")
    host = signed_in(service, browser, email, PASSWORD, width=1440)
    # In this month the first row begins with days of the month before.
    host.open("/calendar?month=2026-11")
    styles = host.page.locator(".calendar td.other").evaluate_all(
        "(cells) => cells.map((cell) => getComputedStyle(cell).borderBottomStyle)")
    assert styles and set(styles) == {"none"}, styles
    host.check_page("calendar-borders")
    host.end()

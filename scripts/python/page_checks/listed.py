"""Forms for attendees only, each with a personal link."""

import page_service
from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_visitor import NASTY, QUESTIONS, Visitor, send

VIEWS = [(360, "light", "en-GB", True), (1440, "dark", "ko-KR", True), (360, "dark", "de-DE", True),
         (360, "light", "en-GB", False)]


def attendee_form_shows_its_list_and_no_code(service, browser):
    for width, scheme, language, script in VIEWS:
        email = account(service, f"listed-{language.lower()}-{script}@example.org")
        api = HostAPI(service, email)
        form = api.form(QUESTIONS, title="Listed " + NASTY, identity="attendee", publish=False)
        series, path = form["checkIn"]["seriesId"], f"/meetings/{form['meeting']}"
        host = signed_in(service, browser, email, PASSWORD, width=width, scheme=scheme, language=language, script=script)
        host.open(path + "/form")
        assert host.page.locator("text=/nobody is on the list yet|아직 명단에 아무도|noch steht niemand auf der Liste/").count() > 0, "nothing warns that the attendee list is empty"
        host.open(path + "/shares")
        assert host.page.locator("#invite").count() == 1
        host.check_page("listed-nobody")
        host.open(path)
        host.click('button[value="publish"]')
        host.page.wait_for_selector("#invite")
        assert host.page.locator("img.code, strong.join, a[href$='/stage'], #form-link").count() == 0
        # New members of the series are not added to an existing round without a date.
        host.open(f"/series/{series}/people")
        host.page.fill("#lines", "Ann, ann@example.org\nBea, bea@example.org")
        host.click('button[value="add"]')
        host.page.wait_for_selector("main .promise")
        host.check_page("listed-roster")
        host.click('main .promise a[href$="#missing"]')
        host.check_page("listed-missing")
        host.click('button[value="everyone"]')
        host.page.wait_for_selector("ul.people li")
        assert host.page.locator("ul.people li").count() == 2 and host.page.locator("#missing").count() == 0
        host.open(path + "/shares")
        words = host.page.inner_text("section:has(#invite)")
        sentences = ["does not send e-mail", "메일을 보내지 않습니다", "versendet keine E-Mails"]
        assert "2" in words and any(sentence in words for sentence in sentences), words
        assert host.page.locator('button[value="mail"]').count() == 0
        host.check_page("listed-meeting")
        host.open(path + "/screen")
        assert host.page.url.startswith(service.base + path + "/stage"), host.page.url
        assert host.page.locator("img.code, .join").count() == 0, "the stage shows a code that does not open the form"
        host.open("/home")
        assert host.page.locator("#now").count() == 1 and host.page.locator("#now img.code, #now .join").count() == 0
        host.end()


def attendance_shows_respondents_of_a_closed_undated_round(service, browser):
    api = HostAPI(service, account(service, "answered@example.org"))
    form = api.form(QUESTIONS, title="Named", identity="attendee")
    source, series = f"/v1/meetings/{form['meeting']}", form["checkIn"]["seriesId"]
    ann = api.call("POST", source + "/attendees", {"name": "Ann", "email": "ann@example.org"})
    api.call("POST", source + "/attendees", {"name": "Bea", "email": "bea@example.org"})
    guest = Visitor(browser, service.base)
    guest.page.goto(api.call("POST", f"{source}/attendees/{ann['id']}/link")["url"])
    guest.pick("pace", "4")
    send(guest)
    guest.end()
    api.call("POST", source + "/form/close")
    host = signed_in(service, browser, "answered@example.org", PASSWORD)
    for email, answered in [("ann@example.org", "Yes"), ("bea@example.org", "No")]:
        host.open(f"/series/{series}/person?email={email}")
        cells = host.page.locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells[-1].split("\n")[-1] == answered and "–" in cells[-2], cells
        assert host.page.locator("dt:text-is('Missed')").count() == 0
        host.check_page("person-answered")
    host.end()


def personal_links_are_mailed_from_the_meeting_and_the_list(service, browser):
    with page_service.service(sendmail="/bin/true") as mailing:
        form = mailing.form(QUESTIONS, title="Mailed", identity="attendee")
        path = f"/meetings/{form['meeting']}"
        host = signed_in(mailing, browser)
        host.open(path + "/shares")
        assert host.page.locator('button[value="mail"]').count() == 0, "mailing is offered for an empty list"
        for number in range(2):
            mailing.call("POST", f"/v1{path}/attendees", {"name": "P", "email": f"p{number}@example.org"})
        host.open(path + "/shares")
        host.check_page("listed-mailing")
        host.click('button[value="mail"]')
        host.page.wait_for_url("**/people")
        host.expect_notice("2 e-mails are on their way.")
        host.check_page("attendance-mailing")
        host.click('button[value="remind"]')
        host.page.wait_for_selector("[role=status]")
        host.expect_notice("2 e-mails are on their way.")
        host.end()


def times_name_their_zone_for_hosts_in_other_zones(service, browser):
    api = HostAPI(service, account(service, "zones@example.org"))
    form = api.form(QUESTIONS, title="Far", meeting={
        "timeZone": "Asia/Seoul", "startsAt": page_service.hours_from_now(20), "endsAt": page_service.hours_from_now(21)})
    host = signed_in(service, browser, "zones@example.org", PASSWORD)
    places = [f"/meetings/{form['meeting']}", f"/series/{form['checkIn']['seriesId']}"]
    for zone, is_named in [("Asia/Seoul", False), ("Europe/Berlin", True)]:
        tag = api.call("GET", "/v1/me")["etag"]
        api.with_token("call", "PATCH", "/v1/me", {"timeZone": zone}, {"If-Match": tag})
        for place in [*places, "/home"]:
            host.open(place)
            shown = host.page.locator("main :text('(Asia/Seoul)')").count()
            assert bool(shown) == is_named, (place, zone, shown)
    host.end()

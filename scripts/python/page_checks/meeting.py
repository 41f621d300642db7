"""The tabs of a meeting in each state, and the list of respondents."""

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_service import hours_from_now
from page_visitor import NASTY, QUESTIONS, Visitor, send

VIEWS = [(360, "light", "en-GB"), (1440, "dark", "ko-KR"), (360, "dark", "de-DE")]
# The positions of the tabs.
FORM, SHARE, LIVE, RESULTS, PEOPLE = range(1, 6)
SERIES_ROUNDS = 2


def parts(host):
    """The parts of a meeting's page, from top to bottom."""
    return host.page.evaluate("""() => [...document.querySelectorAll(
        '#invite, #results, #next, #links, button[value=close], button[value=reopen], details .invite')]
        .map((part) => part.id || part.value || 'fold')""")


def open_tab(host, position):
    """Opens a tab of a meeting or a series, and expects it to be marked."""
    host.click(f".tab-bar a:nth-child({position})")
    marked = host.page.locator(".tab-bar [aria-current=page]")
    assert marked.count() == 1 and host.page.url.endswith(marked.get_attribute("href")), host.page.url


def meeting_has_tabs_for_each_step(service, browser):
    for width, scheme, language in VIEWS:
        email = account(service, f"life-{language.lower()}@example.org")
        api = HostAPI(service, email)
        form = api.form(QUESTIONS, title="Life " + NASTY, identity="device", publish=False)
        host = signed_in(service, browser, email, PASSWORD, width=width, scheme=scheme, language=language)
        host.open(f"/meetings/{form['meeting']}")
        assert host.page.locator(".asks li").all_inner_texts() == [question["title"] for question in QUESTIONS]
        host.check_page("meeting-draft-asks")
        host.click('button[value="publish"]')
        host.page.wait_for_selector("strong.join")
        assert host.page.url.endswith("/shares") and parts(host) == ["invite", "links"]
        host.context.grant_permissions(["clipboard-read", "clipboard-write"])
        host.click('button[data-copies="form-link"]')
        host.until("() => (b => b.textContent === b.dataset.copied)(document.querySelector('[data-copies=form-link]'))")
        assert host.page.evaluate("navigator.clipboard.readText()") == service.base + f"/f/{form['code']}"
        host.check_page("meeting-inviting")
        open_tab(host, FORM)
        assert parts(host) == ["close"]
        host.check_page("meeting-open-form")
        open_tab(host, PEOPLE)
        open_tab(host, RESULTS)
        open_tab(host, LIVE)
        assert parts(host) == ["results", "close"]
        guest = Visitor(browser, service.base)
        guest.open(f"/f/{form['code']}")
        guest.pick("pace", "4")
        send(guest)
        guest.end()
        host.page.wait_for_selector("#results .total:text-matches('^1 answer$|^응답 1건$|^1 Antwort$')")
        host.click('button[value="close"]')
        host.page.wait_for_selector('button[value="reopen"]')
        assert parts(host) == ["results", "reopen"] and host.page.locator(".join").count() == 0
        host.check_page("meeting-live-closed")
        open_tab(host, SHARE)
        assert parts(host) == ["fold", "links"] and host.page.locator("details:has(.invite)[open]").count() == 0
        host.check_page("meeting-closed-share")
        open_tab(host, FORM)
        assert parts(host) == ["reopen", "next"]
        host.check_page("meeting-closed")
        first = host.page.url
        assert host.page.locator("#next ~ .actions form button").inner_text().split(" · ")[1], "the day is missing"
        host.click("#next ~ .actions form button")
        host.page.wait_for_url(lambda url: "/meetings/" in url and url != first)
        second = api.call("GET", host.page.url.replace(service.base, "/v1").split("?")[0])
        assert second["round"] == 2 and second["seriesId"] == form["checkIn"]["seriesId"] and second["startsAt"]
        host.page.goto(first)
        assert host.page.locator("#next ~ .actions").count() == 0, "a round with a successor offers another one"
        assert host.page.locator(f'#next ~ p a[href$="{second["id"]}"]').count() == 1
        host.end()


def ended_meeting_offers_the_next_round_while_its_form_is_open(service, browser):
    api = HostAPI(service, account(service, "over@example.org"))
    form = api.form(QUESTIONS, title="Over", meeting={
        "startsAt": hours_from_now(-3), "endsAt": hours_from_now(-2), "place": "Room 1"})
    host = signed_in(service, browser, "over@example.org", PASSWORD, script=False)
    host.open(f"/meetings/{form['meeting']}")
    assert parts(host) == ["close", "next"], parts(host)
    open_tab(host, SHARE)
    assert parts(host) == ["invite", "links"], "the link is hidden while the form is open"
    # Without scripts the address is shown as text, and buttons that would do nothing are hidden.
    assert host.page.inner_text("#form-link") == service.base + f"/f/{form['code']}"
    assert not host.page.locator("button[data-copies]").is_visible()
    assert host.page.locator('a[href$="/door"]').count() == 1
    host.end()


def hosts_see_respondents_or_why_they_are_unknown(service, browser):
    api = HostAPI(service, account(service, "who@example.org"))
    for settings, line, sentence, links in [
        ({"identity": "attendee"}, "Personal links, with names", "The download shows the names", 2),
        ({"identity": "attendee", "anonymous": True, "minimumGroup": 5}, "Anonymous, shown in groups of 5", "no names, no times of day", 0),
        ({"identity": "device"}, "Once per device, without names", "Nobody was asked", 0),
        ({"identity": "open"}, "Without names", "Nobody was asked", 0),
    ]:
        form = api.form(QUESTIONS, title="Who", **settings)
        host = signed_in(service, browser, "who@example.org", PASSWORD)
        for path in ["/now", "/results"]:
            host.open(f"/meetings/{form['meeting']}{path}")
            assert line in host.page.inner_text("h1 + p"), host.page.inner_text("h1 + p")
            respondents = host.page.locator("p:has(> strong:text('Who answered'))")
            assert sentence in respondents.inner_text(), respondents.inner_text()
            assert respondents.locator("a").count() == links, (settings, path, respondents.inner_html())
        if links:
            assert host.page.request.get(service.base + respondents.locator("a").first.get_attribute("href")).status == 200
        host.end()


def new_host_sees_a_single_form(service, browser):
    for width, scheme, language in VIEWS:
        email = account(service, f"new-{language.lower()}@example.org")
        host = signed_in(service, browser, email, PASSWORD, width=width, scheme=scheme, language=language)
        assert host.page.locator("main h2").count() == 1 and host.page.locator("main form").count() == 1
        host.check_page("home-new")
        host.page.fill("#title", "The first one")
        host.click("form.card button")
        host.page.wait_for_url("**/meetings/*")
        assert host.page.locator("main button:visible").count() == 1, "the draft has more than the button to publish"
        host.open("/home")
        assert host.page.locator(".series-card").count() == 1
        host.end()


def long_series_shows_trends_first_and_all_rounds_on_request(service, browser):
    api = HostAPI(service, account(service, "rounds@example.org"))
    form = api.form(QUESTIONS, title="Weekly", meeting={
        "startsAt": "2031-01-06T09:00:00Z", "endsAt": "2031-01-06T10:00:00Z",
        "repeat": {"every": "P7D", "count": 103}})
    series = form["checkIn"]["seriesId"]
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "rounds@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        host.open(f"/series/{series}")
        assert host.page.locator(".trend").count() > 0 and host.page.locator("#rounds").count() == 0
        open_tab(host, SERIES_ROUNDS)
        rounds = host.page.locator("section:has(#rounds) tbody tr")
        assert rounds.count() == 12
        host.check_page("series-long")
        host.click('a[href$="rounds=all#rounds"]')
        host.page.wait_for_url("**rounds=all**")
        assert rounds.count() == 103 and host.page.locator('main a[href*="rounds=all"]').count() == 0
        # Links to the former address keep working.
        host.open(f"/series/{series}?rounds=all#rounds")
        assert host.page.url.split("#")[0].endswith("/rounds?rounds=all") and rounds.count() == 103
        host.end()


def mails_use_the_language_of_the_page(service, browser):
    for language, address, words in [
            ("ko-KR", "ko-mail@example.org", "신청"), ("en-GB", "en-mail@example.org", "do nothing"),
            ("de-DE", "de-mail@example.org", "nichts zu tun")]:
        visitor = Visitor(browser, service.base, language=language)
        visitor.open("/sign-up")
        visitor.page.fill("#name", "New")
        visitor.page.fill("#email", address)
        visitor.click("main form button")
        visitor.page.wait_for_selector("main form", state="detached")
        assert words in service.mailed(rf"(?s)To: {address}\n.*?(?=\nTo: |\Z)"), language
        visitor.end()

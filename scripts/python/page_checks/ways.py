"""Navigation between rounds and lists, ended meetings, and numbers with their labels."""


from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_service import hours_from_now
from page_visitor import QUESTIONS

VIEWS = [(360, "light", "en-GB"), (1440, "dark", "ko-KR"), (360, "dark", "de-DE")]
# Labels of horizontal bars that begin outside the canvas.
CUT = """(canvas) => {
    const chart = Chart.getChart(canvas), { x, y } = chart.scales, pen = chart.ctx;
    pen.font = `13px ${Chart.defaults.font.family}`;
    return y.ticks.filter(({ label }) => pen.measureText(label).width > x.left - 4).map(({ label }) => label);
}"""


def refusals_are_explained_in_the_language_of_the_host(service, browser):
    account(service, "no-admin@example.org")
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "no-admin@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        assert host.open("/admin/accounts").status == 403
        shown = host.page.inner_text("main")
        sentences = {"en-GB": "admins only", "ko-KR": "관리자만", "de-DE": "nur für Admins"}
        assert all((words in shown) == (of == language) for of, words in sentences.items()), shown
        host.check_page("not-for-hosts")
        host.open("/series")
        assert host.page.locator('main a[href="/home#title"]').count() == 1, "the empty list has no link"
        host.check_page("series-none")
        host.open("/series?q=nothing")
        assert host.page.locator('main a[href="/home#title"]').count() == 0
        host.end()


def rounds_link_to_each_other(service, browser):
    api = HostAPI(service, account(service, "to-and-fro@example.org"))
    first = api.form(QUESTIONS, title="Weekly", identity="device", meeting={
        "startsAt": hours_from_now(-50), "endsAt": hours_from_now(-49)})
    series = first["checkIn"]["seriesId"]
    answer(service, first, {"pace": 2, "role": "guest"}, {"pace": 3, "role": "guest", "better": "Tea"})
    rounds = [first["meeting"]]
    for hours in [-26, -2]:
        created = api.call("POST", f"/v1/series/{series}/meetings", {
            "startsAt": hours_from_now(hours), "endsAt": hours_from_now(hours + 1)})
        rounds.append(created["id"])
    form = api.call("POST", f"/v1/meetings/{rounds[2]}/form/publish")
    answer(service, form, {"pace": 5, "role": "member"}, {"pace": 4, "role": "guest"})
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "to-and-fro@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        for rest in ["", "/now", "/results"]:
            navigation = []
            for meeting in rounds:
                host.open(f"/meetings/{meeting}{rest}")
                links = host.page.locator("nav.places a")
                navigation.append([(link.get_attribute("rel"), link.get_attribute("href")) for link in links.all()])
            addresses = [f"/meetings/{meeting}{rest}" for meeting in rounds]
            assert navigation == [
                [("next", addresses[1])], [("prev", addresses[0]), ("next", addresses[2])], [("prev", addresses[1])]], navigation
            host.check_page("rounds-" + (rest.strip("/") or "meeting"))
        since = host.page.locator("#q-pace .since a")
        assert since.inner_text().startswith("#1") and since.get_attribute("href") == f"/meetings/{rounds[0]}/results"
        assert host.page.locator("#q-role th.change a").get_attribute("href") == f"/meetings/{rounds[0]}/results"
        assert host.page.locator(f'main a[href="/series/{series}"]').count() == 1
        host.click("details.filter summary")
        options = host.page.locator("#where option").all_inner_texts()
        assert "5 (1)" in options and not any("(0)" in option for option in options), options
        host.open(f"/meetings/{rounds[0]}/results/better")
        assert host.page.locator(f'main a[href="/series/{series}"]').count() == 1
        host.check_page("texts-ways")
        host.open(f"/meetings/{rounds[2]}/now")
        brief = host.page.inner_text("dl.brief")
        mean = "4,50" if language == "de-DE" else "4.50"
        assert f"{mean} (1 too slow – 5 too fast)" in brief, brief
        host.open(f"/series/{series}")
        heads = host.page.locator("section[aria-labelledby=trend-better] thead th").all_text_contents()
        count = {"en-GB": "Completed forms", "ko-KR": "제출된 설문", "de-DE": "Ausgefüllte Formulare"}[language]
        assert heads[1] == count, heads
        host.end()


def ended_meeting_and_closed_form_show_no_code(service, browser):
    api = HostAPI(service, account(service, "over-and-out@example.org"))
    form = api.form(QUESTIONS, title="It was nice", meeting={
        "startsAt": hours_from_now(-3), "endsAt": hours_from_now(-2)})
    meeting = "/meetings/" + form["meeting"]
    for width, scheme, language in VIEWS:
        host = signed_in(service, browser, "over-and-out@example.org", PASSWORD, width=width, scheme=scheme, language=language)
        host.open(meeting + "/stage")
        assert host.page.locator("#slide-code img.code").is_visible()
        host.open(meeting + "/door")
        assert host.page.locator("img.code").count() == 0 and host.page.locator(f'a[href="{meeting}/edit"]').count() == 1
        host.check_page("door-over")
        api.call("POST", "/v1" + meeting + "/form/close")
        host.open(meeting + "/stage")
        assert host.page.locator("img.code").count() == 0
        host.check_page("stage-closed")
        host.click('button[value="reopen"]')
        host.page.wait_for_selector("#slide-code img.code")
        assert "/stage" in host.page.url
        host.end()


def attendees_link_to_their_attendance(service, browser):
    api = HostAPI(service, account(service, "lists@example.org"))
    form = api.form(QUESTIONS, title="With a list", identity="device", meeting={
        "startsAt": hours_from_now(-1), "endsAt": hours_from_now(1)})
    meeting, series = form["meeting"], form["checkIn"]["seriesId"]
    answer(service, form, {"pace": 2})
    host = signed_in(service, browser, "lists@example.org", PASSWORD)
    month = form["checkIn"]["startsAt"][:7]
    host.open("/calendar?month=" + month)
    assert host.page.locator("td > p.hint").all_inner_texts() == ["1 answer"], "attendance is shown without a list"
    for person in [{"name": "Ann", "email": "ann+1@example.org", "status": "present"}, {"name": "Nobody's Address"}]:
        api.call("POST", f"/v1/meetings/{meeting}/attendees", person)
    host.open("/calendar?month=" + month)
    assert host.page.locator("td > p.hint").all_inner_texts() == ["1 present · 1 answer"]
    host.open(f"/meetings/{meeting}/people")
    assert host.page.locator(f'main a[href="/series/{series}/people"]').count() == 1
    assert host.page.locator("ul.people a").all_inner_texts() == ["Ann"]
    host.check_page("attendance-ways")
    host.click("ul.people a")
    assert "ann+1@example.org" in host.page.inner_text("main")
    host.end()


def bar_labels_are_not_cut_off(service, browser):
    api = HostAPI(service, account(service, "names@example.org"))
    options = [{"id": "board", "label": "Working at the board"}, {"id": "long", "label": "W" * 60},
               {"id": "korean", "label": "칠판 앞에서 모두 함께 문제를 풀어 보는 시간"}]
    form = api.form([{"key": "liked", "kind": "choice", "title": "What did you like?", "multiple": True, "options": options}],
                    title="Bars", identity="device")
    answer(service, form, {"liked": ["board", "long"]}, {"liked": ["korean"]})
    for width in [360, 1440]:
        host = signed_in(service, browser, "names@example.org", PASSWORD, width=width)
        host.open(f"/meetings/{form['meeting']}/results")
        host.page.wait_for_selector("#q-liked canvas")
        assert host.page.locator("#q-liked canvas").evaluate(CUT) == []
        assert "W" * 60 in host.page.inner_text("#q-liked table")
        host.check_page("names-beside-bars")
        host.end()

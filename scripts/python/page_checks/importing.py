"""The import of a CSV file in the browser."""

import re

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_visitor import NASTY

CSV = """Timestamp,Email Address,How was the pace?,What helped? [Demo],What helped? [Talk],Why?
27.11.2026 20:35:12,ann@example.org,4,Yes,No,"NASTY"
27.11.2026 20:36:12,ben@example.org,5,Yes,Yes,=1+1
27.11.2026 20:37:12,cid@example.org,9,No,Yes,
28.11.2026 08:00:00,,3,No,No,"Two
lines"
"""


def files_are_imported_in_the_browser(service, browser):
    text = CSV.replace("NASTY", NASTY.replace('"', '""'))
    for script, width, language, scheme in [
            (True, 360, "en-GB", "light"), (False, 1440, "ko-KR", "dark"), (True, 1440, "de-DE", "dark")]:
        email = account(service, f"import-{language.lower()}@example.org")
        host = signed_in(
            service, browser, email, PASSWORD, script=script, width=width, language=language, scheme=scheme)
        host.open("/series")
        host.click('a[href="/import"]')
        host.page.wait_for_url("**/import")
        host.check_page(f"import-{language}")
        host.click("main form button")
        host.page.wait_for_selector("[role=alert]")
        host.page.set_input_files("#file", {
            "name": "retro.csv", "mimeType": "text/csv", "buffer": text.replace(",", ";").encode("utf-16")})
        host.click("main form button")
        host.page.wait_for_selector("[name='use.0']")
        chosen = [host.page.input_value(f"[name='use.{index}']") for index in range(6)]
        assert chosen == ["time", "skip", "rating-1-10", "option", "option", "text"], chosen
        assert host.page.input_value("[name=delimiter]") == "semicolon"
        assert host.page.input_value("[name=order]") == "dmy"
        host.check_page(f"import-columns-{language}")
        host.page.select_option("[name='use.2']", "rating-1-5")
        host.page.fill("[name=zone]", "Europe/Berlin")
        host.click("main form .actions button[value=check]")
        host.page.wait_for_selector("#counts")
        assert host.page.locator("section[aria-labelledby=counts] li").count() == 1
        assert host.page.input_value("[name='use.2']") == "rating-1-5"
        host.check_page(f"import-checked-{language}")
        host.click("main form .actions button[value=import]")
        host.page.wait_for_selector("#places")
        host.check_page(f"import-done-{language}")
        host.click('a[href$="/results"]')
        assert "How was the pace?" in host.page.inner_text("main")
        host.end()


QUESTIONS = [
    {"key": "pace", "kind": "rating", "title": "How was the pace?", "min": 1, "max": 5},
    {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": True,
     "options": [{"id": "demo", "label": "Demo"}, {"id": "talk", "label": "Talk"}]},
    {"key": "why", "kind": "text", "title": "Why?"}]


def choose_file(host, text, name="week.csv"):
    host.page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": text.encode()})
    host.click("main form button")


def act(host, action):
    host.click(f"main form .actions button[value={action}]")
    host.page.wait_for_load_state()


def files_are_imported_into_a_series(service, browser):
    text = CSV.replace("NASTY", NASTY.replace('"', '""'))
    for script, width, language, scheme in [
            (True, 360, "de-DE", "dark"), (False, 1440, "ko-KR", "light"), (True, 1440, "en-GB", "dark"),
            (False, 360, "en-GB", "light"), (True, 360, "ko-KR", "dark")]:
        name = f"{language}-{width}"
        email = account(service, f"into-{name.lower()}@example.org")
        api = HostAPI(service, email)
        title = "Rückblick am Donnerstagnachmittag der gesamten Entwicklungsabteilung"
        meeting = api.form(QUESTIONS, title=title)["checkIn"]
        series = meeting["seriesId"]
        host = signed_in(
            service, browser, email, PASSWORD, script=script, width=width, language=language, scheme=scheme)
        host.open(f"/series/{series}/rounds")
        host.click(f'a[href="/import?series={series}"]')
        assert host.page.input_value("[name=into]") == series
        host.check_page(f"import-into-{name}")
        choose_file(host, text)
        host.page.wait_for_selector("[name='use.0']")
        chosen = [host.page.input_value(f"[name='use.{index}']") for index in range(6)]
        assert chosen == ["time", "skip", "rating-1-5", "option", "option", "text"], chosen
        assert host.page.locator(".import-column .hint[data-continues]").count() == 4
        host.check_page(f"import-into-columns-{name}")
        # Another scale than that of the series.
        host.page.select_option("[name='use.2']", "rating-1-10")
        act(host, "check")
        host.page.wait_for_selector("[role=alert]")
        assert "How was the pace?" in host.page.inner_text("main .fault")
        host.check_page(f"import-into-scale-{name}")
        host.page.select_option("[name='use.2']", "rating-1-5")
        act(host, "check")
        host.page.wait_for_selector("#counts")
        host.check_page(f"import-into-checked-{name}")
        act(host, "import")
        host.page.wait_for_selector("#places")
        assert host.page.locator(f'a[href="/series/{series}"]').count() == 1
        host.check_page(f"import-into-done-{name}")
        assert api.call("GET", f"/v1/series/{series}")["rounds"] == 2
        # A second import adds nothing.
        host.open(f"/import?series={series}")
        choose_file(host, text)
        act(host, "import")
        host.page.wait_for_selector("#places")
        assert api.call("GET", f"/v1/series/{series}")["rounds"] == 2
        # The series goes to the trash between two steps.
        host.open(f"/import?series={series}")
        choose_file(host, text, name="other.csv")
        host.page.wait_for_selector("[name='use.0']")
        api.call("DELETE", f"/v1/series/{series}")
        act(host, "import")
        host.page.wait_for_selector("[role=alert]")
        assert host.page.input_value("[name=into]") == series
        host.check_page(f"import-into-gone-{name}")
        host.end()


CHECK_BOXES = """Timestamp,Which sessions?,Would you recommend it?
2026/11/20 8:35:12 PM GMT+1,Talks;Demos,9
2026/11/20 8:36:12 PM GMT+1,Talks,10
2026/11/21 9:00:00 AM GMT+1,Demos;Lunch,4
2026/11/21 9:05:00 AM GMT+1,Talks;Lunch,10
"""


def check_boxes_and_recommendations_are_recognised(service, browser):
    api = HostAPI(service, account(service, "import-boxes@example.org"))
    host = signed_in(service, browser, "import-boxes@example.org", PASSWORD, width=360)
    for separator, use in [(";", "several-semicolon"), (", ", "several-comma")]:
        host.open("/import")
        text = re.sub(r"(\w+);(\w+)", rf'"\1{separator}\2"', CHECK_BOXES)
        choose_file(host, text, name=f"boxes{len(separator)}.csv")
        host.page.wait_for_selector("[name='use.0']")
        assert [host.page.input_value(f"[name='use.{index}']") for index in range(3)] == ["time", use, "nps"]
        assert host.page.is_checked("[name=dated]")
        host.check_page("import-check-boxes")
        with host.page.expect_download() as download:
            host.page.click("button[value=map]")
        map_text = open(download.value.path(), encoding="utf-8").read()
        assert f'"separator":"{separator}"' in map_text and '"datedByRows":true' in map_text, map_text
        act(host, "import")
        host.page.wait_for_selector("#places")
        meeting = host.page.locator('#places a[href$="/results"], a[href$="/results"]').first.get_attribute("href")
        results = api.call("GET", "/v1" + meeting)
        counts = {point["label"]: point["count"] for point in results["questions"][0]["points"]}
        assert counts == {"Demos": 2, "Lunch": 2, "Talks": 3}, counts
        assert results["questions"][1]["nps"]["score"] is not None
        starts = api.call("GET", "/v1" + meeting.removesuffix("/results"))["startsAt"]
        assert starts == "2026-11-20T19:00:00Z", starts
    host.end()


def unusable_files_are_explained(service, browser):
    for script, width, language, scheme in [(True, 360, "de-DE", "dark"), (False, 1440, "ko-KR", "light")]:
        email = account(service, f"unusable-{language.lower()}@example.org")
        host = signed_in(
            service, browser, email, PASSWORD, script=script, width=width, language=language, scheme=scheme)
        for name, text in [("empty", "\n\n"), ("names", "a,b,a\n1,2,3\n"), ("quote", '"a,b\n1,2\n')]:
            host.open("/import")
            choose_file(host, text)
            host.page.wait_for_selector("[role=alert]")
            assert "--" not in host.page.inner_text("main")
            host.check_page(f"import-unusable-{name}-{language}")
        # Letters for which no use fits, and rows that are broken.
        host.open("/import")
        choose_file(host, "Ort;Würde es\n" + "".join(f"Ort {number};{number}\n" for number in range(60)) + "a;b;c\n")
        host.page.wait_for_selector("[name='use.0']")
        host.page.select_option("[name=delimiter]", "comma")
        host.click("button[value=read]")
        host.check_page(f"import-one-column-{language}")
        host.page.select_option("[name=delimiter]", "semicolon")
        host.click("button[value=read]")
        host.page.select_option("[name='use.0']", "choice")
        host.page.select_option("[name='use.1']", "choice")
        act(host, "check")
        host.page.wait_for_selector("[role=alert]")
        assert host.page.locator("main .fault").count() == 2
        assert host.page.locator("main .fault").first.get_attribute("lang") == language[:2]
        host.check_page(f"import-faults-{language}")
        host.page.select_option("[name='use.0']", "skip")
        host.page.select_option("[name='use.1']", "skip")
        act(host, "check")
        host.page.wait_for_selector("[role=alert]")
        host.check_page(f"import-nothing-{language}")
        host.open("/import")
        choose_file(host, "q\n" + "1\n" * 50_001)
        host.page.wait_for_selector("[name='use.0']")
        act(host, "check")
        host.page.wait_for_selector("[role=alert]")
        host.check_page(f"import-many-rows-{language}")
        host.end()

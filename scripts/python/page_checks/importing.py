"""The import of a CSV file in the browser."""

from page_hosts import PASSWORD, account, signed_in
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

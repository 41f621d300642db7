"""Notices after an action."""

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_visitor import NASTY, QUESTIONS


def notice_is_shown_once_after_an_action(service, browser):
    HostAPI(service, account(service, "notice@example.org"))
    for script in [True, False]:
        host = signed_in(service, browser, "notice@example.org", PASSWORD, script=script)
        host.page.fill("#title", f"Notice {script} {NASTY}")
        host.page.select_option("#template", "retro")
        host.click("form.card button")
        host.expect_notice("Your meeting has been created.")
        assert "?" not in host.page.url, "the notice is part of the URL"
        if script:
            host.check_page("notice")
        host.page.reload()
        assert host.page.locator(".notice").count() == 0, "the notice is shown again"
        meeting = host.page.url
        host.click('button[value="publish"]')
        host.expect_notice("The form is published.")
        host.page.goto(meeting)
        host.click('button[value="close"]')
        host.expect_notice("The form is closed.")
        host.page.goto(meeting + "/edit")
        host.page.fill("#place", "Elsewhere")
        host.click('button[value="save"]')
        host.expect_notice("Saved.")
        host.open("/home")
        host.click(host.page.locator(".series-card", has_text=f"Notice {script}").locator("button"))
        host.expect_notice("Round 2 has been created.")
        host.page.goto(host.page.url + "/edit")
        host.page.locator("details:has(button.danger) summary").click()
        host.click("button.danger")
        host.expect_notice("Moved to the trash.")
        host.click(host.page.locator("main form button").first)
        host.expect_notice("Restored.")
        host.click(".host-bar button")
        host.expect_notice("You are signed out.")
        host.end()


def notices_come_only_from_valid_cookies(service, browser):
    api = HostAPI(service, account(service, "no-notice@example.org"))
    form = api.form(QUESTIONS)
    host = signed_in(service, browser, "no-notice@example.org", PASSWORD)
    for address in ["/account?done=saved", "/home?notice=Hello", "/account?is=saved"]:
        host.open(address)
        assert host.page.locator(".notice").count() == 0, address
    for value in ["saved", "is=nothing-known", "is=%", "name=x", "is=" + "x" * 3000]:
        host.context.add_cookies([{"name": "afterword-notice", "value": value, "url": service.base}])
        assert host.open("/home").status == 200
        assert host.page.locator(".notice").count() == 0, value
    host.context.add_cookies([{
        "name": "afterword-notice", "value": "is=host-added&name=%3Cb%3E%7Bname%7D", "url": service.base}])
    host.context.request.get(f"{service.base}/meetings/{form['meeting']}", headers={"Accept": "*/*"})
    host.open("/home")
    host.expect_notice("<b>{name} was added.")
    assert not [cookie for cookie in host.context.cookies() if "notice" in cookie["name"]]
    host.end()

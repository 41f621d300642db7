"""Notices after an action."""

from page_hosts import PASSWORD, As, account, signed_in
from page_visitor import NASTY, QUESTIONS


def a_press_is_told_once_on_the_page_that_it_leads_to(service, browser):
    As(service, account(service, "told@example.org"))
    for script in [True, False]:
        host = signed_in(service, browser, "told@example.org", PASSWORD, script=script)
        host.page.fill("#title", f"Told {script} {NASTY}")
        host.page.select_option("#template", "retro")
        host.click("form.card button")
        host.told("Your meeting has been created.")
        assert "?" not in host.page.url, "an address tells of it to anybody"
        if script:
            host.judge("told")
        host.page.reload()
        assert host.page.locator(".told").count() == 0, "it is told again"
        meeting = host.page.url
        host.click('button[value="publish"]')
        host.told("The form is published.")
        host.click('button[value="close"]')
        host.told("The form is closed.")
        host.page.goto(meeting + "/edit")
        host.page.fill("#place", "Elsewhere")
        host.click('button[value="save"]')
        host.told("Saved.")
        host.open("/home")
        host.click(host.page.locator(".series-card", has_text=f"Told {script}").locator("button"))
        host.told("Round 2 has been created.")
        host.page.goto(host.page.url + "/edit")
        host.page.locator("details:has(button.danger) summary").click()
        host.click("button.danger")
        host.told("Moved to the trash.")
        host.click(host.page.locator("main form button").first)
        host.told("It is back.")
        host.click(".host-bar button")
        host.told("You are signed out.")
        host.end()


def nothing_is_told_that_nobody_did(service, browser):
    api = As(service, account(service, "untold@example.org"))
    form = api.form(QUESTIONS)
    host = signed_in(service, browser, "untold@example.org", PASSWORD)
    for address in ["/account?done=saved", "/home?told=Hello", "/account?is=saved"]:
        host.open(address)
        assert host.page.locator(".told").count() == 0, address
    for value in ["saved", "is=nothing-known", "is=%", "name=x", "is=" + "x" * 3000]:
        host.context.add_cookies([{"name": "afterword-notice", "value": value, "url": service.base}])
        assert host.open("/home").status == 200
        assert host.page.locator(".told").count() == 0, value
    host.context.add_cookies([{
        "name": "afterword-notice", "value": "is=host-added&name=%3Cb%3E%7Bname%7D", "url": service.base}])
    host.context.request.get(f"{service.base}/meetings/{form['meeting']}", headers={"Accept": "*/*"})
    host.open("/home")
    host.told("<b>{name} was added.")
    assert not [cookie for cookie in host.context.cookies() if "notice" in cookie["name"]]
    host.end()

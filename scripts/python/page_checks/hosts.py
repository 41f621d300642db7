"""Accounts and sign-in, co-hosts and shares."""

from page_visitor import NASTY, QUESTIONS, Visitor, send


def mailed_links_confirm_accounts_and_reset_passwords(service, browser):
    visitor = Visitor(browser, service.base)
    visitor.open("/sign-up")
    visitor.check_page("sign-up")
    visitor.page.fill("#name", NASTY)
    assert visitor.page.locator("#password").count() == 0, "a password is asked for before the address is confirmed"
    visitor.page.fill("#email", "not an address")
    visitor.click("form button")
    visitor.page.wait_for_selector("#email-fault")
    assert visitor.page.input_value("#name") == NASTY
    visitor.check_page("sign-up-fault")
    visitor.page.fill("#email", "new@example.org")
    visitor.click("form button")
    visitor.page.wait_for_selector("form", state="detached")
    visitor.page.goto(service.mailed(r"http\S+/verify\?token=[\w-]+"))
    token = visitor.page.input_value("#token")
    visitor.click("footer a")
    assert token and visitor.page.input_value("#token") == token, "changing the language loses the token"
    visitor.click("footer a")
    assert visitor.page.get_attribute("#password", "autocomplete") == "new-password"
    visitor.check_page("verify")
    visitor.page.fill("#password", "short")
    visitor.click("form button")
    visitor.page.wait_for_selector("#password-fault")
    assert visitor.page.input_value("#token") == token and visitor.page.input_value("#password") == ""
    visitor.check_page("verify-fault")
    plain = Visitor(browser, service.base, script=False)
    plain.open(f"/verify?token={token}")
    plain.page.fill("#password", "a long password")
    plain.click("main form button")
    plain.page.wait_for_selector('main a.button[href="/sign-in"]')
    plain.end()
    visitor.page.fill("#password", "a stranger's password")
    visitor.click("form button")
    visitor.page.wait_for_selector("[role=alert]")
    visitor.page.goto(f"{service.base}/verify?token=wrong")
    visitor.page.fill("#password", "a long password")
    visitor.click("form button")
    visitor.page.wait_for_selector("[role=alert]")
    visitor.check_page("verify-unknown")
    service.call("POST", "/v1/sessions", {"email": "new@example.org", "password": "a long password"})
    visitor.open("/forgot")
    visitor.check_page("forgot-unmailed")
    assert visitor.page.locator("main form").count() == 0 and "reset-password" in visitor.page.inner_text("main")
    # Through the API, which writes the link to a file.
    service.call("POST", "/v1/password-resets", {"email": "new@example.org"})
    link = service.mailed(r"http\S+/reset\?token=[\w-]+")
    visitor.page.goto(link)
    visitor.check_page("reset")
    visitor.page.fill("#password", "another long password")
    visitor.click("form button")
    visitor.page.wait_for_selector('main a.button[href="/sign-in"]')
    session = service.call("POST", "/v1/sessions", {"email": "new@example.org", "password": "another long password"})
    assert session["account"]["name"] == NASTY
    visitor.page.goto(link)
    visitor.page.fill("#password", "a third long password")
    visitor.click("form button")
    visitor.page.wait_for_selector("[role=alert]")
    visitor.end()


def host_signs_in_builds_a_form_and_sees_live_results(service, browser):
    host = Visitor(browser, service.base, width=1440)
    host.open("/home")
    assert "/sign-in?next=/home" in host.page.url
    host.check_page("sign-in")
    host.page.fill("#email", service.email)
    host.page.fill("#password", "not the password")
    host.click("form button")
    host.page.wait_for_selector("[role=alert]")
    assert host.page.input_value("#email") == service.email and host.page.input_value("#password") == ""
    host.page.fill("#password", service.password)
    host.click("form button")
    host.page.wait_for_url("**/home")
    host.check_page("home")
    host.page.fill("#title", "Weekly " + NASTY)
    host.page.select_option("#template", "retro")
    host.click("form.card button")
    host.page.wait_for_url("**/meetings/*")
    host.check_page("meeting-draft")
    host.click('a[href$="/form"]')
    assert host.page.locator("fieldset").count() == 4
    host.click('button[value="add:choice"]')
    host.page.fill("#q4-title", "Which " + NASTY)
    for place, label in enumerate(["The demo", "The talk"]):
        host.page.locator('[name="q4.option"]').nth(place).fill(label)
    host.click('button[value="up:4"]')
    host.page.wait_for_selector("#said:has-text('4 of 5')")
    assert host.page.input_value("#q3-title") == "Which " + NASTY
    host.page.fill("#q0-title", "")
    assert host.page.input_value("#identity") == "device"
    host.check_page("builder")
    host.click("button.send")
    host.page.wait_for_selector("#q0 .fault")
    host.check_page("builder-fault")
    host.page.fill("#q0-title", "How useful?")
    host.click("button.send")
    host.page.wait_for_url("**/meetings/*")
    host.click('button[value="publish"]')
    host.page.wait_for_selector("strong.join")
    host.check_page("meeting-open")
    code = host.page.get_attribute('a[href*="/f/"]', "href").split("/f/")[1]
    host.click('.tab-bar a[href$="/now"]')
    for number in range(2):
        guest = Visitor(browser, service.base)
        guest.open(f"/f/{code}")
        guest.pick("useful", "5")
        guest.page.check('input[type="radio"] >> nth=-1')
        guest.page.locator("textarea").first.fill(f"guest {number} {NASTY}")
        send(guest)
        guest.end()
    host.page.wait_for_selector('#results .total:text("2 answers")')
    host.check_page("meeting-results")
    meeting = host.page.url.removesuffix("/now")
    host.click('a[href$="/results"]')
    assert "guest 1 " + NASTY in host.page.inner_text("#results")
    host.click(host.page.locator('button[value^="hide:"]').first)
    host.page.wait_for_url("**done=*")
    assert host.page.locator("blockquote").count() == 1
    host.page.goto(meeting)
    workbook = host.page.request.get(host.page.url + "/export/summary.xlsx")
    assert workbook.status == 200 and workbook.body()[:2] == b"PK"
    picture = host.page.request.get(host.page.url + "/pictures/useful.svg")
    assert picture.status == 200 and "svg" in picture.headers["content-type"]
    host.page.goto(meeting + "/now")
    host.click('a[href$="/stage"]')
    host.check_page("stage")
    host.page.go_back()
    host.click('button[value="close"]')
    host.page.wait_for_selector('button[value="reopen"]')
    host.click(".inline button")
    host.page.wait_for_url("**/sign-in")
    host.open("/home")
    assert "/sign-in" in host.page.url, "a signed-out host still has access"
    host.end()


def sign_in_does_not_redirect_to_other_sites(service, browser):
    for place in ["//evil.example", "https://evil.example", "/\\evil.example"]:
        visitor = Visitor(browser, service.base)
        visitor.open("/sign-in?next=" + place)
        visitor.page.fill("#email", service.email)
        visitor.page.fill("#password", service.password)
        visitor.click("form button")
        visitor.page.wait_for_url("**/home")
        visitor.end()


def share_shows_results_and_released_texts(service, browser):
    form = service.form(QUESTIONS)
    sender = Visitor(browser, service.base)
    sender.open(f"/f/{form['code']}")
    sender.pick("pace", "5")
    sender.page.fill("textarea", "Written " + NASTY)
    send(sender)
    sender.end()
    meeting = f"/v1/meetings/{form['meeting']}"
    link = service.call("POST", meeting + "/shares", {})["url"]
    visitor = Visitor(browser, service.base, width=1440)
    visitor.page.goto(link)
    assert visitor.page.locator("blockquote").count() == 0, "an unreleased text is shown"
    service.call("POST", meeting + "/results/better/release")
    visitor.page.goto(link)
    assert visitor.page.inner_text("blockquote") == "Written " + NASTY
    visitor.check_page("share")
    visitor.end()

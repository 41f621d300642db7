"""Invitations of colleagues, on a service that sends no mail."""

from playwright.sync_api import expect

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_visitor import NASTY, QUESTIONS, Visitor


def add_unknown_host(host, series, email, role="viewer"):
    host.open(f"/series/{series}/settings")
    host.page.fill("#email", email)
    host.page.select_option("#role", role)
    host.click('button[value="host"]')
    host.page.wait_for_selector("#stranger")


def colleague_without_account_is_invited_and_sees_the_series(service, browser):
    series = service.form(QUESTIONS, title="Together " + NASTY)["checkIn"]["seriesId"]
    for width, scheme, language, script in [
            (360, "light", "en-GB", True), (1440, "dark", "ko-KR", True), (360, "dark", "de-DE", True),
            (360, "light", "en-GB", False)]:
        email = f"colleague+{language}{script}@example.org".lower()
        host = signed_in(service, browser, width=width, scheme=scheme, language=language, script=script)
        add_unknown_host(host, series, email)
        assert email in host.page.inner_text("#stranger")
        if script:
            host.check_page("invite-offer")
        top = host.page.evaluate("document.querySelector('#stranger').getBoundingClientRect().top")
        assert top < 600, "the offer is too far down the page"
        host.click('button[value="invite"]')
        link = host.page.input_value("#once")
        words = {"en-GB": "this computer only", "ko-KR": "이 컴퓨터", "de-DE": "nur auf diesem Computer"}[language]
        assert words in host.page.inner_text(".once")
        waiting = host.page.locator("#invitations + form li", has_text=email)
        assert waiting.count() == 1, "the pending invitation is not listed"
        assert email in host.page.inner_text("#once-text")
        if script:
            host.check_page("invite-made")
        host.end()
        guest = Visitor(browser, service.base, script=script, width=width, scheme=scheme, language=language)
        guest.page.goto(link)
        assert guest.page.input_value("#email") == email and guest.page.get_attribute("#email", "readonly") is not None
        guest.check_page("invited")
        guest.page.fill("#name", "Cora " + NASTY)
        guest.page.fill("#password", "short")
        guest.click("form button")
        guest.page.wait_for_selector("#password-fault")
        assert guest.page.input_value("#name") == "Cora " + NASTY and guest.page.input_value("#email") == email
        guest.page.fill("#password", "a long password")
        guest.click("form button")
        guest.page.wait_for_url("**/home")
        if language == "en-GB":
            guest.expect_notice(f"Welcome, Cora {NASTY}. Your account is ready.")
        guest.click(f'.series-card a[href="/series/{series}"]')
        assert guest.page.inner_text("h1") == "Together " + NASTY
        assert guest.page.locator('a[href$="#next"]').count() == 0, "a viewer is offered a new round"
        guest.page.goto(link)
        guest.page.fill("#name", "Again")
        guest.page.fill("#password", "another long password")
        guest.click("main form button")
        guest.page.wait_for_selector("[role=alert]")
        guest.end()
    host = signed_in(service, browser)
    add_unknown_host(host, series, "wrong@example.org", "editor")
    host.click('button[value="invite"]')
    assert host.page.locator("#invitations + form li").count() == 1, "accepted invitations are listed as pending"
    host.click('button[value^="invite-off"]')
    host.page.wait_for_selector("#invitations", state="detached")
    host.end()
    hosts = service.call("GET", f"/v1/series/{series}/hosts")["items"]
    assert sorted(host["role"] for host in hosts) == ["owner"] + 4 * ["viewer"]


def hosts_without_permission_see_why_they_cannot_invite(service, browser):
    api = HostAPI(service, account(service, "plain@example.org"))
    series = api.form(QUESTIONS)["checkIn"]["seriesId"]
    host = signed_in(service, browser, "plain@example.org", PASSWORD)
    add_unknown_host(host, series, "nobody@example.org")
    assert host.page.locator('button[value="invite"]').count() == 0
    assert "/sign-up" in host.page.inner_text("#stranger"), "the page does not link to the open sign-up"
    host.check_page("invite-refused")
    host.end()


def invitation_does_not_take_over_an_existing_account(service, browser):
    account(service, "taken@example.org")
    created = service.call("POST", "/v1/invitations", {"email": "taken@example.org"})
    guest = Visitor(browser, service.base)
    guest.page.goto(created["url"])
    guest.page.fill("#name", "Somebody")
    guest.page.fill("#password", "a password of a stranger")
    guest.click("form button")
    guest.page.wait_for_selector('a[href="/sign-in"]')
    assert guest.page.inner_text("h1") == "No account was created", "the page promises a mail that is not sent"
    guest.check_page("invited-taken")
    guest.page.go_back()
    guest.page.fill("#password", PASSWORD)
    guest.click("form button")
    guest.page.wait_for_url("**/home")
    guest.click('form[action="/sign-out"] button')
    guest.page.wait_for_url("**/sign-in")
    guest.page.fill("#email", "taken@example.org")
    guest.page.fill("#password", PASSWORD)
    guest.click("form button")
    guest.page.wait_for_url("**/home")
    guest.end()


def invitation_handles_double_clicks_and_withdrawal(service, browser):
    def invited(email):
        created = service.call("POST", "/v1/invitations", {"email": email})
        guest = Visitor(browser, service.base, script=False)
        guest.page.goto(created["url"])
        guest.page.fill("#name", "Dora")
        guest.page.fill("#password", "a long password")
        return created, guest

    _, guest = invited("double@example.org")
    fields = {name: guest.page.input_value(f'main form [name="{name}"]') for name in ["csrf", "invitation", "email", "name", "password"]}
    address = guest.page.url
    guest.page.dblclick("main form button")
    # The second click aborts the navigation of the first, which would fail a wait for a navigation. Only the address
    # counts.
    expect(guest.page).to_have_url(service.base + "/home")
    again = guest.context.request.post(address, form=fields, max_redirects=0)
    assert (again.status, again.headers.get("location")) == (303, "/home"), "a second click gets an error"
    token = next(cookie["value"] for cookie in guest.context.cookies() if cookie["name"].endswith("afterword-session"))
    # A signed-in visitor is warned and is signed out by creating the new account.
    created = service.call("POST", "/v1/invitations", {"email": "double2@example.org"})
    guest.page.goto(created["url"])
    assert "Dora" in guest.page.inner_text(".promise")
    guest.check_page("invited-signed-in")
    guest.page.fill("#name", "Second Dora")
    guest.page.fill("#password", "a long password")
    guest.click("main form button")
    guest.page.wait_for_url("**/home")
    ended = guest.context.request.get(service.base + "/v1/me", headers={"Authorization": "Bearer " + token})
    assert ended.status == 401, "the previous session is still valid"
    guest.end()
    created, guest = invited("withdrawn@example.org")
    service.call("DELETE", f"/v1/invitations/{created['id']}")
    guest.click("main form button")
    guest.page.wait_for_selector("[role=alert]")
    assert guest.page.input_value("#name") == "Dora"
    guest.end()


def open_invitation_confirms_the_address_by_mail(service, browser):
    created = service.call("POST", "/v1/invitations", {"note": "for anybody"})
    guest = Visitor(browser, service.base)
    guest.page.goto(created["url"])
    assert guest.page.locator("#password").count() == 0, "a password is asked for before the address is confirmed"
    guest.check_page("invited-open")
    guest.page.fill("#name", "Open")
    guest.page.fill("#email", "open@example.org")
    guest.click("main form button")
    guest.page.wait_for_selector("main form", state="detached")
    guest.open(service.mailed(r"(?s)To: open@example\.org.*?(/verify\?token=[\w-]+)"))
    guest.page.fill("#password", "a long password")
    guest.click("main form button")
    guest.page.wait_for_selector('main a.button[href="/sign-in"]')
    service.call("POST", "/v1/sessions", {"email": "open@example.org", "password": "a long password"})
    guest.end()


def typed_invitation_code_leads_to_the_password(service, browser):
    created = service.call("POST", "/v1/invitations", {"email": "typed@example.org"})
    guest = Visitor(browser, service.base, script=False)
    guest.open("/sign-up")
    guest.page.fill("#name", "Typed")
    guest.page.fill("#email", "typed@example.org")
    guest.page.fill("#invitation", created["code"])
    guest.click("main form button")
    guest.page.wait_for_url("**/verify?token=*")
    guest.page.fill("#password", "a long password")
    guest.click("main form button")
    guest.page.wait_for_selector('main a.button[href="/sign-in"]')
    service.call("POST", "/v1/sessions", {"email": "typed@example.org", "password": "a long password"})
    guest.end()

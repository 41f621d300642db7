"""Invited colleagues, on a service that sends no mail."""

import re

from playwright.sync_api import expect

from page_hosts import PASSWORD, As, account, signed_in
from page_visitor import NASTY, QUESTIONS, Visitor


def ask_for(host, series, email, role="viewer"):
    host.open(f"/series/{series}")
    host.page.fill("#email", email)
    host.page.select_option("#role", role)
    host.click('button[value="host"]')
    host.page.wait_for_selector("#stranger")


def a_colleague_without_an_account_is_invited_and_sees_the_series(service, browser):
    series = service.form(QUESTIONS, title="Together " + NASTY)["checkIn"]["seriesId"]
    for width, scheme, language, script in [(360, "light", "en-GB", True), (1440, "dark", "ko-KR", True), (360, "light", "en-GB", False)]:
        email = f"colleague+{width}{script}@example.org"
        host = signed_in(service, browser, width=width, scheme=scheme, language=language, script=script)
        ask_for(host, series, email)
        assert email in host.page.inner_text("#stranger")
        if script:
            host.judge("invite-offer")
        assert host.page.evaluate("document.querySelector('#stranger').getBoundingClientRect().top") < 600, "far below"
        host.click('button[value="invite"]')
        link = host.page.input_value("#once")
        assert ("this computer only" if language == "en-GB" else "이 컴퓨터") in host.page.inner_text(".once")
        waiting = host.page.locator("#invitations + form li", has_text=email)
        assert waiting.count() == 1, "nobody sees whom they have invited"
        assert email in host.page.inner_text("#once-text")
        if script:
            host.judge("invite-made")
        host.end()
        guest = Visitor(browser, service.base, script=script, width=width, scheme=scheme, language=language)
        guest.page.goto(link)
        assert guest.page.input_value("#email") == email and guest.page.get_attribute("#email", "readonly") is not None
        guest.judge("invited")
        guest.page.fill("#name", "Cora " + NASTY)
        guest.page.fill("#password", "short")
        guest.click("form button")
        guest.page.wait_for_selector("#password-fault")
        assert guest.page.input_value("#name") == "Cora " + NASTY and guest.page.input_value("#email") == email
        guest.page.fill("#password", "a long password")
        guest.click("form button")
        guest.page.wait_for_url("**/home")
        if language == "en-GB":
            guest.told(f"Welcome, Cora {NASTY}. Your account is ready.")
        guest.click(f'.series-card a[href="/series/{series}"]')
        assert guest.page.inner_text("h1") == "Together " + NASTY
        assert guest.page.locator("#next").count() == 0, "a viewer is offered what is not theirs"
        guest.page.goto(link)
        guest.page.fill("#name", "Again")
        guest.page.fill("#password", "another long password")
        guest.click("main form button")
        guest.page.wait_for_selector("[role=alert]")
        guest.end()
    host = signed_in(service, browser)
    ask_for(host, series, "wrong@example.org", "editor")
    host.click('button[value="invite"]')
    assert host.page.locator("#invitations + form li").count() == 1, "those who came are waited for"
    host.click('button[value^="invite-off"]')
    host.page.wait_for_selector("#invitations", state="detached")
    host.end()
    hosts = service.call("GET", f"/v1/series/{series}/hosts")["items"]
    assert sorted(host["role"] for host in hosts) == ["owner", "viewer", "viewer", "viewer"]


def who_may_not_invite_is_told_what_to_do(service, browser):
    api = As(service, account(service, "plain@example.org"))
    series = api.form(QUESTIONS)["checkIn"]["seriesId"]
    host = signed_in(service, browser, "plain@example.org", PASSWORD)
    ask_for(host, series, "nobody@example.org")
    assert host.page.locator('button[value="invite"]').count() == 0
    assert "/sign-up" in host.page.inner_text("#stranger"), "sign-up is on here"
    host.judge("invite-refused")
    host.end()


def an_account_of_the_same_address_is_not_taken_over(service, browser):
    account(service, "taken@example.org")
    made = service.call("POST", "/v1/invitations", {"email": "taken@example.org"})
    guest = Visitor(browser, service.base)
    guest.page.goto(made["url"])
    guest.page.fill("#name", "Somebody")
    guest.page.fill("#password", "a password of a stranger")
    guest.click("form button")
    guest.page.wait_for_selector('a[href="/sign-in"]')
    assert guest.page.inner_text("h1") == "Nothing was created", "a mail is promised that will not come"
    guest.judge("invited-taken")
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


def an_invitation_pressed_twice_or_withdrawn_is_no_dead_end(service, browser):
    def invited(email):
        made = service.call("POST", "/v1/invitations", {"email": email})
        guest = Visitor(browser, service.base, script=False)
        guest.page.goto(made["url"])
        guest.page.fill("#name", "Dora")
        guest.page.fill("#password", "a long password")
        return made, guest

    _, guest = invited("double@example.org")
    fields = {name: guest.page.input_value(f'main form [name="{name}"]') for name in ["csrf", "invitation", "email", "name", "password"]}
    address = guest.page.url
    guest.page.dblclick("main form button")
    # The second click aborts the navigation of the first, which would fail a wait for a navigation. Only the address
    # counts.
    expect(guest.page).to_have_url(service.base + "/home")
    again = guest.context.request.post(address, form=fields, max_redirects=0)
    assert (again.status, again.headers.get("location")) == (303, "/home"), "a second press is told that nothing works"
    token = next(cookie["value"] for cookie in guest.context.cookies() if cookie["name"].endswith("afterword-session"))
    # A signed-in visitor is warned and is signed out by creating the new account.
    made = service.call("POST", "/v1/invitations", {"email": "double2@example.org"})
    guest.page.goto(made["url"])
    assert "Dora" in guest.page.inner_text(".promise")
    guest.judge("invited-signed-in")
    guest.page.fill("#name", "Second Dora")
    guest.page.fill("#password", "a long password")
    guest.click("main form button")
    guest.page.wait_for_url("**/home")
    ended = guest.context.request.get(service.base + "/v1/me", headers={"Authorization": "Bearer " + token})
    assert ended.status == 401, "the session before goes on"
    guest.end()
    made, guest = invited("withdrawn@example.org")
    service.call("DELETE", f"/v1/invitations/{made['id']}")
    guest.click("main form button")
    guest.page.wait_for_selector("[role=alert]")
    assert guest.page.input_value("#name") == "Dora"
    guest.end()


def an_invitation_for_anybody_lets_the_mail_decide(service, browser):
    made = service.call("POST", "/v1/invitations", {"note": "for anybody"})
    guest = Visitor(browser, service.base)
    guest.page.goto(made["url"])
    assert guest.page.locator("#password").count() == 0, "the link proves no address"
    guest.judge("invited-open")
    guest.page.fill("#name", "Open")
    guest.page.fill("#email", "open@example.org")
    guest.click("main form button")
    guest.page.wait_for_selector("main form", state="detached")
    mail = service.mailed(r".*open@example.org.*")
    guest.open("/verify?token=" + re.search(r"/verify\?token=([\w-]+)", mail)[1])
    guest.page.fill("#password", "a long password")
    guest.click("main form button")
    guest.page.wait_for_selector('main a.button[href="/sign-in"]')
    service.call("POST", "/v1/sessions", {"email": "open@example.org", "password": "a long password"})
    guest.end()


def a_typed_invitation_for_an_address_leads_to_the_password(service, browser):
    made = service.call("POST", "/v1/invitations", {"email": "typed@example.org"})
    guest = Visitor(browser, service.base, script=False)
    guest.open("/sign-up")
    guest.page.fill("#name", "Typed")
    guest.page.fill("#email", "typed@example.org")
    guest.page.fill("#invitation", made["code"])
    guest.click("main form button")
    guest.page.wait_for_url("**/verify?token=*")
    guest.page.fill("#password", "a long password")
    guest.click("main form button")
    guest.page.wait_for_selector('main a.button[href="/sign-in"]')
    service.call("POST", "/v1/sessions", {"email": "typed@example.org", "password": "a long password"})
    guest.end()

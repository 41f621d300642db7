"""The page that asks for the password before a dangerous action."""

from page_hosts import PASSWORD, account, signed_in
from page_service import sql


def interrupted_forms_continue_after_the_password(service, browser):
    """A new token, typed while the session was recent and sent when it no longer is."""
    for script, language, scheme in [(True, "en-GB", "light"), (False, "ko-KR", "dark"), (True, "de-DE", "light")]:
        email = account(service, f"confirm-{language.lower()}@example.org")
        host = signed_in(service, browser, email, PASSWORD, script=script, language=language, scheme=scheme)
        host.open("/account")
        host.page.fill("#token-name", "A script & more")
        host.page.check('[name=scope][value="results:read"]')
        sql(service, f"""UPDATE token SET confirmed_at = now() - interval '16 minutes'
            WHERE account_id = (SELECT id FROM account WHERE email = '{email}')""")
        host.click('button[value="token"]')
        host.page.wait_for_selector("#own-password")
        host.check_page(f"confirm-{language}")
        host.page.fill("#own-password", "not my password")
        host.click("main form button")
        host.page.wait_for_selector("#own-password-fault")
        host.page.fill("#own-password", PASSWORD)
        host.click("main form button")
        host.page.wait_for_selector("#once")
        assert host.page.url == service.base + "/account"
        assert "A script & more" in host.page.inner_text("main")
        assert host.page.locator('button[value^="revoke"]').count() == 1, "the form was sent more than once"
        host.end()

"""The pages for webhooks."""

from page_hosts import PASSWORD, account, signed_in


def webhooks_are_added_tested_and_deleted(service, browser):
    for script, width, language, scheme in [
            (True, 360, "en-GB", "light"), (False, 1440, "ko-KR", "dark"), (True, 360, "de-DE", "dark")]:
        email = account(service, f"hooks-{language.lower()}@example.org")
        host = signed_in(
            service, browser, email, PASSWORD, script=script, width=width, language=language, scheme=scheme)
        host.open("/account")
        host.click('a[href="/account/webhooks"]')
        host.page.wait_for_url("**/account/webhooks")
        host.check_page(f"webhooks-none-{language}")
        host.page.fill("#url", "https://127.0.0.1/hook")
        host.click("main form button:not([type=button])")
        host.page.wait_for_selector("#url-fault")
        assert host.page.input_value("#url") == "https://127.0.0.1/hook"
        host.check_page(f"webhooks-refused-{language}")
        host.page.fill("#url", "https://hooks.invalid/" + "a-long-path/" * 12)
        host.page.check('[name=event][value="form.opened"]')
        host.page.check('[name=event][value="results.changed"]')
        host.click("main form button:not([type=button])")
        host.page.wait_for_selector("#once")
        assert host.page.input_value("#once").startswith("whsec_")
        host.check_page(f"webhooks-made-{language}")
        host.click('a[href^="/account/webhooks/"]')
        host.click('button[value="test"]')
        host.page.wait_for_selector("main > .notice[role=status]")
        assert host.page.locator('button[value^="again:"]').count() == 1
        host.check_page(f"webhook-{language}")
        host.click('button[value="pause"]')
        host.page.wait_for_selector('button[value="resume"]')
        assert host.page.locator('button[value="test"]').count() == 0
        host.check_page(f"webhook-paused-{language}")
        host.click('button[value="resume"]')
        host.page.wait_for_selector('button[value="pause"]')
        host.click("details > summary")
        host.click('button[value="delete"]')
        host.page.wait_for_selector("#sure-fault")
        host.page.check("[name=sure]")
        host.click('button[value="delete"]')
        host.page.wait_for_url("**/account/webhooks")
        assert host.page.locator('a[href^="/account/webhooks/"]').count() == 0
        host.end()

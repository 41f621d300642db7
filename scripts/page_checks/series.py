"""What hosts meet around their meetings: home, series, calendar, people, shares and their own account."""

from page_visitor import Visitor


def signed_in(service, browser, email=None, password=None, **settings):
    host = Visitor(browser, service.base, **settings)
    host.open("/sign-in")
    host.page.fill("#email", email or service.email)
    host.page.fill("#password", password or service.password)
    host.page.click("form button")
    host.page.wait_for_url("**/home")
    return host


def the_bar_leads_everywhere_and_only_admins_to_the_administration(service, browser):
    for width, scheme, language in [(360, "light", "en-GB"), (1440, "dark", "ko-KR")]:
        admin = signed_in(service, browser, width=width, scheme=scheme, language=language)
        places = admin.page.locator(".host-bar nav a")
        assert [places.nth(place).get_attribute("href") for place in range(places.count())] == [
            "/home", "/calendar", "/series", "/account", "/admin/accounts"]
        assert admin.page.locator(".host-bar [aria-current]").get_attribute("href") == "/home"
        admin.page.keyboard.press("Tab")
        admin.page.keyboard.press("Enter")
        assert admin.page.url.endswith("#main"), "the first stop leads past the bar"
        admin.judge("bar")
        admin.open("/meetings/nothing-here")
        assert admin.page.locator(".host-bar").count() == 1, "who went astray finds back"
        admin.end()
    guest = Visitor(browser, service.base)
    guest.open("/home")
    assert guest.page.locator(".host-bar").count() == 0
    guest.end()

"""Icons of tabs, navigation and buttons."""

import urllib.request

from page_visitor import QUESTIONS, signed_in

# Icons that are not drawn, have no symbol in the file, or can be read by screen readers.
FAULTY = """async () => {
  const icons = [...document.querySelectorAll("svg.icon")];
  const file = await (await fetch(icons[0].querySelector("use").href.baseVal)).text();
  const symbols = new DOMParser().parseFromString(file, "image/svg+xml");
  return icons.filter((icon) => {
    const name = icon.querySelector("use").href.baseVal.split("#")[1];
    return !symbols.querySelector(`symbol#${name}`) || icon.getAttribute("aria-hidden") !== "true"
      || icon.getBoundingClientRect().width < 16 || icon.querySelector("use").getBBox().width < 8;
  }).map((icon) => icon.outerHTML);
}"""


def icons_are_shown_in_tabs_and_navigation(service, browser):
    form = service.form(QUESTIONS, identity="device")
    series = service.call("GET", f"/v1/meetings/{form['meeting']}")["seriesId"]
    for width, language, scheme in [
            (360, "en-GB", "light"), (1440, "en-GB", "dark"), (360, "de-DE", "dark"), (360, "ko-KR", "light"),
            (768, "de-DE", "light")]:
        host = signed_in(browser, service, "/home", width=width, language=language, scheme=scheme)
        for name, path in [("meeting", f"/meetings/{form['meeting']}"), ("live", f"/meetings/{form['meeting']}/now"),
                           ("results", f"/meetings/{form['meeting']}/results"), ("series", f"/series/{series}")]:
            host.open(path)
            assert host.page.locator(".host-bar nav svg.icon").count() == host.page.locator(".host-bar nav a").count()
            assert host.page.locator(".tab-bar svg.icon").count() == host.page.locator(".tab-bar a").count()
            assert host.page.evaluate(FAULTY) == []
            # Links keep their size for fingers, and icons their text.
            for link in host.page.locator(".tab-bar a, .host-bar nav a").all():
                assert link.bounding_box()["height"] >= 44 and link.inner_text().strip(), link.inner_text()
            host.check_page(f"icons-{name}-{language}")
        color = "getComputedStyle(document.querySelector('.tab-bar [aria-current] svg.icon')).stroke"
        text = "getComputedStyle(document.querySelector('.tab-bar [aria-current]')).color"
        assert host.page.evaluate(color) == host.page.evaluate(text)
        host.end()


def icons_add_at_most_6_kb(service, browser):
    host = signed_in(browser, service, "/home", width=1440)
    address = host.page.locator("svg.icon use").first.get_attribute("href").split("#")[0]
    with urllib.request.urlopen(service.base + address) as answer:
        file = answer.read()
        assert answer.headers["Content-Type"] == "image/svg+xml"
    markup = host.page.evaluate("[...document.querySelectorAll('svg.icon')].map((icon) => icon.outerHTML).join('')")
    assert len(file) + len(markup) <= 6 * 1024, (len(file), len(markup))
    host.end()

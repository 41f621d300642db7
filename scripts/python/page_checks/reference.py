"""The API reference for developers."""

from page_visitor import Visitor


def reference_works_without_scripts(service, browser):
    for script, width, language, scheme in [
            (True, 360, "en-GB", "dark"), (True, 1440, "ko-KR", "light"), (True, 360, "de-DE", "light"),
            (False, 1440, "en-GB", "light")]:
        visitor = Visitor(browser, service.base, script, width, language, scheme)
        visitor.open("/docs")
        visitor.check_page("docs")
        visitor.click("text=POST /v1/forms/{code}/submissions")
        assert visitor.page.url.endswith("/docs/submissions#submit"), visitor.page.url
        section = visitor.page.locator("section", has=visitor.page.locator("#submit"))
        assert "Idempotency-Key" in section.inner_text() and "201" in section.inner_text()
        visitor.check_page("docs-submissions")
        link = section.locator("a[href^='/docs/objects#']").first
        name = link.inner_text()
        visitor.click(link)
        assert visitor.page.locator("#" + name).count() == 1, name
        visitor.end()


def components_are_accessible_in_each_language_and_scheme(service, browser):
    for width, language, scheme in [(360, "en-GB", "light"), (360, "ko-KR", "dark"), (360, "de-DE", "light"), (768, "en-GB", "dark"),
                                    (1440, "ko-KR", "light"), (1920, "en-GB", "light")]:
        visitor = Visitor(browser, service.base, True, width, language, scheme)
        visitor.open("/docs/components")
        visitor.page.wait_for_selector(".result canvas")
        visitor.check_page("components")
        visitor.page.keyboard.press("Tab")
        outline = visitor.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", "the focus is not visible"
        # A table that repeats its chart is folded, and the button keeps it open.
        table = visitor.page.locator(".result table").first
        assert table.is_hidden()
        button = visitor.page.locator(".chart > button").first
        button.click()
        assert table.is_visible() and button.get_attribute("aria-expanded") == "true"
        visitor.end()
    plain = Visitor(browser, service.base, script=False)
    plain.open("/docs/components")
    assert plain.page.locator(".result table").first.is_visible(), "a table is folded without a script"
    plain.end()


def reference_lists_every_operation_and_object(service, browser):
    document = service.call("GET", "/openapi.json")
    visitor = Visitor(browser, service.base, width=1440)
    listed, links, anchors = set(), set(), {}
    for group in [tag["name"] for tag in document["tags"]]:
        visitor.open("/docs/" + group)
        visitor.check_page("docs-" + group)
        listed |= set(visitor.page.locator("code.call").all_inner_texts())
        links |= {link.get_attribute("href") for link in visitor.page.locator("main a[href*='#']").all()}
    operations = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item
             if method in {"get", "post", "put", "patch", "delete"}}
    assert listed == operations, listed ^ operations
    visitor.open("/docs/objects")
    visitor.check_page("docs-objects")
    objects = set(visitor.page.locator("h2").all_inner_texts())
    assert objects == set(document["components"]["schemas"]), objects ^ set(document["components"]["schemas"])
    broken = {link for link in links if link.split("#")[0] == "/docs/objects" and link.split("#")[1] not in objects}
    assert not broken, broken
    assert visitor.open("/docs/nothing").status == 404
    visitor.end()

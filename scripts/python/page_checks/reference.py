"""The API reference for developers."""

from page_visitor import Visitor


def the_reference_is_readable_without_script(service, browser):
    for script, width, language, scheme in [
            (True, 360, "en-GB", "dark"), (True, 1440, "ko-KR", "light"), (False, 1440, "en-GB", "light")]:
        visitor = Visitor(browser, service.base, script, width, language, scheme)
        visitor.open("/docs")
        visitor.judge("docs")
        visitor.click("text=POST /v1/forms/{code}/submissions")
        assert visitor.page.url.endswith("/docs/submissions#submit"), visitor.page.url
        section = visitor.page.locator("section", has=visitor.page.locator("#submit"))
        assert "Idempotency-Key" in section.inner_text() and "201" in section.inner_text()
        visitor.judge("docs-submissions")
        link = section.locator("a[href^='/docs/objects#']").first
        name = link.inner_text()
        visitor.click(link)
        assert visitor.page.locator("#" + name).count() == 1, name
        visitor.end()


def every_operation_and_object_stands_in_the_reference(service, browser):
    document = service.call("GET", "/openapi.json")
    visitor = Visitor(browser, service.base, width=1440)
    told, links, anchors = set(), set(), {}
    for group in [tag["name"] for tag in document["tags"]]:
        visitor.open("/docs/" + group)
        visitor.judge("docs-" + group)
        told |= set(visitor.page.locator("code.call").all_inner_texts())
        links |= {link.get_attribute("href") for link in visitor.page.locator("main a[href*='#']").all()}
    asked = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item
             if method in {"get", "post", "put", "patch", "delete"}}
    assert told == asked, told ^ asked
    visitor.open("/docs/objects")
    visitor.judge("docs-objects")
    named = set(visitor.page.locator("h2").all_inner_texts())
    assert named == set(document["components"]["schemas"]), named ^ set(document["components"]["schemas"])
    astray = {link for link in links if link.split("#")[0] == "/docs/objects" and link.split("#")[1] not in named}
    assert not astray, astray
    assert visitor.open("/docs/nothing").status == 404
    visitor.end()

"""The stage, which shows a meeting on a projector."""

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_visitor import NASTY, QUESTIONS

# Width, height, scheme, language.
PROJECTORS = [
    (1024, 768, "light", "en-GB"), (3840, 2160, "dark", "ko-KR"), (1920, 1080, "dark", "de-DE"), (360, 740, "light", "en-GB")]
ANSWERS = [
    {"pace": 4, "nps": 10, "topics": ["demo"], "role": "guest", "better": "Longer breaks"},
    {"pace": 5, "nps": 3, "topics": ["demo", "talk"], "role": "member", "better": NASTY},
    {"pace": 2, "nps": 9, "topics": ["talk"], "role": "guest"},
]


def stage(service, browser, email, **settings):
    """A host's stage of an open form, whose first slide is shown."""
    api = HostAPI(service, account(service, email))
    form = api.form(QUESTIONS, title="All hands")
    host = signed_in(service, browser, email, PASSWORD, **settings)
    host.open(f"/meetings/{form['meeting']}/stage")
    return api, form, host


def visible_slides(host):
    return [slide.get_attribute("id") for slide in host.page.locator(".slide").all() if slide.is_visible()]


def until_slide(host, name):
    host.until("(id) => document.querySelector('.slide.current')?.id === id", name)


def stage_shows_one_slide_at_a_time(service, browser):
    for number, (width, height, scheme, language) in enumerate(PROJECTORS):
        api, form, host = stage(
            service, browser, f"stage-{number}@example.org", width=width, scheme=scheme, language=language)
        host.page.set_viewport_size({"width": width, "height": height})
        answer(service, form, *ANSWERS)
        host.until("() => document.querySelector('tr[data-count=\"3\"], tr[data-count=\"2\"]') !== null")
        assert visible_slides(host) == ["slide-code"]
        assert host.page.locator("#slide-code img.code").is_visible()
        host.check_page(f"stage-code-{width}")
        seen = []
        for key in ["ArrowRight", "PageDown", "Space", "ArrowDown", "ArrowRight"]:
            host.page.keyboard.press(key)
            seen += visible_slides(host)
            assert host.page.locator(".stage-head img.code").is_visible(), "the code is always in sight"
            if width > 360:
                box = host.page.locator(".slide.current").bounding_box()
                assert box["y"] + box["height"] <= height, f"{seen[-1]} is higher than the window"
            host.check_page(f"stage-{seen[-1]}-{width}")
        assert seen == ["slide-q-pace", "slide-q-nps", "slide-q-topics", "slide-q-role", "slide-q-better"]
        # The texts are not released.
        assert host.page.locator("blockquote").count() == 0 and "Longer breaks" not in host.page.content()
        host.page.keyboard.press("Home")
        assert visible_slides(host) == ["slide-code"]
        host.page.keyboard.press("End")
        host.page.keyboard.press("PageUp")
        assert visible_slides(host) == ["slide-q-role"]
        # A reload keeps the slide, and a blank screen ends with the next slide.
        host.page.reload()
        until_slide(host, "slide-q-role")
        host.page.keyboard.press("b")
        assert visible_slides(host) == []
        host.page.keyboard.press("ArrowLeft")
        assert visible_slides(host) == ["slide-q-topics"]
        host.end()


def stage_follows_the_answers_and_the_form(service, browser):
    api, form, host = stage(service, browser, "stage-life@example.org", width=1440)
    host.page.keyboard.press("ArrowRight")
    until_slide(host, "slide-q-pace")
    answer(service, form, {"pace": 4})
    host.until("() => document.querySelector('#slide-q-pace tr[data-count=\"1\"]') !== null")
    assert visible_slides(host) == ["slide-q-pace"], "an update changes the slide"
    # A host's button, without leaving the page.
    host.page.evaluate("window.isSamePage = true")
    host.page.click('button[name="minutes"][value="1"]')
    host.until("() => /^(1:00|0:\\d\\d)$/.test(document.querySelector('[data-closes]')?.textContent)")
    host.page.click('button[value="close"]')
    until_slide(host, "slide-end")
    assert host.page.locator(".stage-headlines dd").count() == 1 and host.page.locator("img.code").count() == 0
    host.check_page("stage-end")
    host.page.click('button[value="reopen"]')
    until_slide(host, "slide-code")
    assert host.page.evaluate("window.isSamePage"), "the page was loaded again"
    # A lost network.
    host.context.set_offline(True)
    answer(service, form, {"pace": 5}, {"pace": 5})
    host.context.set_offline(False)
    host.until("() => document.querySelector('#slide-q-pace tr[data-count=\"2\"]') !== null")
    host.end()


def stage_shows_released_texts_and_no_others(service, browser):
    api, form, host = stage(service, browser, "stage-texts@example.org", width=1440)
    answer(service, form, *ANSWERS)
    meeting = f"/meetings/{form['meeting']}"
    api.call("POST", f"/v1{meeting}/results/better/release")
    host.page.goto(service.base + meeting + "/stage#slide-q-better")
    host.page.reload()
    until_slide(host, "slide-q-better")
    assert sorted(host.page.locator("blockquote").all_inner_texts()) == sorted(["Longer breaks", NASTY])
    host.check_page("stage-texts")
    answer(service, form, {"pace": 3, "better": "Fewer slides"})
    host.until("() => document.querySelectorAll('blockquote').length === 3")
    host.end()


def stage_without_scripts_shows_all_slides(service, browser):
    api, form, host = stage(service, browser, "stage-plain@example.org", script=False, width=1024)
    assert len(visible_slides(host)) == 1 + len(QUESTIONS)
    host.check_page("stage-plain")
    host.click('button[value="close"]')
    assert "/stage" in host.page.url, host.page.url
    assert "slide-end" in visible_slides(host)
    host.end()

"""The stage, which shows a meeting on a projector."""

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_visitor import NASTY, QUESTIONS

# Width, height, scheme, language.
PROJECTORS = [
    (1024, 768, "light", "en-GB"), (3840, 2160, "dark", "ko-KR"), (1920, 1080, "dark", "de-DE"), (360, 740, "light", "en-GB")]
# The texts of the slide that are smaller than 3 % of the window's height, and those that are cut off.
READABLE = """(height) => [...document.querySelectorAll(
    ".slide.current :is(h2, .stage-number strong, tbody .share, tbody th, .stage-empty)")].filter((part) => {
  const box = part.getBoundingClientRect();
  return parseFloat(getComputedStyle(part).fontSize) < 0.03 * height || box.right > innerWidth || box.bottom > height;
}).map((part) => part.textContent)"""
# Records the texts that fly in.
FLIGHTS = """() => {
  const animate = Element.prototype.animate;
  window.flights = [];
  Element.prototype.animate = function (frames, options) {
    if (this.matches("blockquote") && frames[0].opacity === 0) window.flights.push(this.textContent);
    return animate.call(this, frames, options);
  };
}"""
# The horizontal positions of the texts on the stage, by text.
COLUMNS = """() => Object.fromEntries(
  [...document.querySelectorAll(".slide.current blockquote")].map((text) => [text.textContent, text.offsetLeft]))"""
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


def texts_slide(host, form):
    """Opens the stage at its texts."""
    host.page.goto(f"{host.base}/meetings/{form['meeting']}/stage#slide-q-better")
    host.page.reload()
    until_slide(host, "slide-q-better")


def phone(service, browser, email, form, **settings):
    """The remote of the same host, on a phone of the smallest width."""
    remote = signed_in(service, browser, email, PASSWORD, width=360, **settings)
    remote.open(f"/meetings/{form['meeting']}/remote")
    return remote


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
                small = host.page.evaluate(READABLE, height)
                assert not small, f"{seen[-1]} is not readable from afar: {small}"
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
    texts_slide(host, form)
    assert sorted(host.page.locator("blockquote").all_inner_texts()) == sorted(["Longer breaks", NASTY])
    host.check_page("stage-texts")
    answer(service, form, {"pace": 3, "better": "Fewer slides"})
    host.until("() => document.querySelectorAll('blockquote').length === 3")
    host.end()


def released_texts_fly_in_one_after_the_other(service, browser):
    api, form, host = stage(service, browser, "stage-flights@example.org", width=1440)
    texts_slide(host, form)
    answer(service, form, *[{"pace": 3, "better": text} for text in ["First", "Second", "Third"]])
    host.until("() => document.querySelector('#slide-q-better .stage-empty').textContent.includes('3')")
    host.page.evaluate(FLIGHTS)
    release = f"/v1/meetings/{form['meeting']}/results/better/release"
    api.call("POST", release)
    host.until("() => document.querySelectorAll('blockquote').length === 3")
    assert sorted(host.page.evaluate("flights")) == ["First", "Second", "Third"]
    columns = host.page.evaluate(COLUMNS)
    host.page.evaluate("flights.length = 0")
    # A new text is at the top, and the others keep their columns.
    answer(service, form, {"pace": 4, "better": "Fourth"})
    host.until("() => document.querySelectorAll('blockquote').length === 4")
    assert host.page.evaluate("flights") == ["Fourth"]
    changed = host.page.evaluate(COLUMNS)
    assert {text: changed[text] for text in columns} == columns
    tops = host.page.locator(".stage-texts > div").evaluate_all(
        "(columns) => columns.map((column) => column.firstElementChild.textContent)")
    assert sorted(tops) == ["Fourth", "Third"], tops
    # Texts that were shown before do not fly again.
    for key in ["ArrowLeft", "ArrowRight", "w", "w"]:
        host.page.keyboard.press(key)
    host.until("() => document.querySelectorAll('.slide.current blockquote').length === 4")
    assert host.page.evaluate("flights") == ["Fourth"]
    host.page.emulate_media(reduced_motion="reduce")
    answer(service, form, {"pace": 4, "better": "Fifth"})
    host.until("() => document.querySelectorAll('blockquote').length === 5")
    assert host.page.evaluate("flights") == ["Fourth"], "a text moves although the reader wants no motion"
    host.end()


def released_texts_without_room_are_shown_by_the_keys(service, browser):
    api, form, host = stage(service, browser, "stage-many@example.org", width=1440)
    answer(service, form, *({"pace": 3, "better": f"Text number {number} " + "many words " * 8} for number in range(40)))
    api.call("POST", f"/v1/meetings/{form['meeting']}/results/better/release")
    texts_slide(host, form)
    host.until("() => document.querySelectorAll('.slide.current blockquote').length === 40")
    top = "document.querySelector('.slide.current .stage-texts')?.scrollTop"
    last = "[...document.querySelectorAll('.slide.current blockquote')].some((text) => text.textContent.includes('number 0 ') " \
        "&& text.getBoundingClientRect().bottom <= innerHeight)"
    assert host.page.evaluate(top) == 0 and not host.page.evaluate(last)
    for _ in range(30):
        host.page.keyboard.press("ArrowRight")
    assert visible_slides(host) == ["slide-q-better"] and host.page.evaluate(last), "the oldest text is never shown"
    assert host.page.evaluate(top) > 0
    # An update of the page keeps the place.
    place = host.page.evaluate(top)
    answer(service, form, {"pace": 1})
    host.until("() => document.querySelector('#slide-q-pace tbody tr').dataset.count === '1'")
    assert host.page.evaluate(top) == place
    while host.page.evaluate(top):
        host.page.keyboard.press("ArrowLeft")
    assert visible_slides(host) == ["slide-q-better"]
    host.page.keyboard.press("ArrowLeft")
    assert visible_slides(host) != ["slide-q-better"]
    host.end()


def stage_shows_the_words_of_released_texts(service, browser):
    email = "stage-words@example.org"
    api, form, host = stage(service, browser, email, width=1440)
    answer(service, form, *[{"pace": 3, "better": text} for text in [
        "Longer breaks", "More breaks", "Breaks!", "A better microphone", "Insults"]])
    texts_slide(host, form)
    host.page.keyboard.press("w")
    assert host.page.locator('[data-go="words"]').is_hidden() and "words=" not in host.page.url, "nothing is released"
    results = f"/v1/meetings/{form['meeting']}/results/better"
    insult = next(each for each in api.call("GET", results + "/answers")["items"] if each["text"] == "Insults")
    api.call("POST", f"{results}/answers/{insult['id']}/hide")
    api.call("POST", results + "/release")
    host.until("() => document.querySelectorAll('blockquote').length === 4")
    host.page.keyboard.press("w")
    host.page.wait_for_selector(".stage-cloud")
    words = host.page.locator(".stage-cloud li")
    cloud = list(zip(words.all_inner_texts(), words.evaluate_all("(words) => words.map((word) => word.className)")))
    assert [text.split()[0].lower() for text, _ in cloud] == sorted(text.split()[0].lower() for text, _ in cloud)
    sizes = {text.split()[0].lower(): size for text, size in cloud}
    assert sizes["breaks"] == "size-5" and sizes["microphone"] == "size-1" and "insults" not in sizes, sizes
    assert host.page.locator("blockquote").count() == 0
    host.check_page("stage-words")
    # The address keeps the words, and the layout is the same after a reload.
    host.page.reload()
    host.page.wait_for_selector(".slide.current .stage-cloud")
    assert host.page.locator(".stage-cloud li").all_inner_texts() == [text for text, _ in cloud]
    host.page.click('[data-go="words"]')
    host.until("() => document.querySelectorAll('.slide.current blockquote').length === 4")
    # By the remote.
    remote = phone(service, browser, email, form)
    remote.page.click("summary")
    remote.page.click("#show-q-better")
    remote.page.click("#words")
    host.page.wait_for_selector(".slide.current .stage-cloud")
    api.call("POST", results + "/withhold")
    host.until("() => document.querySelector('.stage-cloud') === null")
    assert "breaks" not in host.page.content().lower(), "the texts are no longer released"
    remote.end()
    host.end()


def remote_changes_the_slide_on_all_open_stages(service, browser):
    email = "stage-remote@example.org"
    api, form, host = stage(service, browser, email, width=1440)
    answer(service, form, *ANSWERS)
    other = signed_in(service, browser, email, PASSWORD, width=1024)
    other.open(f"/meetings/{form['meeting']}/stage")
    remote = phone(service, browser, email, form)
    remote.page.evaluate("window.isSamePage = true")
    remote.check_page("remote")
    for button in remote.page.locator(".remote-keys button").all():
        box = button.bounding_box()
        assert box["height"] >= 48 and box["y"] + box["height"] <= 740, "a thumb does not reach every button"
    remote.page.click("#next")
    for stages in [host, other]:
        until_slide(stages, "slide-q-pace")
    remote.until("() => document.querySelector('.remote-slide').innerText.includes('3 answers')")
    # Quick taps are all counted.
    remote.page.click("#next")
    remote.page.click("#next")
    for stages in [host, other]:
        until_slide(stages, "slide-q-topics")
    # The keys of a stage move the others and the remote too, and many quick ones end where the last one led.
    for _ in range(4):
        other.page.keyboard.press("ArrowLeft")
    other.page.keyboard.press("End")
    for stages in [host, other]:
        until_slide(stages, "slide-q-better")
    remote.page.wait_for_url("**/remote?slide=q-better")
    answer(service, form, {"pace": 1})
    other.until("() => document.querySelector('#slide-q-pace tbody tr').dataset.count === '1'")
    assert visible_slides(other) == ["slide-q-better"]
    remote.page.click("#previous")
    for stages in [host, other]:
        stages.until("() => document.querySelector('.slide.current').nextElementSibling?.id === 'slide-q-better'")
    remote.page.click("#blank")
    for stages in [host, other]:
        stages.until("() => document.querySelector('.stage').classList.contains('blank')")
    remote.page.wait_for_selector('#blank[aria-pressed="true"]')
    remote.check_page("remote-blank")
    remote.page.click("summary")
    remote.page.click("#show-q-role")
    for stages in [host, other]:
        until_slide(stages, "slide-q-role")
        assert visible_slides(stages) == ["slide-q-role"], "the next slide does not end a blank screen"
    # The remote's address keeps its slide, and a stage that is loaded again keeps the one of its address.
    remote.page.wait_for_url("**/remote?slide=q-role")
    assert host.page.url.endswith("#slide-q-role"), host.page.url
    host.page.reload()
    until_slide(host, "slide-q-role")
    remote.page.click('button[name="minutes"][value="1"]')
    for each in [remote, host]:
        each.until("() => /^(1:00|0:\\d\\d)$/.test(document.querySelector('[data-closes]')?.textContent)")
    remote.page.click('button[value="close"]')
    for stages in [host, other]:
        until_slide(stages, "slide-end")
    remote.until("() => document.querySelector('.remote-slide h2').textContent === 'Thank you!'")
    remote.page.click('button[value="reopen"]')
    until_slide(other, "slide-code")
    remote.until("() => document.querySelector('.remote-slide').innerText.includes('1 / 6')")
    assert remote.page.evaluate("window.isSamePage"), "the remote was loaded again"
    for visitor in [remote, other, host]:
        visitor.end()


def remote_works_without_scripts(service, browser):
    email = "stage-buttons@example.org"
    api, form, host = stage(service, browser, email, width=1440)
    remote = phone(service, browser, email, form, script=False)
    for slide in ["q-pace", "q-nps"]:
        remote.click("#next")
        assert remote.page.url.endswith("/remote?slide=" + slide), remote.page.url
        until_slide(host, "slide-" + slide)
    remote.click('button[name="minutes"][value="5"]')
    assert remote.page.url.endswith("/remote?slide=q-nps") and remote.page.locator("[data-closes]").count() == 1
    remote.click('button[value="close"]')
    assert remote.page.url.endswith("/remote"), remote.page.url
    until_slide(host, "slide-end")
    remote.check_page("remote-plain")
    remote.end()
    host.end()


def stage_without_scripts_shows_all_slides(service, browser):
    api, form, host = stage(service, browser, "stage-plain@example.org", script=False, width=1024)
    assert len(visible_slides(host)) == 1 + len(QUESTIONS)
    host.check_page("stage-plain")
    host.click('button[value="close"]')
    assert "/stage" in host.page.url, host.page.url
    assert "slide-end" in visible_slides(host)
    host.end()

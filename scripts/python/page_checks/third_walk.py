"""What a host met on the third walk through the product."""

from playwright.sync_api import expect

from page_checks.stage import phone, stage, until_slide
from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_service import hours_from_now
from page_visitor import QUESTIONS

# Whether a word of the last slide has several lines, or leaves the window.
BROKEN_WORDS = """() => [...document.querySelectorAll("#slide-end dd")].some((value) => {
  const text = value.firstChild;
  return [...text.data.matchAll(/\\S+/g)].some((word) => {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return range.getClientRects().length > 1 || range.getBoundingClientRect().right > innerWidth;
  });
})"""
SHOWN = "document.querySelector('[data-closes]')?.textContent"


def closing_in(api, form, seconds):
    """Lets the form close after some seconds, without extra minutes."""
    path = f"/v1/meetings/{form['meeting']}/form"
    saved = api.call("GET", path)
    definition = {name: saved[name] for name in ("questions", "identity") if name in saved}
    changes = {"closes": hours_from_now(seconds / 3600), "graceMinutes": 0}
    api.call("PUT", path, {**definition, **changes}, {"If-Match": saved["etag"]})


def countdown_ends_with_words_and_then_the_close(service, browser):
    email = "third-countdown@example.org"
    api = HostAPI(service, account(service, email))
    form = api.form(QUESTIONS, meeting={"headcount": 9}, identity="device", title="A title that is long enough for two lines on a wall")
    host = signed_in(service, browser, email, PASSWORD, width=1440)
    host.open(f"/meetings/{form['meeting']}/stage")
    remote = phone(service, browser, email, form)
    # The clock of the computer in the room is 40 minutes fast.
    wrong = signed_in(service, browser, email, PASSWORD, width=1024)
    wrong.page.add_init_script("{ const now = Date.now; Date.now = () => now() + 2400000 }")
    wrong.open(f"/meetings/{form['meeting']}/stage")
    closing_in(api, form, 14)
    for each in [host, remote, wrong]:
        each.until(f"() => /^0:0[1-5]$/.test({SHOWN})")
    answer(service, form, {"pace": 4})
    for each in [host, remote, wrong]:
        each.until(f"() => {SHOWN}?.startsWith('Last answers')")
    host.check_page("stage-last-answers")
    wrong.check_page("stage-last-answers-1024")
    head = wrong.page.locator(".stage-head").bounding_box()
    assert head["height"] < 200, "the words break the header"
    answer(service, form, {"pace": 5})
    until_slide(host, "slide-end")
    assert "2 of 9" in host.page.inner_text(".stage-count"), "the last answers count"
    for each in [wrong, remote, host]:
        each.end()


def hosts_pages_are_out_of_the_way_of_the_stage(service, browser):
    api, form, host = stage(service, browser, "third-slip@example.org", width=1440)
    links = host.page.locator("#stage-controls a")
    assert links.count() == 2
    for link in links.all():
        assert link.get_attribute("target") == "_blank"
    host.page.keyboard.press("f")
    host.until("() => document.fullscreenElement !== null")
    for link in links.all():
        expect(link).to_be_hidden()
    host.page.keyboard.press("f")
    for link in links.all():
        expect(link).to_be_visible()
    host.end()


def stage_fits_its_header_and_says_who_cannot_judge(service, browser):
    api = HostAPI(service, account(service, "third-header@example.org"))
    pace = {**QUESTIONS[0], "abstain": "Cannot judge"}
    form = api.form([pace], {"headcount": 4}, title="A meeting whose title is long enough for two lines on a wall")
    answer(service, form, {"pace": 3}, {"pace": 5}, {"pace": "abstain"})
    host = signed_in(service, browser, "third-header@example.org", PASSWORD, width=1440)
    for width, height in [(1024, 768), (1440, 900), (1920, 1080)]:
        host.page.set_viewport_size({"width": width, "height": height})
        host.open(f"/meetings/{form['meeting']}/stage#slide-q-pace")
        host.page.reload()
        until_slide(host, "slide-q-pace")
        ends = host.page.evaluate("""() => [".stage-code .join", ".stage-code .address"].map((name) => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector(name));
          return range.getBoundingClientRect().right;
        })""")
        margin = host.page.evaluate("() => document.querySelector('.stage-head').getBoundingClientRect().right")
        assert max(ends) <= margin + 1, f"the code leaves the margin by {max(ends) - margin} at {width}"
        assert host.page.inner_text(".slide.current .stage-figure > .hint") == "2 answers · Cannot judge: 1"
        host.check_page(f"stage-abstained-{width}")
    host.end()


def remote_begins_with_the_slide_on_the_stage(service, browser):
    email = "third-remote@example.org"
    api, form, host = stage(service, browser, email, width=1440)
    host.page.keyboard.press("ArrowRight")
    host.page.keyboard.press("ArrowRight")
    until_slide(host, "slide-q-nps")
    host.page.reload()
    until_slide(host, "slide-q-nps")
    host.page.wait_for_timeout(1000)
    remote = phone(service, browser, email, form)
    remote.page.wait_for_url("**/remote?slide=q-nps")
    remote.until("() => document.querySelector('.remote-slide').innerText.includes('3 / 6')")
    # A second stage begins there too, and one that is loaded again keeps its slide.
    other = signed_in(service, browser, email, PASSWORD, width=1024)
    other.open(f"/meetings/{form['meeting']}/stage")
    until_slide(other, "slide-q-nps")
    remote.page.click("#next")
    for each in [host, other]:
        until_slide(each, "slide-q-topics")
    for each in [remote, other, host]:
        each.end()


def stage_counts_the_texts_in_sight(service, browser):
    api, form, host = stage(service, browser, "third-texts@example.org", width=1440)
    answer(service, form, *({"pace": 3, "better": f"Text number {number} " + "with many words " * 5} for number in range(20)))
    answer(service, form, *({"pace": 3, "better": text} for text in ["Start later", "start later", "START LATER"]))
    api.call("POST", f"/v1/meetings/{form['meeting']}/results/better/release")
    host.page.keyboard.press("End")
    host.until("() => document.querySelectorAll('.slide.current blockquote').length === 21")
    seen = host.page.locator(".slide.current .stage-seen")
    first = seen.inner_text()
    assert first.startswith("1–") and first.endswith(" of 21"), first
    assert host.page.locator("blockquote", has_text="later").inner_text().lower() == "start later × 3"
    host.until("() => document.getAnimations().length === 0")
    host.check_page("stage-texts-seen")
    # The texts follow each other by themselves.
    host.page.evaluate("() => { const now = Date.now; Date.now = () => now() + 60000 }")
    host.until(f"() => !document.querySelector('.slide.current .stage-seen').textContent.startsWith('1–')")
    for _ in range(12):
        host.page.keyboard.press("ArrowRight")
    assert seen.inner_text().endswith("–21 of 21"), seen.inner_text()
    host.end()


def thanks_have_three_main_numbers(service, browser):
    email = "third-thanks@example.org"
    api = HostAPI(service, account(service, email))
    questions = [*QUESTIONS]
    topics = next(each for each in questions if each["key"] == "topics")
    options = [{**each, "label": "Internationalisation"} if each["id"] == "demo" else each for each in topics["options"]]
    questions[questions.index(topics)] = {**topics, "options": options}
    form = api.form(questions, title="All hands")
    host = signed_in(service, browser, email, PASSWORD, width=1440)
    host.open(f"/meetings/{form['meeting']}/stage")
    answer(service, form, *({"pace": 4, "nps": 10, "topics": ["demo"], "role": "guest", "better": "More"} for _ in range(3)))
    host.page.click('button[name="minutes"][value="2"]')
    host.until(f"() => /^[12]:/.test({SHOWN})")
    host.page.keyboard.press("Space")
    until_slide(host, "slide-q-pace")
    host.page.click('button[value="close"]')
    until_slide(host, "slide-end")
    assert host.page.locator(".stage-headlines dd").count() == 3
    assert host.page.locator(".stage-headlines dd").first.inner_text().split() == ["+100", "NPS"]
    for width, height in [(1024, 768), (1440, 900)]:
        host.page.set_viewport_size({"width": width, "height": height})
        host.check_page(f"stage-thanks-{width}")
        assert not host.page.evaluate(BROKEN_WORDS), "a word is broken"
    host.end()

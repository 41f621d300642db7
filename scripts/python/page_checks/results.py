"""Results for hosts: live charts, texts, filters, comparisons, and the printed page."""

import concurrent.futures
import json
import re
import subprocess

from playwright.sync_api import expect

import page_service
from page_hosts import answer
from page_visitor import NASTY, QUESTIONS, SHOTS, Visitor, send

CHART = "(canvas) => Chart.getChart(canvas)?.data.datasets.map(d => d.data)"
DRAWN = "([question, numbers]) => JSON.stringify((" + CHART + ")(document.querySelector(question + ' canvas'))) === numbers"
STACKED = "(canvas) => Boolean(Chart.getChart(canvas).options.scales.x.stacked)"
LABEL = "(canvas) => canvas.getAttribute('aria-label')"
# Words in a cell that are broken across lines.
BROKEN = """(cell) => {
  const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
  if (!text) return [];
  return [...text.data.matchAll(/\\S+/g)].filter((word) => {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
  }).map(String);
}"""
# Cells of one table row that overlap.
OVERLAPPING = """(row) => {
  const boxes = [...row.cells].filter((cell) => cell.firstChild && cell.offsetWidth).map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect();
  });
  return boxes.slice(1).filter((box, place) => box.left < boxes[place].right).length;
}"""


def sign_in(visitor, service):
    visitor.open("/sign-in")
    visitor.page.fill("#email", service.email)
    visitor.page.fill("#password", service.password)
    visitor.click("form button")
    visitor.page.wait_for_url("**/home")
    # Without animation, charts are complete immediately.
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def path(form, rest="/results"):
    return f"/meetings/{form['meeting']}{rest}"


def wait_for_chart(host, question, numbers):
    """Waits until the chart of a question shows these numbers."""
    host.until(DRAWN, [question, json.dumps(numbers, separators=(",", ":"))])


def wait_for_search(host):
    """Reloads until the search finishes within its time limit."""
    for _ in range(100):
        if not host.page.get_by_text("The search has not finished yet.").count():
            break
        host.page.reload()


def downloads(host):
    """The available downloads. Every link must lead to a file."""
    links = [link.get_attribute("href") for link in host.page.locator(".downloads a, a[download]").all()]
    for link in links:
        assert host.page.request.get(host.base + link).status == 200, link
    return [link.split("/")[-1].split(".")[0] for link in links if ".xlsx" in link]


def charts_and_counts_update_live(service, browser):
    form = service.form(QUESTIONS, identity="device", meeting={"headcount": 4})
    host = sign_in(Visitor(browser, service.base, width=1440), service)
    host.open(path(form))
    assert host.page.locator(".chart canvas").count() == 0, "a chart is drawn without answers"
    host.check_page("results-empty")
    for number, (pace, role) in enumerate([("5", "guest"), ("3", "member")]):
        guest = Visitor(browser, service.base)
        guest.open(f"/f/{form['code']}")
        guest.pick("pace", pace)
        guest.pick("role", role)
        guest.pick("nps", "10")
        guest.pick("topics", "demo")
        guest.page.fill("textarea", f"guest {number} {NASTY}")
        send(guest)
        guest.end()
        expect(host.page.locator("#q-better blockquote")).to_have_count(number + 1, timeout=30_000)
        if number == 0:
            # The canvases are reused, so that changes are animated.
            host.page.evaluate("document.querySelectorAll('.chart canvas').forEach(c => { c.first = true })")
            host.page.locator("#q-better a.button").focus()
    canvases = host.page.locator(".chart canvas")
    assert canvases.count() == 4, canvases.count()
    assert host.page.evaluate("[...document.querySelectorAll('.chart canvas')].every(c => c.first)")
    assert host.page.evaluate("document.activeElement.matches('#q-better a.button')"), "the focus is lost"
    for key, expected in [("pace", [[0, 0, 1, 0, 1]]), ("nps", [[2], [0], [0]]), ("topics", [[2, 0, 0]]),
                          ("role", [[1, 1]])]:
        canvas = host.page.locator(f"#q-{key} canvas")
        assert canvas.evaluate(CHART) == expected, key
        counts = host.page.locator(f"#q-{key} table:has(td.count) >> nth=0").locator("td.count").all_inner_texts()
        assert [int(count) for count in counts] == sum(expected, []), key
        assert canvas.evaluate(LABEL)
    assert host.page.text_content(".ring text") == "50 %"
    assert "guest 1 " + NASTY in host.page.inner_text("#q-better")
    host.check_page("results")
    assert downloads(host) == ["summary", "questions", "submissions", "answers"]
    pace = host.page.locator("#q-pace canvas")
    color = "Chart.getChart(document.querySelector('#q-pace canvas')).data.datasets[0].backgroundColor"
    light = host.page.evaluate(color)
    host.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    host.until(f"(light) => {color} !== light", light)
    host.check_page("results-darkened")
    assert pace.evaluate("(canvas) => Chart.getChart(canvas).options.animation") is False
    host.end()
    for width, language, scheme in [
            (360, "ko-KR", "light"), (360, "en-GB", "dark"), (1440, "ko-KR", "dark"), (360, "de-DE", "light")]:
        other = sign_in(Visitor(browser, service.base, width=width, language=language, scheme=scheme), service)
        other.open(path(form))
        assert other.page.locator(".chart canvas").count() == 4
        other.check_page("results-" + language)
        other.end()
    plain = sign_in(Visitor(browser, service.base, script=False), service)
    plain.open(path(form))
    assert plain.page.locator("#q-pace td.count").all_inner_texts() == ["0", "0", "1", "0", "1"]
    assert plain.page.locator(".chart:visible").count() == 0 and plain.page.locator(".bar svg:visible").count() > 5
    plain.check_page("results-plain")
    plain.end()


def results_work_without_the_chart_library(service, browser):
    form = service.form(QUESTIONS, identity="device", meeting={"headcount": 1})
    host = sign_in(Visitor(browser, service.base), service)
    host.open(path(form))
    assert host.page.text_content(".ring text") == "0 %"
    answer(service, form, {"pace": 4}, {"pace": 4})
    host.page.route("**/chart.js", lambda route: route.abort())
    host.open(path(form))
    assert host.page.locator(".chart:visible").count() == 0 and host.page.locator("#q-pace tbody .bar:visible").count() == 5
    assert host.page.locator(".ring").count() == 0, "a rate above 100 % is shown"
    host.check_page("results-without-library")
    draft = service.form(QUESTIONS, publish=False)
    host.open(path(draft))
    assert host.page.locator("#results, .button").count() == 0
    host.check_page("results-draft")
    host.end()


def texts_are_searched_hidden_shown_again_and_released(service, browser):
    form = service.form(QUESTIONS)
    answer(service, form, *({"pace": 3, "better": f"More demo {number} {NASTY}"} for number in range(55)),
           {"pace": 4, "better": "회의가 길어요"}, {"pace": 4, "better": "회의는 짧게"})
    for script, width, scheme in [(True, 360, "dark"), (False, 1440, "light")]:
        host = sign_in(Visitor(browser, service.base, script, width, scheme=scheme), service)
        host.open(path(form))
        assert host.page.locator("#q-better blockquote").count() == 5, "not only the newest texts are shown"
        newest = host.page.inner_text("#q-better blockquote >> nth=0")
        host.click("#q-better .written button >> nth=0")
        host.page.wait_for_url("**done=*")
        assert newest not in host.page.inner_text("#q-better")
        host.click("#q-better form.status button")
        assert newest in host.page.inner_text("#q-better")
        host.click("#q-better a.button")
        assert host.page.locator("blockquote").count() == 50
        host.check_page("texts")
        host.click('a[rel="next"]')
        assert host.page.locator("blockquote").count() == 7
        host.page.fill("#q", "demo 7 " + NASTY)
        host.page.press("#q", "Enter")
        host.page.wait_for_url("**q=*")
        wait_for_search(host)
        assert host.page.locator("blockquote").all_inner_texts() == ["More demo 7 " + NASTY]
        assert host.page.input_value("#q") == "demo 7 " + NASTY
        host.click(".written button")
        host.page.wait_for_url("**done=*")
        wait_for_search(host)
        assert host.page.locator("blockquote").count() == 0, "a hidden text is found"
        assert f"No answer contains “demo 7 {NASTY}”" in host.page.inner_text("main")
        host.check_page("texts-hidden")
        assert service.call("GET", f"/v1/meetings/{form['meeting']}/results/better/answers?q=demo%207")["items"] == []
        host.click("form.status button")
        wait_for_search(host)
        assert host.page.locator("blockquote").count() == 1
        host.click(".written button")
        host.page.wait_for_url("**done=*")
        host.click('a[href$="hidden=true"]')
        assert "Hidden" in host.page.inner_text(".written") and host.page.locator("blockquote").count() == 1
        host.click(".written button")
        assert host.page.locator("blockquote").count() == 0
        host.open(path(form, "/results/better"))
        # A term links to the answers that contain it. Korean terms are counted without particles.
        word = host.page.locator(".chips a", has_text="회의")
        assert word.inner_text().split() == ["회의", "2"]
        host.click(word)
        wait_for_search(host)
        assert host.page.locator("blockquote").count() == 2
        host.check_page("texts-found")
        for released in [True, False]:
            host.click('button[value$="release:better"]')
            shown = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"]
            assert [question.get("released") for question in shown if question["key"] == "better"] == [released]
        assert host.open(path(form, "/results/better?q=" + 201 * "x")).status == 422
        assert host.page.locator("[role=alert]").count() == 1 and host.page.locator("blockquote").count() == 0
        host.open(path(form, "/results/better?cursor=made-up"))
        assert host.page.locator("[role=alert]").count() == 1 and host.page.locator("blockquote").count() == 50
        for wrong in ["pace", "nothing"]:
            assert host.open(path(form, "/results/" + wrong)).status == 404
        host.end()


def equal_texts_are_folded(service, browser):
    form = service.form(QUESTIONS)
    answer(service, form, *({"pace": 3, "better": text} for text in ["nothing", "Nothing ", "more  time", "NOTHING", "More time"]))
    for script, width, scheme in [(True, 360, "light"), (False, 1440, "dark")]:
        host = sign_in(Visitor(browser, service.base, script, width, scheme=scheme), service)
        for page in ["/results", "/results/better"]:
            host.open(path(form, page))
            labels = host.page.locator("details.same > summary").all_inner_texts()
            assert labels == ["2 equal answers", "3 equal answers"], labels
            assert host.page.locator("blockquote:visible").count() == 2, "the others are not folded"
            host.page.locator("details.same > summary").last.focus()
            host.page.keyboard.press("Enter")
            assert host.page.locator("blockquote:visible").count() == 4
            host.check_page("texts-equal" if page.endswith("better") else "results-equal")
        host.click("text=List each answer by itself")
        assert host.page.locator("blockquote:visible").count() == 5 and host.page.locator("details.same").count() == 0
        host.click("text=Group equal answers")
        # Hiding the shown text of a group leaves the others.
        host.click(".written button >> nth=0")
        host.page.wait_for_url("**done=*")
        assert host.page.locator("details.same").count() == 1
        host.click("form.status button")
        assert host.page.locator("details.same").count() == 2
        host.end()


def texts_get_stars_and_tags(service, browser):
    form = service.form(QUESTIONS)
    answer(service, form, *({"pace": 3, "better": text} for text in ["first", "second", "third"]))
    for script, width, scheme, language in [(True, 360, "dark", "en-GB"), (False, 1440, "light", "de-DE"), (True, 360, "light", "ko-KR")]:
        host = sign_in(Visitor(browser, service.base, script, width, language, scheme), service)
        host.open(path(form, "/results/better"))
        host.click('button[value^="star:"] >> nth=0')
        assert host.page.locator(".written [role=img]").count() == 1
        details = host.page.locator(".written details.marks").first
        details.locator("summary").focus()
        host.page.keyboard.press("Enter")
        details.locator('input[name="tags"]').fill("room, more time")
        host.check_page("texts-tags-" + language)
        host.click('.written details.marks[open] button')
        assert host.page.locator(".written").first.locator("a.chip").all_inner_texts() == ["room", "more time"]
        assert host.page.locator(".written [role=img]").count() == 1, "the star is kept"
        host.click('.written a.chip >> nth=0')
        assert host.page.locator("blockquote").all_inner_texts() == ["third"]
        assert host.page.locator('ul.chips a[aria-current="page"]').inner_text().split() == ["room", "1"]
        host.check_page("texts-tagged-" + language)
        host.click('.written button[value^="unstar:"]')
        details = host.page.locator(".written details.marks").first
        details.locator("summary").focus()
        host.page.keyboard.press("Enter")
        details.locator('input[name="tags"]').fill("")
        host.click('.written details.marks[open] button')
        assert host.page.locator("blockquote").count() == 0, "the tag was removed"
        host.open(path(form, "/results/better"))
        assert host.page.locator("blockquote").count() == 3
        host.end()


def summary_for_the_team_is_a_plain_text(service, browser):
    form = service.form(QUESTIONS)
    answer(service, form, {"pace": 3, "better": "not in the summary"}, {"pace": 4})
    for script, width, scheme, language in [(True, 360, "dark", "en-GB"), (False, 1440, "light", "de-DE"), (True, 360, "light", "ko-KR")]:
        host = sign_in(Visitor(browser, service.base, script, width, language, scheme), service)
        host.open(path(form))
        host.click('a[href$="/summary"]')
        text = host.page.input_value("#summary")
        assert "3.5" in text.replace(",", ".") and "not in the summary" not in text and "/r/" not in text, text
        assert host.page.get_attribute('a[href^="mailto:"]', "href").startswith("mailto:?subject=")
        assert host.page.locator("button[data-copies]").is_visible() == script
        host.check_page("summary-" + language)
        host.click('button[value="link"]')
        assert "/r/" in host.page.input_value("#summary")
        host.check_page("summary-linked-" + language)
        host.end()


def summary_is_mailed_after_a_confirmation(service, browser):
    with page_service.service(sendmail="/bin/true") as mailing:
        form = mailing.form(QUESTIONS)
        answer(mailing, form, {"pace": 3, "better": "not in the summary"})
        for person in [{"name": "A", "email": "a@example.org"}, {"name": "B"}]:
            mailing.call("POST", f"/v1/meetings/{form['meeting']}/attendees", person)
        for script, width, scheme, language in [
                (True, 360, "dark", "en-GB"), (False, 1440, "light", "de-DE"), (True, 360, "light", "ko-KR")]:
            host = sign_in(Visitor(browser, mailing.base, script, width, language, scheme), mailing)
            host.open(path(form, "/summary"))
            host.click('button[value="mail"]')
            host.page.wait_for_selector('button[value="send"]')
            host.check_page("summary-asks-" + language)
            host.click('button[value="send"]')
            host.page.wait_for_selector("main > .notice[role=status]")
            host.check_page("summary-mailed-" + language)
            host.end()
    host = sign_in(Visitor(browser, service.base, True, 360, "en-GB", "light"), service)
    host.open(path(service.form(QUESTIONS), "/summary"))
    assert host.page.locator('button[value="mail"]').count() == 0 and host.page.locator("#mail").count() == 1
    host.check_page("summary-unsent")
    host.end()


def decisions_come_back_in_the_next_round(service, browser):
    for script, width, scheme, language in [
            (True, 360, "dark", "en-GB"), (False, 1440, "light", "de-DE"), (True, 360, "light", "ko-KR"),
            (True, 1440, "dark", "en-GB")]:
        form = service.form(QUESTIONS)
        answer(service, form, {"pace": 3, "better": "text"})
        host = sign_in(Visitor(browser, service.base, script, width, language, scheme), service)
        host.open(path(form))
        host.click('a[href$="/decisions"]')
        name = f"{language}-{width}"
        host.page.fill("#text-0", "We begin at nine, and end at ten even if something is left over.")
        host.page.select_option("#question-0", "pace")
        host.page.check("#shown-0")
        host.page.fill("#text-1", "The board <b>decides</b> about the room.\nUntil then we stay here.")
        host.page.check("#done-1")
        host.check_page("decisions-" + name)
        host.click('button[value="save"]')
        host.page.wait_for_url("**/results")
        assert host.page.locator(".decided li").count() == 2 and host.page.locator(".decided .done").count() == 1
        host.check_page("decisions-results-" + name)
        series = form["checkIn"]["seriesId"]
        following = service.call("POST", f"/v1/series/{series}/meetings", {})
        service.call("POST", f"/v1/meetings/{following['id']}/form/publish")
        for page, count in [("results", 2), ("report", 2), ("stage#slide-decisions", 1)]:
            host.open(f"/meetings/{following['id']}/{page}")
            assert host.page.locator(".decided li").count() == count, page
            host.check_page(f"decisions-next-{page.split('#')[0]}-{name}")
        host.open(f"/series/{series}")
        assert host.page.locator(".decided li").count() == 2
        host.check_page("decisions-series-" + name)
        host.open(f"/meetings/{following['id']}/decisions")
        host.page.check("#last-0")
        host.check_page("decisions-last-" + name)
        host.click('button[value="last"]')
        host.page.wait_for_selector("main > .notice[role=status]")
        assert host.page.is_checked("#last-0")
        host.end()
        guest = Visitor(browser, service.base, script, width, language, scheme)
        guest.open("/f/" + following["form"]["code"])
        assert guest.page.locator(".decided .done").count() == 1 and guest.page.locator(".decided li").count() == 1
        guest.check_page("decisions-form-" + name)
        guest.end()


def forged_requests_do_not_hide_texts(service, browser):
    form = service.form(QUESTIONS)
    answer(service, form, {"pace": 3, "better": "stays"})
    host = sign_in(Visitor(browser, service.base), service)
    for place in ["/results", "/results/better"]:
        host.open(path(form, place))
        host.page.evaluate("document.querySelectorAll('[name=csrf]').forEach(field => { field.value = 'made up' })")
        host.click(".written button")
        host.page.wait_for_selector("[role=alert]")
        assert host.page.inner_text("blockquote") == "stays"
    refused = host.page.request.post(host.base + path(form), form={"act": "hide:better", "csrf": "x"})
    assert refused.status == 403
    host.end()


def results_are_filtered_and_two_questions_compared(service, browser):
    questions = [dict(question) for question in QUESTIONS]
    questions[3] = {**questions[3], "title": "You are " + NASTY,
                    "options": [{"id": "guest", "label": "Guest " + NASTY}, {"id": "member", "label": "Member"}]}
    form = service.form(questions)
    answer(service, form, {"pace": 2, "role": "guest", "topics": ["demo", "talk"], "better": "More tea"}, {"pace": 4, "role": "guest"},
           {"pace": 5, "role": "member", "topics": ["demo"]}, {"pace": 5})
    for script, width, language in [(True, 1440, "en-GB"), (True, 360, "ko-KR"), (True, 360, "de-DE"), (False, 360, "en-GB")]:
        host = sign_in(Visitor(browser, service.base, script, width, language), service)
        host.open(path(form))
        host.click("details.filter summary")
        host.page.select_option("#where", "role:guest")
        host.click("details.filter button")
        host.page.wait_for_url("**where=role*")
        assert host.page.locator("#q-pace td.count").all_inner_texts() == ["0", "1", "0", "1", "0"]
        quotes = ["“{}” – {}", "‘{}’ – {}", "„{}“ – {}"]
        chosen = tuple(quote.format(f"You are {NASTY}", f"Guest {NASTY}") for quote in quotes)
        assert host.page.inner_text(".chip").startswith(chosen)
        assert host.page.locator("#q-better blockquote").count() == 0
        assert host.page.locator("#q-better a").count() == 1, "nothing links to the texts that are left out"
        hints = host.page.locator("section[aria-labelledby=downloads] .hint")
        assert hints.count() == 1, "nothing says that downloads are not filtered"
        host.check_page("results-filtered")
        host.page.select_option("#where", "pace:4")
        host.click("details.filter button")
        host.page.wait_for_url("**pace*")
        assert host.page.locator(".chip").count() == 2
        assert host.page.locator("#q-pace td.count").all_inner_texts() == ["0", "0", "0", "1", "0"]
        host.click(".chip >> nth=0")
        assert "pace" in host.page.url and host.page.locator(".chip").count() == 1
        assert host.open(path(form, "/results?" + "&".join(f"where=pace:{n}" for n in [1, 2, 3, 4, 5, 1]))).status == 422
        assert host.page.locator("[role=alert]").count() == 1
        assert host.open(path(form, "/results?where=gone:1")).status == 422
        assert host.page.locator("[role=alert]").count() == 1 and host.page.locator(".chip").count() == 0
        host.click('a[href$="/crosstab"]')
        host.page.select_option("#rows", "role")
        host.page.select_option("#columns", "topics")
        host.click("form.card button")
        host.page.wait_for_selector("table.crosstab")
        cells = [row.locator("td").all_inner_texts() for row in host.page.locator("tbody tr").all()]
        assert cells == [["1 100 %", "1 100 %", "0 0 %"], ["1 100 %", "0 0 %", "0 0 %"]], cells
        if script:
            numbers = host.page.locator(".chart canvas").evaluate(CHART)
            assert numbers == [[100, 100], [100, 0], [0, 0]], "the chart does not show shares"
            assert not host.page.locator(".chart canvas").evaluate(STACKED), "options of a multiple choice are stacked"
        host.check_page("crosstab")
        host.page.select_option("#columns", "role")
        host.click("form.card button")
        host.page.wait_for_selector("[role=alert]")
        host.end()


def anonymous_results_do_not_expose_single_respondents(service, browser):
    form = service.form(QUESTIONS, anonymous=True)
    host = sign_in(Visitor(browser, service.base), service)
    answer(service, form, {"pace": 1, "role": "guest", "better": "said alone"}, {"pace": 5, "role": "guest"})
    host.open(path(form))
    assert "groups of 3" in host.page.inner_text("#q-pace") and host.page.locator("td.count").count() == 0
    assert "the first 3 appear once 6 have answered" in host.page.inner_text("#results > .promise")
    assert "groups of 3" in host.page.inner_text("#q-better") and "said alone" not in host.page.inner_text("body")
    assert host.page.locator("#where").count() == 0
    host.check_page("results-anonymous")
    assert downloads(host) == ["summary", "questions"]
    assert host.open(path(form, "/results?where=role:guest")).status == 409
    host.page.wait_for_selector("[role=alert]")
    host.open(path(form, "/results/better"))
    assert host.page.locator("blockquote").count() == 0 and host.page.locator(".promise").count() == 1
    host.check_page("texts-anonymous")
    host.open(path(form))
    answer(service, form, *({"pace": 3, "role": "member" if place else "guest", "topics": ["demo"]}
                            for place in range(4)))
    service.call("POST", f"/v1/meetings/{form['meeting']}/form/close")
    # An earlier event may have shown the first three.
    wait_for_chart(host, "#q-role", [[3, 3]])
    host.page.reload()
    host.click("details.filter summary")
    host.page.select_option("#where", "role:guest")
    host.click("details.filter button")
    host.page.wait_for_url("**where=*")
    assert host.page.locator("#results > .lead").inner_text().startswith("3 of 6")
    # These would expose single respondents, so they are left empty with an explanation.
    assert "Left out under this filter" in host.page.inner_text("#q-better")
    assert "single out fewer than 3" in host.page.inner_text("#results > .promise")
    host.check_page("results-anonymous-filtered")
    assert host.open(path(form, "/results?where=pace:1")).status == 422
    assert "fewer than 3" in host.page.inner_text("[role=alert]")
    assert host.open(path(form, "/results?where=role:guest&where=pace:3")).status == 422
    assert host.open(path(form, "/crosstab?rows=role&columns=pace")).status == 422
    refused = host.page.inner_text("[role=alert]")
    assert "cannot be compared" in refused and "everyone" not in refused, "the refusal mentions missing results"
    host.check_page("crosstab-refused")
    host.open(path(form, "/results/better"))
    assert host.page.inner_text("blockquote") == "said alone" and "UTC" not in host.page.inner_text(".written")
    host.open(path(form))
    assert downloads(host) == ["summary", "questions", "answers"]
    host.end()


def large_forms_are_filtered_by_a_random_sample(service, browser):
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    form = service.form([{"key": f"q{number}", "kind": "choice", "title": f"Question {number}", "options": options}
                         for number in range(100)])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: answer(service, form, {"q0": options[number % 2]["id"]}), range(1950)))
    host = sign_in(Visitor(browser, service.base, script=False), service)
    host.open(path(form, "/results?where=q0:yes"))
    assert "of 1950 answers, chosen at random" in host.page.inner_text("#results")
    host.open(path(form, "/crosstab?rows=q0&columns=q1"))
    assert "of 1950 answers, chosen at random" in host.page.inner_text("#crosstab-answered")
    host.end()


def scales_show_their_end_labels_and_only_unlabelled_ones_have_stars(service, browser):
    grade = {"key": "grade", "kind": "rating", "title": "How good was it?"}
    form = service.form([QUESTIONS[0], grade, *QUESTIONS[1:]], showResults="always")
    answer(service, form, {"pace": 2, "grade": 4}, {"pace": 4, "grade": 5})
    share = service.call("POST", f"/v1/meetings/{form['meeting']}/shares", {})["url"].split("/r/")[1]
    for width, language, scheme in [(1440, "en-GB", "light"), (360, "ko-KR", "dark"), (360, "de-DE", "light")]:
        host = sign_in(Visitor(browser, service.base, width=width, language=language, scheme=scheme), service)
        places = [path(form), path(form, "/report"), f"/f/{form['code']}/results", f"/r/{share}"]
        for place in places:
            host.open(place)
            assert host.page.locator("#q-grade .stars").count() == 1 and host.page.locator("#q-grade .scale-bar").count() == 0
            assert host.page.locator("#q-pace .stars").count() == 0, "a scale with labelled ends has stars"
            ends = host.page.locator("#q-pace .scale-bar .ends span").all_inner_texts()
            assert ends == ["1 too slow", "5 too fast"], ends
            assert host.page.get_attribute("#q-pace .scale-bar circle", "cx") == "50.0%"
            rows = host.page.locator("#q-pace table >> nth=0").locator("tbody th").all_inner_texts()
            assert rows == ["1 too slow", "2", "3", "4", "5 too fast"], rows
        host.open(path(form))
        labels = host.page.locator("#q-pace canvas").evaluate("(canvas) => Chart.getChart(canvas).data.labels")
        assert labels == ["1", "2", "3", "4", "5"], labels
        host.check_page("results-scale")
        host.end()


def nps_is_compared_by_its_groups(service, browser):
    form = service.form(QUESTIONS, identity="device")
    answer(service, form, *({"pace": 3, "role": "guest" if nps < 8 else "member", "nps": nps} for nps in range(11)))
    for width, language, scheme in [(1440, "en-GB", "light"), (360, "ko-KR", "dark"), (360, "de-DE", "light")]:
        host = sign_in(Visitor(browser, service.base, width=width, language=language, scheme=scheme), service)
        host.open(path(form, "/crosstab?rows=role&columns=nps"))
        cells = [row.locator("td").all_inner_texts() for row in host.page.locator("tbody tr").all()]
        assert cells == [["0 0 %", "1 13 %", "7 88 %"], ["2 67 %", "1 33 %", "0 0 %"]], cells
        chart = host.page.locator(".chart canvas")
        assert chart.evaluate(CHART) == [[0, 66.7], [12.5, 33.3], [87.5, 0]] and chart.evaluate(STACKED)
        host.check_page("crosstab-groups")
        host.open(path(form, "/crosstab?rows=nps&columns=role"))
        assert host.page.locator("tbody tr").count() == 3
        host.end()


def changes_before_the_first_answer_are_not_listed(service, browser):
    form = service.form(QUESTIONS)
    host = sign_in(Visitor(browser, service.base), service)
    host.open(path(form, "/form"))
    host.page.fill("#q0-title", "How fast were we?")
    guest = host.page.locator("input[name='q3.option'] >> nth=0")
    guest.fill("Somebody else")
    host.click(".save-bar .send")
    host.page.wait_for_url(f"**{path(form, '')}*")
    ids = [option["id"] for option in service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"][3]["options"]]
    assert ids == ["somebody_else", "member"], ids
    host.open(path(form))
    assert host.page.locator("#results li, .result details:has(li)").count() == 0, "an early change is listed"
    answer(service, form, {"pace": 4, "role": "somebody_else"})
    host.open(path(form))
    assert host.page.locator("#q-role tbody tr").count() == 2, "an option replaced before any answer is shown"
    host.open(path(form, "/form"))
    host.page.locator("input[name='q3.option'] >> nth=0").fill("A visitor")
    host.click(".save-bar .send")
    host.page.wait_for_url(f"**{path(form, '')}*")
    ids = [option["id"] for option in service.call("GET", f"/v1/meetings/{form['meeting']}/form")["questions"][3]["options"]]
    assert ids == ["somebody_else", "member"], "the id of an answered option has changed"
    host.open(path(form))
    assert "A visitor" in host.page.text_content("#q-role details")
    host.end()


def change_since_the_last_round_is_shown(service, browser):
    first = service.form(QUESTIONS)
    answer(service, first, *({"pace": pace, "role": "guest", "nps": 10} for pace in [1, 2, 2, 1]))
    series = first["checkIn"]["seriesId"]
    second = service.call("POST", f"/v1/series/{series}/meetings", {})
    service.call("POST", f"/v1/meetings/{second['id']}/form/publish")
    form = {"meeting": second["id"], "code": second["form"]["code"]}
    answer(service, form, *({"pace": 5 - place % 2, "role": "member", "nps": place} for place in range(4)))
    for width, language in [(1440, "en-GB"), (360, "ko-KR"), (360, "de-DE")]:
        host = sign_in(Visitor(browser, service.base, width=width, language=language), service)
        host.open(path(form))
        change = "+3,00" if language == "de-DE" else "+3.00"
        assert change in host.page.inner_text("#q-pace .since") and "#1" in host.page.inner_text("#q-pace .since")
        assert host.page.locator("#q-pace .since .hint").count() == 1
        assert "−200" in host.page.inner_text("#q-nps .since")
        assert host.page.locator("#q-role .change strong").all_inner_texts() == ["−100", "+100"]
        if language == "en-GB":
            assert host.page.inner_text("#q-pace .since").startswith("Clearly higher than in #1")
            assert host.page.inner_text("#q-nps .since").startswith("Clearly lower than in #1")
        host.check_page("results-second-round")
        host.open(path(form, "/report"))
        host.check_page("report-second-round")
        for media, inline in [("screen", width), ("print", 688), ("print", 360)]:
            host.page.emulate_media(media=media)
            host.page.set_viewport_size({"width": inline, "height": 900})
            for row in host.page.locator(".numbers-of tr").all():
                assert row.evaluate(OVERLAPPING) == 0, (media, inline, row.inner_text())
            cells = host.page.locator(".numbers-of :is(.count, .share, .range, .change)").all()
            split = [cell.inner_text() for cell in cells if cell.evaluate(BROKEN)]
            assert len(cells) > 20 and split == [], (media, inline, split)
            host.page.screenshot(path=SHOTS / f"report-second-round-{media}-{inline}-{language}.png", full_page=True)
        host.page.pdf(path=SHOTS / f"report-second-round-{language}.pdf", prefer_css_page_size=True)
        host.page.emulate_media(media="screen")
        host.page.set_viewport_size({"width": width, "height": 900})
        host.open(path(first))
        assert host.page.locator(".since, .change").count() == 0
        host.end()


def series_formats_numbers_like_results(service, browser):
    first = service.form(QUESTIONS)
    answer(service, first, {"pace": 3, "nps": 2, "topics": [{"other": "tea"}]}, {"pace": 3, "nps": 9})
    series = first["checkIn"]["seriesId"]
    second = service.call("POST", f"/v1/series/{series}/meetings", {})
    service.call("POST", f"/v1/meetings/{second['id']}/form/publish")
    answer(service, {"code": second["form"]["code"]}, {"pace": 4, "nps": 1, "topics": ["demo"]})
    for language, other in [("en-GB", "Other"), ("ko-KR", "기타"), ("de-DE", "Sonstiges")]:
        host = sign_in(Visitor(browser, service.base, language=language), service)
        host.open(f"/series/{series}")
        trend = host.page.locator(".trend", has=host.page.locator("#trend-nps"))
        assert "NPS −33" in trend.inner_text(), "the score over all rounds is missing"
        trend.locator("summary").click()
        assert trend.locator("tbody tr td:last-child").all_inner_texts() == ["0", "−100"]
        topics = host.page.locator(".trend", has=host.page.locator("#trend-topics"))
        assert topics.locator(".legend li").last.inner_text().strip() == other
        picture = host.page.request.get(
            service.base + topics.locator("a[download]").get_attribute("href"), headers={"Accept-Language": language})
        assert other in picture.text()
        host.check_page("series-numbers")
        host.end()


def rewordings_are_listed_with_the_results(service, browser):
    form = service.form(QUESTIONS, showResults="always")
    answer(service, form, {"pace": 4})
    definition = f"/v1/meetings/{form['meeting']}/form"
    tag = service.call("GET", definition)["etag"]
    questions = [{**QUESTIONS[0], "title": "How " + NASTY}] + QUESTIONS[1:3] + QUESTIONS[4:]
    service.call("PUT", definition, {"title": "Retro", "questions": questions, "showResults": "always"},
                 {"If-Match": tag})
    host = sign_in(Visitor(browser, service.base), service)
    host.open(path(form))
    host.click("#q-pace details summary")
    assert f"“How was the pace?” became “How {NASTY}”" in host.page.inner_text("#q-pace li")
    assert host.page.locator("#q-role").count() == 0, "a removed question without answers is shown"
    host.check_page("results-reworded")
    host.open(f"/f/{form['code']}/results")
    assert host.page.locator("#q-pace canvas").evaluate(CHART) == [[0, 0, 0, 1, 0]]
    host.check_page("results-of-participants")
    host.open(path(form, "/report"))
    assert NASTY in host.page.inner_text("#q-pace li")
    host.end()


def confidence_interval_is_clipped_to_the_scale(service, browser):
    form = service.form(QUESTIONS, identity="device")
    host = sign_in(Visitor(browser, service.base), service)

    def spread(page):
        host.open(path(form, page))
        return host.page.inner_text("#q-pace .mean .hint")

    answer(service, form, *({"pace": pace} for pace in [1, 5, 5, 5]))
    for page in ["/results", "/report"]:
        assert "95 %" not in spread(page), "an interval is shown for four answers"
    answer(service, form, {"pace": 5})
    for page in ["/results", "/report"]:
        assert "1.98 to 5.00" in spread(page), spread(page)
    interval = service.call("GET", f"/v1/meetings/{form['meeting']}/results")["questions"][0]["confidence95"]
    assert interval[1] > 5, "the API clips the interval to the scale"
    host.end()


def statements_about_the_room_are_shown(service, browser):
    form = service.form(QUESTIONS, identity="device", meeting={"headcount": 12})
    answers = [{"pace": pace, "nps": 9, "topics": ["demo"], "role": "guest"} for pace in (4, 4, 5, 3, 5, 4, 4, 5, 4)]
    answer(service, form, *answers)
    host = sign_in(Visitor(browser, service.base, width=1440), service)
    host.open(path(form))
    pace = host.page.locator("#q-pace")
    expect(pace.locator(".mean")).to_contain_text("between 3.42 and 4.42 if all 12 had answered")
    pace.locator("summary", has_text="9 of 12 people answered").click()
    cells = pace.locator("details.room td:not(:empty)").all_inner_texts()
    assert cells == ["3.42 to 4.42", "3.94 to 4.42", "3.71 to 4.73"], cells
    role = host.page.locator("#q-role details.room")
    role.locator("summary").click()
    assert role.locator("tbody tr").count() == 2
    host.check_page("room")
    for language, word in (("de-DE", "Dieser Raum"), ("ko-KR", "이 자리")):
        other = sign_in(Visitor(browser, service.base, language=language), service)
        other.open(path(form))
        other.page.locator("#q-pace summary", has_text="12").first.click()
        expect(other.page.locator("#q-pace details.room")).to_contain_text(word)
        other.check_page("room-" + language)
        other.end()
    host.open(path(form, "/report"))
    host.check_page("room-report")
    host.open(path(form, "/stage"))
    expect(host.page.locator(".stage-figure > .hint").first).to_have_text("9 answers")
    answer(service, form, *answers[:3])
    host.open(path(form))
    expect(pace.locator("details.room summary")).to_contain_text("All 12 people answered")
    answer(service, form, answers[0])
    host.open(path(form))
    expect(host.page.get_by_text("Only 12 people were expected.")).to_be_visible()
    assert not host.page.locator("details.room").count()
    host.end()


def report_labels_break_between_words(service, browser):
    labels = ["Technical problems and their solutions", "Interpretation", "Documentation of the interfaces"]
    form = service.form(
        [{"key": "topics", "kind": "choice", "title": "Which?", "multiple": True,
          "options": [{"id": f"o{number}", "label": label} for number, label in enumerate(labels)]},
         *({**QUESTIONS[0], "key": f"more{number}"} for number in range(3))], identity="device")
    answer(service, form, {"topics": ["o0", "o1"], "more0": 1, "more1": 1, "more2": 1})
    host = sign_in(Visitor(browser, service.base, width=718), service)
    host.open(path(form, "/report"))
    host.page.emulate_media(media="print")
    cells = host.page.locator("#q-topics tbody th").all()
    assert [cell.evaluate(BROKEN) for cell in cells] == [[], [], []], [cell.evaluate(BROKEN) for cell in cells]
    assert cells[0].evaluate("(cell) => cell.offsetWidth / cell.closest('table').offsetWidth") >= .4
    host.check_page("report-labels")
    host.end()


def printed_results_contain_no_controls(service, browser):
    form = service.form(QUESTIONS, identity="device")
    answer(service, form, *({"pace": 1 + number % 5, "nps": number, "topics": ["demo"], "role": "guest",
                             "better": f"Text {number}"} for number in range(9)))
    for width, scheme in [(1440, "light"), (360, "dark")]:
        host = sign_in(Visitor(browser, service.base, width=width, scheme=scheme), service)
        host.open(path(form))
        host.page.wait_for_selector("#q-role canvas")
        host.page.emulate_media(media="print")
        for unprinted in [".chart", "a[download]", ".downloads", "#downloads", ".filter", ".actions", ".clear"]:
            assert host.page.locator(unprinted).count() > 0, unprinted
            assert host.page.locator(unprinted + ":visible").count() == 0, unprinted
        for key in ["pace", "nps", "topics", "role"]:
            assert host.page.locator(f"#q-{key} .bar svg:visible").count() > 0, "a question is printed without chart"
        host.page.screenshot(path=SHOTS / f"results-print-{width}-{scheme}.png", full_page=True)
        host.page.pdf(path=SHOTS / f"results-{scheme}.pdf", prefer_css_page_size=True)
        host.open(path(form, "/crosstab?rows=role&columns=pace"))
        assert host.page.locator(".crosstab:visible").count() == 1
        assert host.page.locator("select:visible, canvas:visible").count() == 0
        host.end()


def report_is_printed_on_one_page(service, browser):
    form = service.form(QUESTIONS, title="Retro", identity="device", meeting={"headcount": 12, "place": "Room 3"})
    answer(service, form, *({"pace": 1 + number % 5, "nps": number, "topics": ["demo"], "role": "guest",
                             "better": f"Text {number} {NASTY}"} for number in range(9)))
    host = sign_in(Visitor(browser, service.base, width=1440), service)
    host.open(path(form))
    host.click('a[href$="/report"]')
    assert "75 %" in host.page.text_content(".ring") and NASTY in host.page.inner_text("#q-better")
    assert host.page.locator(".bar svg").count() > 10 and host.page.locator("canvas").count() == 0
    assert host.page.is_visible("#print")
    host.check_page("report")
    host.page.emulate_media(media="print")
    for unprinted in ["#print", "footer", ".host-bar", ".skip"]:
        assert not host.page.is_visible(unprinted), unprinted
    assert host.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    host.check_page("report-print")
    bars = host.page.locator("#q-nps .bar svg").evaluate_all("all => all.map((bar) => Math.round(bar.getBoundingClientRect().width))")
    assert len(bars) == 14 and len(set(bars)) == 1, "bars of two tables have different scales"
    host.page.pdf(path=SHOTS / "report.pdf", prefer_css_page_size=True)
    assert (SHOTS / "report.pdf").read_bytes().count(b"/Type /Page\n") == 1
    host.end()
    for language, scheme in [("ko-KR", "dark"), ("en-GB", "light"), ("de-DE", "light")]:
        other = sign_in(Visitor(browser, service.base, width=360, language=language, scheme=scheme), service)
        other.open(path(form, "/report"))
        other.check_page("report-" + language)
        other.end()


def report_is_downloaded_as_a_pdf_file(service, browser):
    form = service.form(QUESTIONS, title="Retro", identity="device", meeting={"headcount": 12, "place": "Room 3"})
    answer(service, form, *({"pace": 1 + number % 5, "better": f"Text {number} 더 많은 데모 {NASTY}"} for number in range(9)))
    for language, words in [("en-GB", ["9 of 12", "mean 2.78", "Page 1 of"]), ("ko-KR", ["평균 2.78"]),
                            ("de-DE", ["Seite 1 von"])]:
        host = sign_in(Visitor(browser, service.base, language=language), service)
        host.open(path(form, "/report"))
        with host.page.expect_download() as download:
            host.page.click('a[href$="/report.pdf"]')
        file = SHOTS / f"report-{language}.pdf"
        download.value.save_as(file)
        assert download.value.suggested_filename == "Retro #1 - report.pdf"
        text = subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, text=True, check=True).stdout
        for expected in ["Retro", "Room 3", *words, *(f"Text {number} 더 많은 데모" for number in range(9))]:
            assert expected in text, (expected, text)
        host.end()
    stranger = Visitor(browser, service.base)
    stranger.open(path(form, "/report.pdf"))
    assert "/sign-in" in stranger.page.url
    stranger.end()


def chart_values_are_shown_by_pointer_and_keyboard(service, browser):
    long = [{"id": f"o{number}", "label": f"A long label {number} " + "with many words " * 6} for number in range(3)]
    questions = [*QUESTIONS, {"key": "long", "kind": "choice", "title": "Long labels?", "multiple": True, "options": long}]
    form = service.form(questions, identity="device", showResults="always")
    answer(service, form, *({"pace": 1 + number % 2, "nps": 10, "role": ["guest", "member", "guest"][number],
                             "long": ["o1"]} for number in range(3)))
    shown = "(canvas) => Chart.getChart(canvas).tooltip.body?.flatMap((part) => part.lines).join(' ') ?? ''"
    opacity = "(canvas) => Chart.getChart(canvas).tooltip.opacity"
    for width, language, scheme in [
            (1440, "en-GB", "light"), (360, "en-GB", "dark"), (360, "ko-KR", "light"), (1440, "de-DE", "dark")]:
        host = sign_in(Visitor(browser, service.base, width=width, language=language, scheme=scheme), service)
        host.open(path(form))
        host.page.wait_for_selector("#q-long canvas")
        # Words in the tables beside charts are whole.
        for button in host.page.locator("#results .chart > button").all():
            button.click()
        for cell in host.page.locator(":is(#q-role, #q-nps, #q-long) .chart-and-table tbody th").all():
            assert cell.evaluate(BROKEN) == [], cell.inner_text()
        host.check_page("chart-tables-" + language)
        pace = host.page.locator("#q-pace canvas")
        said = host.page.locator("#q-pace .chart [role=status]")
        # The pointer is above the bar of the second point.
        pace.scroll_into_view_if_needed()
        box = pace.bounding_box()
        place = pace.evaluate("(canvas) => Chart.getChart(canvas).getDatasetMeta(0).data[1].x")
        host.page.mouse.move(box["x"] + place, box["y"] + 30)
        host.until("() => Chart.getChart(document.querySelector('#q-pace canvas')).tooltip.opacity === 1")
        assert pace.evaluate(shown).startswith("2"), pace.evaluate(shown)
        host.page.screenshot(path=SHOTS / f"chart-value-pointer-{language}-{width}-{scheme}.png")
        host.page.mouse.move(0, 0)
        # The arrow keys move through the values, which are announced.
        pace.focus()
        keys = host.page.keyboard
        for key, expected in [("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowDown", "3"), ("ArrowLeft", "2"),
                              ("End", "5"), ("ArrowRight", "5"), ("Home", "1"), ("ArrowUp", "1")]:
            keys.press(key)
            assert said.inner_text().startswith(expected), (key, said.inner_text())
            assert pace.evaluate(shown) == said.inner_text() and pace.evaluate(opacity) == 1
        assert "67" in said.inner_text() and host.page.locator("[role=status]:text('67')").count() >= 1
        host.page.screenshot(path=SHOTS / f"chart-value-keys-{language}-{width}-{scheme}.png")
        keys.press("Escape")
        assert said.inner_text() == "" and pace.evaluate(opacity) == 0
        assert host.page.evaluate("document.activeElement.matches('#q-pace canvas')")
        keys.press("ArrowRight")
        keys.press("Tab")
        assert said.inner_text() == "" and not host.page.evaluate("document.activeElement.matches('#q-pace canvas')")
        for key, values in [("nps", 3), ("role", 2), ("long", 3)]:
            canvas = host.page.locator(f"#q-{key} canvas")
            canvas.focus()
            texts = []
            for _ in range(values):
                keys.press("ArrowRight")
                texts.append(host.page.locator(f"#q-{key} .chart [role=status]").inner_text())
            assert len(set(texts)) == values and all(texts), texts
            host.page.screenshot(path=SHOTS / f"chart-value-{key}-{language}-{width}-{scheme}.png")
        host.end()
    # A tap shows a value too, on the page of participants.
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}/results")
    guest.page.wait_for_selector("#q-pace canvas")
    canvas = guest.page.locator("#q-pace canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] / 2, "y": 40})
    guest.until("() => Chart.getChart(document.querySelector('#q-pace canvas')).tooltip.opacity > 0")
    guest.end()


def values_of_comparisons_are_shown_by_keyboard(service, browser):
    form = service.form(QUESTIONS, identity="device")
    answer(service, form, *({"pace": 1 + number % 2, "role": "guest"} for number in range(4)))
    host = sign_in(Visitor(browser, service.base, width=1440), service)
    host.open(path(form, "/crosstab?rows=role&columns=pace"))
    host.page.wait_for_selector(".chart canvas")
    host.page.locator(".chart canvas").focus()
    said = host.page.locator(".chart [role=status]")
    host.page.keyboard.press("ArrowRight")
    assert said.inner_text().startswith("Guest, 1"), said.inner_text()
    host.page.keyboard.press("ArrowRight")
    assert said.inner_text().startswith("Guest, 2"), said.inner_text()
    host.check_page("crosstab-value")
    host.end()

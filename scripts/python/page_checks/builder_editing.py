"""Undo, several options at once, and folded questions in the form builder."""

from page_checks.builder import SAVE, click_and_wait, titles
from page_visitor import QUESTIONS, signed_in


def removals_and_moves_are_undone_by_button_and_keyboard(service, browser):
    questions = [{"key": key, "kind": "text", "title": title} for key, title in [("a", "One"), ("b", "Two"), ("c", "Three")]]
    for script, width, language, scheme in [
            (True, 360, "en-GB", "light"), (False, 1440, "de-DE", "dark"), (True, 1440, "ko-KR", "dark")]:
        form = service.form(questions, publish=False)
        host = signed_in(browser, service, f"/meetings/{form['meeting']}/form", script=script, width=width,
                         language=language, scheme=scheme)

        def click(button):
            if script:
                return click_and_wait(host, button)
            host.click(button)
            host.page.wait_for_load_state()

        assert host.page.locator("#undo").is_hidden()
        click('button[value="remove:0"]')
        host.page.fill("#q1-title", "Three, reworded")
        click('button[value="down:0"]')
        assert titles(host) == ["Three, reworded", "Two"]
        host.check_page(f"builder-undo-{language}")
        click("#undo")
        assert titles(host) == ["Two", "Three, reworded"]
        if script:
            # Nothing was typed since, so the key takes the removal back although a text field has the focus.
            host.page.evaluate("document.getElementById('parts').dataset.old = 'yes'")
            host.page.keyboard.press("Control+z")
            host.page.wait_for_selector("#parts:not([data-old])")
        else:
            click("#undo")
        assert titles(host) == ["One", "Two", "Three, reworded"]
        assert host.page.locator("#undo").is_hidden()
        if script:
            assert host.page.evaluate("document.activeElement.id") == "q0-title"
        host.end()


def pasted_list_becomes_options(service, browser):
    form = service.form([], publish=False)
    path = f"/meetings/{form['meeting']}/form"
    for script in [True, False]:
        host = signed_in(browser, service, path, script=script, width=360)
        host.click('button[value="add:choice"]')
        host.page.wait_for_selector("#q0-option-1")
        host.page.fill("#q0-title", "Lunch?")
        if script:
            host.page.fill("#q0-option-0", "A: ")
            host.page.evaluate("""() => {
              const data = new DataTransfer();
              data.setData("text/plain", "Soup\\r\\n\\r\\n  Rice & <b>beans</b>\\nFish\\n");
              const field = document.getElementById("q0-option-0");
              field.setSelectionRange(3, 3);
              field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
            }""")
            host.page.wait_for_selector("#q0-option-2:focus")
            host.page.wait_for_selector("#said:has-text('3 options')")
            wanted = ["A: Soup", "Rice & <b>beans</b>", "Fish", ""]
        else:
            host.click("#q0-several > summary")
            host.page.fill("#q0-lines", "Soup\nRice & <b>beans</b>\n\nFish")
            host.click('button[value="option-lines:0"]')
            host.page.wait_for_selector("#q0-option-2")
            wanted = ["Soup", "Rice & <b>beans</b>", "Fish"]
        assert [field.input_value() for field in host.page.locator("#q0 [data-option]").all()] == wanted
        host.page.evaluate("document.querySelectorAll('#q0 details').forEach((part) => { part.open = true })")
        host.check_page("builder-several")
        host.end()


def questions_are_folded_and_stay_folded(service, browser):
    form = service.form(QUESTIONS, publish=False)
    for script, width, scheme in [(True, 360, "dark"), (False, 1440, "light")]:
        host = signed_in(browser, service, f"/meetings/{form['meeting']}/form", script=script, width=width, scheme=scheme)
        host.page.focus("#q1-fold > summary")
        host.page.keyboard.press("Enter")
        assert host.page.locator("#q1-title").is_hidden() and host.page.locator("#q0-title").is_visible()
        assert QUESTIONS[1]["title"] in host.page.inner_text("#q1-fold > summary")
        if script:
            click_and_wait(host, 'button[value="up:1"]')
            assert host.page.locator("#q0-title").is_hidden(), "the question does not stay folded"
            assert host.page.locator("#q1-title").is_visible()
        host.click('button[value="fold:all"]')
        host.page.wait_for_selector("#q4-title", state="hidden")
        assert host.page.locator(".built summary:visible").count() == len(QUESTIONS)
        host.check_page("builder-folded")
        host.page.evaluate("document.querySelector('[name=\"q0.title\"]').value = ''")
        host.click(SAVE)
        host.page.wait_for_selector("#q0-title", state="visible")
        assert host.page.locator("#q2-title").is_hidden(), "only the question with a fault is unfolded"
        host.end()


def recommendation_has_its_usual_text(service, browser):
    form = service.form([], publish=False)
    for language, title in [("en-GB", "How likely"), ("de-DE", "Wie wahrscheinlich"), ("ko-KR", "추천할 의향")]:
        host = signed_in(browser, service, f"/meetings/{form['meeting']}/form", language=language)
        click_and_wait(host, 'button[value="add:nps"]')
        assert title in host.page.input_value("#q0-title") and host.page.input_value("#q0-maxLabel")
        host.page.keyboard.type("Our own words")
        assert host.page.input_value("#q0-title") == "Our own words", "typing does not replace the usual text"
        host.end()


def form_is_saved_as_a_template_used_and_deleted(service, browser):
    for script, width, language, scheme in [
            (True, 1440, "en-GB", "light"), (False, 360, "ko-KR", "dark"), (True, 360, "de-DE", "light")]:
        form = service.form(QUESTIONS, publish=False)
        name = f"Vorlage {language} & <b>"
        host = signed_in(browser, service, f"/meetings/{form['meeting']}/form", script=script, width=width,
                         language=language, scheme=scheme)
        host.click(f'a[href="/meetings/{form["meeting"]}/template"]')
        host.page.wait_for_url("**/template")
        host.page.fill("#name", " ")
        host.click("main form button")
        host.page.wait_for_selector('#name[aria-invalid="true"]')
        host.check_page(f"save-template-{language}")
        host.page.fill("#name", name)
        host.click("main form button")
        host.page.wait_for_url("**/templates")
        assert name in host.page.inner_text("main")
        host.check_page(f"templates-{language}")
        host.click("a[href*='/home?template=']")
        host.page.wait_for_url("**/home?template=*")
        assert host.page.locator("#template option:checked").inner_text() == name
        host.page.fill("#title", "Made from it")
        host.check_page(f"home-template-{language}")
        host.click(".new-meeting button")
        host.page.wait_for_url("**/meetings/*")
        made = host.page.url.rsplit("/", 1)[1]
        assert len(service.call("GET", f"/v1/meetings/{made}/form")["questions"]) == len(QUESTIONS)
        host.open("/templates")
        for part in host.page.locator("main details > summary").all():
            part.click()
        host.check_page(f"templates-open-{language}")
        host.click('button[value="delete"]')
        host.page.wait_for_selector('button[value="delete"]', state="detached")
        assert name not in host.page.inner_text("main ul, main")
        host.end()


def rounds_are_planned_on_a_weekday_of_the_month(service, browser):
    for script, width, language, year in [
            (True, 360, "en-GB", 2061), (False, 1440, "de-DE", 2062), (True, 1440, "ko-KR", 2063)]:
        form = service.form(QUESTIONS, publish=False)
        series = service.call("GET", f"/v1/meetings/{form['meeting']}")["seriesId"]
        host = signed_in(browser, service, f"/series/{series}/rounds", script=script, width=width, language=language)
        host.page.fill("#start", f"{year}-01-31T09:00")
        host.page.fill("#end", f"{year}-01-31T10:00")
        host.page.fill("#count", "2")
        host.page.fill("#interval", "0")
        host.click("#next button")
        host.page.wait_for_selector('#interval[aria-invalid="true"]')
        host.check_page(f"rounds-repeat-{language}")
        host.page.fill("#interval", "1")
        host.page.select_option("#unit", "lastWeekdays")
        host.click("#next button")
        host.page.wait_for_url("**/meetings/*")
        rounds = service.call("GET", f"/v1/meetings?from={year}-01-01&to={year}-12-31&limit=200")["items"]
        assert len([one for one in rounds if one["seriesId"] == series]) == 2
        host.end()

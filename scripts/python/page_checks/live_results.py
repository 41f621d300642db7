"""Results for people without an account, updated while they are open."""

import time

from playwright.sync_api import expect

import page_service
from page_hosts import answer
from page_service import sql
from page_visitor import QUESTIONS, Visitor, send

ANSWERS = {"pace": 4, "nps": 10, "topics": ["demo"], "role": "guest", "better": "Longer breaks"}
TOP = "(part) => part.getBoundingClientRect().top"


def share(service, form):
    """A link to the results of a form: its id, and the path of its page."""
    created = service.call("POST", f"/v1/meetings/{form['meeting']}/shares")
    return created["id"], "/r/" + created["token"]


def guest_at(service, browser, path, **settings):
    guest = Visitor(browser, service.base, **settings)
    guest.page.emulate_media(reduced_motion="reduce")
    guest.open(path)
    # Lost by a reload.
    guest.page.evaluate("window.isSamePage = true")
    return guest


def respondent_at_results(service, browser, form):
    """A person who has answered, at the results to which the receipt leads."""
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}")
    guest.pick("pace", "4")
    send(guest)
    guest.click(f"a[href='/f/{form['code']}/results']")
    expect_count(guest, 1)
    guest.page.evaluate("window.isSamePage = true")
    return guest


def expect_count(guest, count):
    expect(guest.page.locator("#results > .lead")).to_have_text("1 answer" if count == 1 else f"{count} answers")


def expect_end(guest, sentence):
    """Waits until the page says why it shows no results any more."""
    expect(guest.page.locator("#ended")).to_have_text(sentence)
    assert guest.page.locator("#ended").is_visible() and guest.page.locator("#results").count() == 0
    assert guest.page.evaluate("window.isSamePage"), "the page was loaded again"


def show(service, form, rule):
    path = f"/v1/meetings/{form['meeting']}/form"
    saved = service.call("GET", path)
    service.call(
        "PUT", path, {"title": "Results", "identity": saved["identity"], "questions": QUESTIONS, "showResults": rule},
        {"If-Match": saved["etag"]})


def shared_page_follows_the_answers_in_place(service, browser):
    form = service.form(QUESTIONS, title="Shared")
    answer(service, form, ANSWERS)
    guest = guest_at(service, browser, share(service, form)[1])
    expect_count(guest, 1)
    guest.page.locator("#q-nps details summary").click()
    guest.page.locator("#q-topics").scroll_into_view_if_needed()
    guest.page.evaluate("document.querySelectorAll('.chart canvas').forEach((canvas) => { canvas.first = true })")
    role = guest.page.locator("#q-role")
    before = role.evaluate(TOP)
    answer(service, form, {**ANSWERS, "pace": 5})
    start = time.monotonic()
    expect_count(guest, 2)
    # A second, and room for a slow machine.
    assert time.monotonic() - start < 10, "the update takes too long"
    assert guest.page.locator("#q-nps details").get_attribute("open") is not None, "an update closes the details"
    assert guest.page.evaluate("scrollY") > 0 and abs(role.evaluate(TOP) - before) < 2, "an update moves the page"
    assert guest.page.evaluate("[...document.querySelectorAll('.chart canvas')].every((canvas) => canvas.first)")
    guest.check_page("shared-live")
    # Texts appear when they are released, and go when they are hidden.
    assert guest.page.locator("blockquote").count() == 0
    texts = f"/v1/meetings/{form['meeting']}/results/better"
    service.call("POST", texts + "/release")
    expect(guest.page.locator("blockquote")).to_have_count(2)
    first = service.call("GET", texts + "/answers")["items"][0]["id"]
    service.call("POST", f"{texts}/answers/{first}/hide")
    expect(guest.page.locator("blockquote")).to_have_count(1)
    assert guest.page.evaluate("window.isSamePage"), "the page was loaded again"
    guest.end()


def shared_page_shows_withheld_answers_only_once_released(service, browser):
    form = service.form(QUESTIONS, title="Shared in groups", anonymous=True, minimumGroup=3)
    guest = guest_at(service, browser, share(service, form)[1])
    for count in range(1, 7):
        answer(service, form, ANSWERS)
        expect_count(guest, count)
        shown = 3 if count == 6 else 0
        assert guest.page.locator("#q-pace tr[data-count='3']").count() == (1 if shown else 0), count
        assert guest.page.locator(f"#q-pace tr[data-count='{count}']").count() == 0, count
    assert guest.page.locator("#results > .promise").is_visible()
    guest.end()


def shared_page_ends_with_its_link(service, browser):
    form = service.form(QUESTIONS, title="Ending")
    answer(service, form, ANSWERS)
    shares = [share(service, form) for _ in range(3)]
    guests = [guest_at(service, browser, path) for _, path in shares]
    for guest in guests:
        expect_count(guest, 1)
    service.call("DELETE", f"/v1/meetings/{form['meeting']}/shares/{shares[0][0]}")
    expect_end(guests[0], "This link no longer works.")
    guests[0].check_page("shared-ended")
    answer(service, form, ANSWERS)
    for guest in guests[1:]:
        expect_count(guest, 2)
    sql(service, f"UPDATE share SET expires_at = clock_timestamp() WHERE id = '{shares[1][0]}'")
    expect_end(guests[1], "This link no longer works.")
    service.call("DELETE", f"/v1/meetings/{form['meeting']}")
    expect_end(guests[2], "These results are no longer available.")
    for guest in guests:
        guest.end()


def results_of_participants_update_until_they_are_hidden(service, browser):
    form = service.form(QUESTIONS, title="Results", identity="device", showResults="afterSubmission")
    guest = respondent_at_results(service, browser, form)
    answer(service, form, ANSWERS)
    expect_count(guest, 2)
    guest.check_page("participant-live")
    show(service, form, "never")
    expect_end(guest, "These results are not shown.")
    guest.check_page("participant-ended")
    guest.end()


def results_stay_when_the_receipt_of_a_shared_screen_expires(service, browser):
    form = service.form(QUESTIONS, title="Results", identity="open", showResults="afterSubmission")
    guest = respondent_at_results(service, browser, form)
    # The stream is open.
    answer(service, form, ANSWERS)
    expect_count(guest, 2)
    guest.context.clear_cookies()
    answer(service, form, ANSWERS)
    expect(guest.page.locator("#ended")).to_be_visible()
    assert guest.page.locator("#ended").inner_text() == "This page no longer updates."
    expect_count(guest, 2)
    # The stream was opened with the receipt. It says when the results are hidden.
    show(service, form, "never")
    expect_end(guest, "These results are not shown.")
    guest.end()


def live_results_survive_a_lost_network_and_a_restart(service, browser):
    with page_service.service() as own:
        form = own.form(QUESTIONS, title="Lost", identity="device", showResults="afterSubmission")
        guests = [respondent_at_results(own, browser, form), guest_at(own, browser, share(own, form)[1])]
        for guest in guests:
            guest.context.set_offline(True)
        answer(own, form, ANSWERS)
        for guest in guests:
            guest.context.set_offline(False)
        for guest in guests:
            expect_count(guest, 2)
        own.restart()
        answer(own, form, ANSWERS)
        for guest in guests:
            expect_count(guest, 3)
            assert guest.page.locator("#ended").is_hidden() and guest.page.evaluate("window.isSamePage")
            guest.end()

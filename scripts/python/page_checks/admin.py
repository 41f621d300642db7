"""Admin pages and their access control."""

import contextlib
import re
import subprocess

from page_service import psql, sql
from page_visitor import NASTY, QUESTIONS, Visitor, signed_in

PLACES = ["accounts", "invitations", "organisation", "audit", "health", "exports"]


def admin_pages_are_accessible(service, browser):
    service.form(QUESTIONS, title=NASTY)
    for script, width, language, scheme in [
            (True, 360, "en-GB", "light"), (True, 1440, "ko-KR", "dark"), (True, 360, "de-DE", "dark"),
            (False, 1440, "en-GB", "light")]:
        admin = signed_in(
            browser, service, "/admin/accounts", script=script, width=width, language=language, scheme=scheme)
        for place in PLACES:
            assert admin.open("/admin/" + place).status == 200, place
            assert admin.page.locator("nav.admin-places [aria-current]").count() == 1
            admin.check_page(f"admin-{place}-{language}")
        admin.end()


def hosts_cannot_use_admin_pages(service, browser):
    password = service.host("plain-host@example.org")
    host = signed_in(browser, service, "/home", "plain-host@example.org", password)
    for place in PLACES:
        assert host.open("/admin/" + place).status == 403, place
    assert host.open("/admin/exports/file?what=summary").status == 403
    assert "afterword" not in host.page.inner_text("main").lower()
    host.check_page("not-allowed")
    host.open("/home")
    for path, form in [("/admin/accounts", {"act": "erase", "sure": "on", "email": service.email}),
                       ("/admin/invitations", {"act": "make"})]:
        token = host.page.locator('input[name="csrf"]').first.get_attribute("value")
        answer = host.page.request.post(service.base + path, form={"csrf": token, **form})
        assert answer.status == 403, path
    host.end()
    stranger = Visitor(browser, service.base)
    for place in PLACES:
        stranger.open("/admin/" + place)
        assert "/sign-in?next=" in stranger.page.url, place
    stranger.end()


def accounts_are_found_changed_and_disabled(service, browser):
    email = "somebody@example.org"
    service.host(email, "Some " + NASTY)
    admin = signed_in(browser, service, "/admin/accounts")
    admin.page.fill("#q", "somebody@")
    admin.click("form.finder button")
    admin.page.wait_for_url("**q=somebody**")
    assert admin.page.locator(".list li").count() == 1
    assert admin.page.inner_text(".list h2") == "Some " + NASTY
    for action, removed in [("admin", "admin"), ("host", "host"), ("disable", "disable")]:
        admin.click(f'button[value^="{action}:"]')
        admin.page.wait_for_selector(f'button[value^="{removed}:"]', state="detached")
        assert "q=somebody" in admin.page.url, "the search is lost"
    admin.check_page("admin-shut-out")
    visitor = Visitor(browser, service.base)
    visitor.open("/sign-in")
    visitor.page.fill("#email", email)
    visitor.page.fill("#password", "a long password")
    visitor.click("main form button")
    visitor.page.wait_for_selector("[role=alert]")
    visitor.end()
    admin.click('button[value^="enable:"]')
    admin.page.wait_for_selector('button[value^="disable:"]')
    # The only admin can't give up the role.
    admin.open("/admin/accounts?q=" + service.email)
    assert admin.page.locator('button[value^="host:"]').count() == 0
    sql(service, f"UPDATE account SET role = 'admin' WHERE email = '{email}'")
    admin.open("/admin/accounts?q=" + service.email)
    assert "Stop being an admin" in admin.page.inner_text('button[value^="host:"]')
    sql(service, f"UPDATE account SET role = 'host' WHERE email = '{email}'")
    admin.click('button[value^="host:"]')
    admin.page.wait_for_selector("[role=alert]")
    admin.check_page("admin-last")
    admin.open("/admin/audit?act=account.change")
    admin.end()


def erasure_requires_confirmation(service, browser):
    email = "leaving@example.org"
    service.host(email)
    admin = signed_in(browser, service, "/admin/accounts", script=False)
    admin.click("details > summary")
    admin.page.fill("#email", email)
    admin.click('button[value="erase"]')
    admin.page.wait_for_selector('#sure[aria-invalid="true"]')
    assert admin.page.input_value("#email") == email
    service.call("POST", "/v1/sessions", {"email": email, "password": "a long password"})
    admin.page.fill("#email", "no address")
    admin.page.check("#sure")
    admin.click('button[value="erase"]')
    admin.page.wait_for_selector('#email[aria-invalid="true"]')
    admin.page.fill("#email", email)
    admin.click('button[value="erase"]')
    admin.page.wait_for_selector("dl.numbers")
    admin.check_page("admin-erased")
    admin.open("/admin/accounts?q=" + email)
    assert admin.page.locator(".list li").count() == 0
    admin.end()


def invitation_code_is_shown_once_and_can_be_withdrawn(service, browser):
    admin = signed_in(browser, service, "/admin/invitations")
    admin.page.fill("#email", "no address")
    admin.page.fill("#note", NASTY)
    admin.click('button[value="make"]')
    admin.page.wait_for_selector('#email[aria-invalid="true"]')
    assert admin.page.input_value("#note") == NASTY
    admin.page.fill("#email", "")
    admin.click('button[value="make"]')
    admin.page.wait_for_selector("#once")
    code, link = admin.page.inner_text(".join"), admin.page.input_value("#once")
    admin.check_page("admin-invitation-made")
    admin.open("/admin/invitations")
    assert code not in admin.page.inner_text("main") and NASTY in admin.page.inner_text("main")
    admin.click('button[value^="withdraw:"]')
    admin.page.wait_for_selector('button[value^="withdraw:"]', state="detached")
    visitor = Visitor(browser, service.base)
    visitor.page.goto(link)
    assert visitor.page.input_value("#invitation") == code
    visitor.page.fill("#name", "Too late")
    visitor.page.fill("#email", "late@example.org")
    visitor.click("form button")
    visitor.page.wait_for_selector("[role=alert]:has-text('no longer works')")
    assert visitor.page.input_value("#invitation") == code, "the invitation code is lost"
    visitor.end()
    admin.end()


def audit_trail_is_filtered_and_paged(service, browser):
    form = service.form(QUESTIONS, title="Audited " + NASTY)
    for _ in range(30):
        service.call("POST", f"/v1/meetings/{form['meeting']}/form/close")
        service.call("POST", f"/v1/meetings/{form['meeting']}/form/reopen")
    admin = signed_in(browser, service, "/admin/audit", width=1440)
    rows = admin.page.locator(".trail tbody tr")
    assert rows.count() == 50 and "Form: opened again" in rows.nth(1).inner_text()
    admin.click('a[href*="cursor="]')
    admin.page.wait_for_url("**cursor=**")
    assert rows.count() > 0
    admin.open("/admin/audit")
    admin.page.select_option("#act", label="Form: closed")
    admin.page.fill("#account", service.email.upper())
    admin.click("form.finder button")
    admin.page.wait_for_url("**act=form.close**")
    assert set(admin.page.locator(".trail tbody th").all_inner_texts()) == {"Form: closed"}
    assert admin.page.input_value("#act") == "form.close"
    admin.click(rows.first.locator(f'a[href="/meetings/{form["meeting"]}"]'))
    assert "Audited " + NASTY in admin.page.inner_text("h1")
    admin.page.go_back()
    admin.click(rows.first.locator('a[href*="subject="]'))
    admin.page.wait_for_url("**subject=**")
    assert {"Form: closed", "Form: opened again"} == set(admin.page.locator(".trail tbody th").all_inner_texts())
    admin.click(rows.first.locator('a[href*="account="]'))
    admin.page.wait_for_url("**account=**")
    assert admin.page.input_value("#account") == service.email, "the field shows an id instead of the address"
    admin.open("/admin/audit?account=nobody@example.org")
    assert admin.page.locator('#account[aria-invalid="true"]').count() == 1 and rows.count() == 0
    assert admin.page.input_value("#account") == "nobody@example.org"
    admin.check_page("admin-audit-fault")
    admin.open("/admin/audit?act=nothing")
    admin.check_page("admin-audit-none")
    for wrong in ["from=soon", "subject=nobody", "to=2026-02-31"]:
        assert admin.open("/admin/audit?" + wrong).status == 422, wrong
        assert admin.page.locator("main .fault").count() == 1, wrong
    admin.end()


def audit_trail_shows_details_and_times_in_the_admins_zone(service, browser):
    service.host("audited@example.org", "Aud Ited")
    admin = signed_in(browser, service, "/admin/accounts?q=audited@example.org", width=1440)
    admin.click('button[value^="admin:"]')
    admin.page.wait_for_selector('button[value^="host:"]')
    admin.click('button[value^="host:"]')
    admin.page.wait_for_selector('button[value^="admin:"]')
    me = service.call("GET", "/v1/me")
    service.call("PATCH", "/v1/me", {"timeZone": "Pacific/Kiritimati"}, {"If-Match": me["etag"]})
    # Midnight in that zone is far from midnight in UTC.
    condition = "act = 'account.role' AND subject_id = (SELECT id FROM account WHERE email = 'audited@example.org') AND detail->>'to'"
    sql(service, f"UPDATE audit SET at = '2026-03-04T09:59:59Z' WHERE {condition} = 'admin'")
    sql(service, f"UPDATE audit SET at = '2026-03-04T10:00:00Z' WHERE {condition} = 'host'")
    admin.open("/admin/audit?act=account.role&to=2026-03-04")
    rows = admin.page.locator(".trail tbody tr")
    assert "Pacific/Kiritimati" in admin.page.inner_text("main")
    assert rows.count() == 1 and "4 Mar 2026 at 23:59" in rows.first.inner_text()
    assert admin.page.locator(".trail dl").all_inner_texts() == ["Before Host\nNow Admin"] or \
        "Now\nAdmin" in rows.first.inner_text(), rows.first.inner_text()
    assert "{" not in admin.page.inner_text(".trail")
    admin.click(rows.first.get_by_role("link", name="Aud Ited", exact=True))
    admin.page.wait_for_url("**/admin/accounts?q=audited**")
    admin.open("/admin/audit?act=account.role&from=2026-03-05&to=2026-03-05")
    assert rows.count() == 1 and "5 Mar 2026 at 0:00:00" in rows.first.inner_text().replace("at 00:", "at 0:"), rows.first.inner_text()
    admin.end()
    for width, scheme, language in [
            (360, "dark", "ko-KR"), (360, "light", "de-DE"), (360, "light", "en-GB"), (1440, "light", "en-GB")]:
        narrow = signed_in(browser, service, "/admin/audit", width=width, scheme=scheme, language=language)
        cut = narrow.page.evaluate("""[...document.querySelectorAll(".trail td, .trail th")].filter(cell => {
            const box = cell.getBoundingClientRect();
            return box.width > 1 && box.right > innerWidth;
        }).length""")
        assert cut == 0, "cells extend beyond the screen"
        narrow.check_page(f"admin-trail-{language}")
        narrow.end()
    tag = service.call("GET", "/v1/me")["etag"]
    service.call("PATCH", "/v1/me", {"timeZone": None}, {"If-Match": tag})


@contextlib.contextmanager
def locked(service, table):
    """Locks the table exclusively, like a rewrite does."""
    session = subprocess.Popen(psql(service), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    session.stdin.write(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT 'held';\n")
    session.stdin.flush()
    assert session.stdout.readline() == "held\n"
    try:
        yield
    finally:
        session.stdin.close()
        session.wait(timeout=20)


def admins_see_the_size_of_the_database(service, browser):
    service.form(QUESTIONS)
    # Not due during the check, so that it keeps waiting.
    sql(service, """
        INSERT INTO outbox (id, kind, recipient, subject, body, created_at, next_try_at)
        VALUES ('00000000-0000-7000-8000-000000000000', 'test', 'a@example.org', 's', 'b', '2020-01-02T08:00:00Z',
            now() + interval '1 day');
        ANALYZE""")
    storage = service.call("GET", "/v1/admin/storage")
    for script, width, language, scheme, words in [
            (True, 360, "en-GB", "light", ["Version of the program", "Size of the database", "The largest tables"]),
            (True, 1440, "ko-KR", "dark", ["프로그램 버전", "데이터베이스 크기", "가장 큰 테이블"]),
            (True, 360, "de-DE", "dark", ["Version des Programms", "Größe der Datenbank", "Die größten Tabellen"]),
            (False, 1440, "en-GB", "dark", ["Version of the program", "Mails waiting"])]:
        admin = signed_in(
            browser, service, "/admin/health", script=script, width=width, language=language, scheme=scheme)
        main = admin.page.inner_text("main")
        assert all(text in main for text in words), main
        facts = admin.page.locator("dl.card dd").all_inner_texts()
        assert facts[0] == storage["program"] != "", facts
        size, postgres, meetings, submissions, mails, deliveries = admin.page.locator(".storage dd").all_inner_texts()
        # German has a comma for the decimals and points between thousands.
        swapped = str.maketrans(".,", ",.") if language == "de-DE" else {}
        assert re.fullmatch(r"\d+(\.\d+)? MB", size.translate(swapped)) and postgres == storage["postgres"]
        numbers = [f"{storage['meetings']:,}", f"{storage['submissions']['count']:,}"]
        assert [meetings.translate(swapped), submissions.translate(swapped)] == numbers
        assert re.match(r"\d+, since .*2020|\d+건, 2020.*부터|\d+, seit .*2020", mails), mails
        assert deliveries[0].isdigit(), deliveries
        names = admin.page.locator(".storage tbody th").all_inner_texts()
        assert len(names) == 8 and set(names) <= {table["name"] for table in storage["tables"]}
        assert all(rows[0].isdigit() for rows in admin.page.locator(".storage td:last-child").all_inner_texts())
        admin.check_page(f"admin-storage-{language}")
        admin.end()
    sql(service, "DELETE FROM outbox WHERE id = '00000000-0000-7000-8000-000000000000'")


def locked_table_hides_only_storage_sizes(service, browser):
    admin = signed_in(browser, service, "/admin/health")
    with locked(service, "timeline"):
        assert admin.open("/admin/health").status == 200
        assert "The database cannot report this" in admin.page.inner_text(".storage")
        assert admin.page.locator("dl.card dd").count() > 5
        admin.check_page("admin-storage-none")
    admin.open("/admin/health")
    assert admin.page.locator(".storage dd").count() == 6
    admin.end()


def admin_exports_are_downloaded_as_files(service, browser):
    service.form(QUESTIONS, meeting={
        "startsAt": "2032-05-04T09:00:00Z", "endsAt": "2032-05-04T10:00:00Z", "timeZone": "UTC"}, title="Exported")
    admin = signed_in(browser, service, "/admin/exports")
    assert admin.page.input_value("#format") == "xlsx", "xlsx is not the default format"
    with admin.page.expect_download() as download:
        admin.click("button.send")
    assert open(download.value.path(), "rb").read(2) == b"PK"
    assert download.value.suggested_filename == "summary.xlsx", download.value.suggested_filename
    admin.page.select_option("#what", "meetings")
    admin.page.select_option("#format", "csv")
    admin.page.fill("#from", "2032-05-04")
    admin.page.fill("#to", "2032-05-04")
    with admin.page.expect_download() as download:
        admin.click("button.send")
    assert download.value.suggested_filename == "meetings-2032-05-04.csv", download.value.suggested_filename
    text = open(download.value.path(), encoding="utf-8-sig").read()
    assert "Exported" in text and len(text.strip().splitlines()) == 2, "the export does not match the chosen day"
    admin.page.fill("#from", "2032-05-06")
    admin.click("button.send")
    admin.page.wait_for_selector('#to[aria-invalid="true"]')
    fault = admin.page.inner_text("main")
    assert "The last day is before the first." in fault and "must end" not in fault, fault
    assert admin.page.input_value("#from") == "2032-05-06" and admin.page.input_value("#what") == "meetings"
    admin.check_page("admin-exports-fault")
    admin.end()


def audit_trail_names_the_command_line_and_questions(service, browser):
    service.host("by-hand@example.org", "Hand Made")
    form = service.form(QUESTIONS, title="Town hall 1", identity="open")
    meeting = "/v1/meetings/" + form["meeting"]
    service.call("POST", meeting + "/results/better/release")
    for width, scheme, language in [(1440, "light", "en-GB"), (360, "dark", "ko-KR"), (360, "light", "de-DE")]:
        admin = signed_in(browser, service, "/admin/audit", width=width, scheme=scheme, language=language)
        admin.open("/admin/audit?act=account.create")
        row = admin.page.locator(".trail tbody tr", has_text="Hand Made").first
        actor = row.locator("td").nth(1)
        assert actor.inner_text().split("\n")[-1] in (
            "The server’s command line", "서버 명령줄", "Die Befehlszeile des Servers"), actor.inner_text()
        assert row.locator("dl").count() == 0
        admin.open("/admin/audit?act=answers.release")
        row = admin.page.locator(".trail tbody tr").first
        assert "What should we change?" in row.inner_text() and "#1" not in row.inner_text(), row.inner_text()
        admin.check_page("admin-audit-named")
        admin.end()

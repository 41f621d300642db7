"""Repeated and forged requests, live pages that end, and viewers."""

import http.client
import re
import socket
import urllib.parse

from page_hosts import PASSWORD, HostAPI, account, signed_in
from page_visitor import QUESTIONS, Visitor, send


def post(host, base, path, fields, **headers):
    page = host.context.request.get(base + "/home", headers={"Accept": "text/html"}).text()
    token = re.search(r'name="csrf" value="([^"]+)"', page)[1]
    return host.context.request.post(
        base + path, form={"csrf": token, **fields}, headers=headers, max_redirects=0)


def repeated_request_does_not_overwrite_the_meeting(service, browser):
    api = HostAPI(service, account(service, "twice@example.org"))
    host = signed_in(service, browser, "twice@example.org", PASSWORD)
    fields = {"key": "a-key-of-one-click-0123456789", "title": "Once", "template": "retro", "zone": "UTC"}
    first = post(host, service.base, "/home", fields)
    assert first.status == 303, first.status
    meeting = first.headers["location"].split("/")[2]
    form = api.call("GET", f"/v1/meetings/{meeting}/form")
    assert form["identity"] == "device"
    path = f"/v1/meetings/{meeting}/form"
    api.call("PUT", path, {"title": "Once", "identity": "open", "questions": form["questions"]}, {"If-Match": form["etag"]})
    published = api.call("POST", path + "/publish")
    again = post(host, service.base, "/home", fields)
    assert again.status == 303 and again.headers["location"] == first.headers["location"]
    now = api.call("GET", path)
    assert (now["identity"], now["version"]) == ("open", published["version"]), now
    host.end()


def live_page_says_when_its_updates_have_ended(service, browser):
    api = HostAPI(service, account(service, "ended@example.org"))
    form = api.form(QUESTIONS)
    host = signed_in(service, browser, "ended@example.org", PASSWORD, width=1440)
    host.open(f"/meetings/{form['meeting']}/results")
    assert host.page.locator("#ended").is_hidden()
    other = host.context.new_page()
    other.goto(service.base + "/home")
    other.click(".host-bar button")
    host.page.locator("#ended").wait_for(state="visible", timeout=90_000)
    host.check_page("results-ended")
    host.end()


def viewers_are_offered_only_permitted_actions(service, browser):
    api = HostAPI(service, account(service, "shown@example.org"))
    form = api.form(QUESTIONS)
    account(service, "looks@example.org")
    api.call("POST", f"/v1/series/{form['checkIn']['seriesId']}/hosts", {"email": "looks@example.org", "role": "viewer"})
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}")
    guest.pick("pace", "4")
    guest.page.fill("textarea", "More tea")
    send(guest)
    guest.end()
    viewer = signed_in(service, browser, "looks@example.org", PASSWORD, width=1440)
    for path in ["", "/shares", "/now", "/results", "/results/better", "/report", "/crosstab"]:
        viewer.open(f"/meetings/{form['meeting']}{path}")
        buttons = viewer.page.locator("main button[name=act]")
        assert buttons.count() == 0, (path, buttons.all_inner_texts())
        for link in viewer.page.locator("main a[href^='/meetings/']").all():
            address = link.get_attribute("href").split("#")[0]
            assert viewer.context.request.get(service.base + address).status == 200, (path, address)
    assert "More tea" in viewer.page.goto(f"{service.base}/meetings/{form['meeting']}/results/better").text()
    for path in ["", "/rounds"]:
        viewer.open(f"/series/{form['checkIn']['seriesId']}{path}")
        for link in viewer.page.locator("main a[href^='/series/']").all():
            address = link.get_attribute("href").split("#")[0]
            assert viewer.context.request.get(service.base + address).status == 200, (path, address)
    for path in ["/form", "/edit"]:
        assert viewer.open(f"/meetings/{form['meeting']}{path}").status == 403, path
        viewer.check_page("viewer-refused")
    viewer.end()


def viewers_of_a_named_form_download_no_names(service, browser):
    api = HostAPI(service, account(service, "named@example.org"))
    form = api.form(QUESTIONS, identity="attendee")
    series, meeting = form["checkIn"]["seriesId"], form["meeting"]
    account(service, "peeks@example.org")
    api.call("POST", f"/v1/series/{series}/hosts", {"email": "peeks@example.org", "role": "viewer"})
    person = api.call("POST", f"/v1/meetings/{meeting}/attendees", {"name": "Nina Named", "email": "nina@example.org"})
    link = api.call("POST", f"/v1/meetings/{meeting}/attendees/{person['id']}/link")
    guest = Visitor(browser, service.base)
    guest.open(f"/f/{form['code']}?t={link['token']}")
    guest.pick("pace", "4")
    send(guest)
    guest.end()
    for email, sees_names, label in [
            ("named@example.org", True, "One row per completed form"),
            ("peeks@example.org", False, "One row per completed form, without names")]:
        host = signed_in(service, browser, email, PASSWORD, width=1440)
        host.open(f"/meetings/{meeting}/results")
        rows = [row.split("\n")[0].split(" XLSX")[0].strip() for row in host.page.locator(".downloads li").all_inner_texts()]
        assert label in rows, rows
        respondents = host.page.locator("p:has(> strong:text('Who answered'))")
        assert ("your downloads have no names" in respondents.inner_text()) != sees_names
        assert (respondents.locator("a").count() == 2) == sees_names
        host.check_page(f"downloads-named-{sees_names}")
        addresses = [link.get_attribute("href") for link in host.page.locator(".downloads a").all()]
        host.open(f"/series/{series}")
        more = [link.get_attribute("href") for link in host.page.locator(".downloads a").all()]
        assert any("attendance" in address for address in more) == sees_names, more
        names = 0
        for address in addresses + more:
            answer = host.context.request.get(service.base + address)
            assert answer.status == 200, address
            names += ".csv" in address and "nina@example.org" in answer.text()
        assert names == (2 if sees_names else 0), names
        host.end()


def cross_site_requests_are_refused(service, browser):
    api = HostAPI(service, account(service, "target@example.org"))
    form = api.form(QUESTIONS)
    host = signed_in(service, browser, "target@example.org", PASSWORD)
    path = f"/meetings/{form['meeting']}"
    refused = post(host, service.base, path, {"act": "close"}, **{"Sec-Fetch-Site": "cross-site"})
    assert refused.status == 403, refused.status
    assert api.call("GET", f"/v1{path}/form")["state"] == "open"
    assert post(host, service.base, path, {"act": "close"}).status == 303
    host.end()


def refused_requests_are_answered_before_their_body_arrives(service, browser):
    address = urllib.parse.urlsplit(service.base)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(
            b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 99999999\r\n\r\n")
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    assert re.match(rb"HTTP/1.1 415 ", answer), answer[:200]
    assert b"connection: close" in answer.lower().split(b"\r\n\r\n")[0]


def pages_do_not_link_to_other_hosts(service, browser):
    address = urllib.parse.urlsplit(service.base)
    for path in ["//evil.example/x", "/\\evil.example", "/x//evil.example"]:
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        connection.request("GET", path, headers={"Accept": "text/html"})
        answer = connection.getresponse()
        links = re.findall(r'href="([^"]*lang=ko[^"]*)"', answer.read().decode())
        assert answer.status == 404 and links and not any(re.match(r"[/\\\\]{2}", link) for link in links), (path, links)
        connection.close()


def preview_requires_permission_to_edit(service, browser):
    owner = HostAPI(service, account(service, "previews@example.org"))
    account(service, "previewer@example.org")
    form = owner.form(QUESTIONS)
    series, meeting = form["checkIn"]["seriesId"], form["checkIn"]["id"]
    owner.call("POST", f"/v1/series/{series}/hosts", {"email": "previewer@example.org", "role": "viewer"})
    viewer = signed_in(service, browser, "previewer@example.org", PASSWORD)
    for path, fields in [("/form/preview", {}), ("/form", {"act": "add:text"})]:
        assert post(viewer, service.base, f"/meetings/{meeting}{path}", fields).status == 403, path
    viewer.end()
    host = signed_in(service, browser, "previews@example.org", PASSWORD)
    answer = host.context.request.post(
        f"{service.base}/meetings/{meeting}/form/preview", form={"csrf": "x", "title": "Typed"}, max_redirects=0)
    assert answer.status == 403 and 'value="Typed"' in answer.text()
    assert post(host, service.base, f"/meetings/{meeting}/form/preview", {"title": "Typed"}).status == 200
    host.end()

"""How the main pages look, compared with pictures that are kept.

A picture is kept in grey and reduced to a point for each 16 × 16 pixels, so that it is small, and so that other
antialiasing, a date or a code makes no difference, but a moved column, a lost style or a wrong colour does. After a
change that is meant, look at the pages in .build/screenshots, and renew the pictures:

    RENEW_LOOKS=1 scripts/check-pages pages_look_as_before
"""

import io
import os
import pathlib

from PIL import Image, ImageChops

from page_hosts import PASSWORD, HostAPI, account, answer, signed_in
from page_visitor import QUESTIONS, SHOTS, Visitor, send

KEPT = pathlib.Path(__file__).parent / "looks"
POINT = 16
# A point differs if its grey does by this, of 255; a page if this share of its points does.
GREY, SHARE = 20, 0.02
# What differs from run to run: codes, addresses and moments.
CHANGING = "img.code, code, time, .code, .address"
SIZES = [(1440, "light"), (360, "dark")]
ANSWERS = [
    {"pace": 4, "nps": 10, "topics": ["demo"], "role": "guest", "better": "Longer breaks"},
    {"pace": 5, "nps": 3, "topics": ["demo", "talk"], "role": "member", "better": "More demos"},
    {"pace": 2, "nps": 9, "topics": ["talk"], "role": "guest"},
]


def points(shot):
    return Image.open(io.BytesIO(shot)).convert("L").reduce(POINT)


def difference(kept, seen):
    """The share of the points that differ, and the rows where they are. A page of another height differs below it."""
    width, height = max(kept.width, seen.width), max(kept.height, seen.height)
    both = [Image.new("L", (width, height), 0 if image is kept else 255) for image in (kept, seen)]
    for canvas, image in zip(both, (kept, seen)):
        canvas.paste(image)
    changed = ImageChops.difference(*both).point(lambda grey: 255 if grey >= GREY else 0)
    box = changed.getbbox()
    return changed.histogram()[255] / (width * height), (box[1] * POINT, box[3] * POINT) if box else None


def compare(visitor, name):
    """Returns what is wrong, if anything is."""
    page, name = visitor.page, f"{name}-{visitor.width}-{visitor.scheme}"
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement?.blur()")
    page.wait_for_load_state("networkidle")
    shot = page.screenshot(full_page=True, animations="disabled", mask=[page.locator(CHANGING)], mask_color="#808080")
    (SHOTS / f"look-{name}.png").write_bytes(shot)
    seen, path = points(shot), KEPT / f"{name}.png"
    if os.environ.get("RENEW_LOOKS"):
        KEPT.mkdir(exist_ok=True)
        seen.save(path, optimize=True)
        return None
    if not path.exists():
        return f"{name}: no picture is kept"
    share, rows = difference(Image.open(path), seen)
    return f"{name}: {share:.1%} differ, from {rows[0]} to {rows[1]} px" if share > SHARE else None


def pages_look_as_before(service, browser):
    wrong = []
    for width, scheme in SIZES:
        api = HostAPI(service, account(service, f"looks-{width}@example.org"))
        meeting = {"startsAt": "2026-03-02T09:00:00Z", "endsAt": "2026-03-02T10:00:00Z"}
        form = api.form(QUESTIONS, title="Retro of the week", meeting=meeting)
        answer(service, form, *ANSWERS)
        host = signed_in(
            service, browser, f"looks-{width}@example.org", PASSWORD, width=width, scheme=scheme, zone="UTC")
        host.page.emulate_media(reduced_motion="reduce")
        path = f"/meetings/{form['meeting']}"
        series = api.call("GET", f"/v1/meetings/{form['meeting']}")["seriesId"]
        for name, address in [
                ("components", "/docs/components"), ("builder", path + "/form"), ("meeting", path),
                ("results", path + "/results"), ("series", f"/series/{series}"), ("stage", path + "/stage"),
                ("account", "/account")]:
            host.open(address)
            wrong.append(compare(host, name))
        host.end()
        guest = Visitor(browser, service.base, width=width, scheme=scheme, zone="UTC")
        for name, address in [("sign-in", "/sign-in"), ("join", "/"), ("form", f"/f/{form['code']}")]:
            guest.open(address)
            wrong.append(compare(guest, name))
        guest.pick("pace", "4")
        send(guest)
        wrong.append(compare(guest, "sent"))
        guest.end()
    wrong = [each for each in wrong if each]
    assert not wrong, "\n".join(["other than the kept pictures (see page_checks/looks.py):", *wrong])


def a_moved_column_is_found(service, browser):
    """Shows that the comparison finds what it is for, and passes over what it is not for."""
    visitor = Visitor(browser, service.base, width=1440)
    visitor.open("/docs/components")
    shot = lambda: points(visitor.page.screenshot(full_page=True, animations="disabled"))
    before = shot()
    visitor.page.evaluate("document.querySelector('main p').textContent += ' 12:34'")
    assert difference(before, shot())[0] <= SHARE, "a few letters make a difference"
    visitor.page.evaluate("document.querySelector('main').style.paddingLeft = '48px'")
    assert difference(before, shot())[0] > SHARE, "a moved column makes no difference"
    visitor.page.reload()
    visitor.page.evaluate("document.querySelectorAll('button').forEach((each) => each.style.background = '#fff')")
    visitor.page.evaluate("document.querySelector('link[rel=stylesheet]').remove()")
    assert difference(before, shot())[0] > SHARE, "a lost stylesheet makes no difference"
    visitor.end()

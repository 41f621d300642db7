"""The name, logo and colour of the organisation, and the pictures of forms."""

import struct
import zlib

import page_service
from page_visitor import NASTY, QUESTIONS, Visitor, send, signed_in

# A yellow is unreadable on white, a dark blue on black.
COLOURS = ["#ffd200", "#10204a"]
VIEWS = [(360, "light", "en-GB"), (768, "dark", "ko-KR"), (1440, "dark", "de-DE"), (1920, "light", "en-GB")]


def png(width, height):
    """A picture with a slow gradient and a pattern, which is opaque."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(
        b"\0" + bytes(
            value for x in range(width)
            for value in (40 + 160 * x // width, 90 + 120 * y // height, 120 + 40 * ((x // 40 + y // 40) % 2)))
        for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def upload(visitor, field, content, name="picture.png", kind="image/png"):
    visitor.page.set_input_files(field, files=[{"name": name, "mimeType": kind, "buffer": content}])


def organisation_is_on_all_pages(service, browser):
    # The organisation is that of a whole service, so other checks must not share it.
    with page_service.service() as own:
        form = own.form(QUESTIONS, identity="device", showResults="always", title=NASTY)
        admin = signed_in(browser, own, "/admin/organisation")
        admin.check_page("organisation-empty")
        upload(admin, "#logo", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
        admin.page.fill("#name", "Nachbarschaftsverein Süd-Ost & Freunde der guten Gespräche")
        admin.click('button[value="save"]')
        admin.page.wait_for_selector("#logo-fault")
        assert admin.page.input_value("#name").startswith("Nachbarschaft")
        admin.check_page("organisation-fault")
        admin.page.fill("#accent", COLOURS[0])
        assert admin.page.input_value("#picked") == COLOURS[0], "the picker does not follow the text"
        admin.click('button[value="save"]')
        admin.page.wait_for_selector(".shade")
        for logo, colour in zip([None, png(400, 120)], COLOURS):
            if logo:
                upload(admin, "#logo", logo)
                admin.page.evaluate(
                    "color => { picked.value = color; picked.dispatchEvent(new Event('input')); }", colour)
                assert admin.page.input_value("#accent") == colour, "the text does not follow the picker"
                admin.click('button[value="save"]')
                admin.page.wait_for_selector(".organisation-logo")
            name = "organisation-" + ("logo" if logo else "name")
            for width, scheme, language in VIEWS:
                host = signed_in(
                    browser, own, "/admin/organisation", width=width, scheme=scheme, language=language)
                host.check_page(name)
                for path, part in [("/home", "home"), (f"/meetings/{form['meeting']}/results", "results")]:
                    host.open(path)
                    host.check_page(f"{name}-{part}")
                host.end()
                guest = Visitor(browser, own.base, width=width, scheme=scheme, language=language)
                guest.open(f"/f/{form['code']}")
                guest.check_page(name + "-form")
                guest.pick("pace", "4")
                send(guest)
                guest.check_page(name + "-sent")
                guest.open(f"/f/{form['code']}/results")
                guest.check_page(name + "-shared")
                guest.end()
        admin.end()


def picture_of_a_form_moves_nothing(service, browser):
    form = service.form(QUESTIONS, identity="device", intro="Two minutes.")
    edit = f"/meetings/{form['meeting']}/edit"
    for script in [False, True]:
        host = signed_in(browser, service, edit, script=script)
        upload(host, "#image", png(1600, 900))
        host.page.fill("#alt", "A workshop")
        host.click('button[value="upload"]')
        host.page.wait_for_selector("img.picture")
        assert host.page.input_value("#alt") == "A workshop"
        host.check_page("picture-details")
        host.end()
    for width, scheme, language in VIEWS:
        visitor = Visitor(browser, service.base, width=width, scheme=scheme, language=language)
        client = visitor.context.new_cdp_session(visitor.page)
        client.send("Network.enable")
        types, sizes = {}, {"Image": 0, "other": 0}
        client.on("Network.responseReceived", lambda event: types.update({event["requestId"]: event["type"]}))
        client.on("Network.loadingFinished", lambda event: sizes.update({
            kind: sizes[kind] + event["encodedDataLength"]
            for kind in ["Image" if types.get(event["requestId"]) == "Image" else "other"]}))
        visitor.page.add_init_script("""
            window.shift = 0;
            new PerformanceObserver(list => list.getEntries().forEach(entry => { window.shift += entry.value; }))
                .observe({ type: "layout-shift", buffered: true });""")
        visitor.open(f"/f/{form['code']}")
        visitor.page.wait_for_load_state("networkidle")
        picture = visitor.page.locator("img.form-picture")
        assert picture.get_attribute("alt") == "A workshop"
        assert picture.evaluate("image => image.complete && image.naturalWidth") == 1200
        assert visitor.page.evaluate("shift") == 0, visitor.page.evaluate("shift")
        assert 0 < sizes["other"] <= 60 * 1024 and 0 < sizes["Image"] <= 110 * 1024, sizes
        visitor.check_page("form-picture")
        visitor.end()

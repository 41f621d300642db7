"""Creates the images in this folder. Run `python3 make.py` with Pillow installed.

Each image consists of four quarters: red, green, blue and white.
"""

import pathlib

from PIL import Image, ImageDraw, PngImagePlugin

here = pathlib.Path(__file__).parent


def quarters(width: int, height: int, mode: str = "RGB") -> Image.Image:
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width // 2 - 1, height // 2 - 1), fill=(255, 0, 0))
    draw.rectangle((width // 2, 0, width - 1, height // 2 - 1), fill=(0, 255, 0))
    draw.rectangle((0, height // 2, width // 2 - 1, height - 1), fill=(0, 0, 255))
    return image.convert(mode)


def camera(orientation: int) -> Image.Exif:
    """The metadata of a phone: its orientation, its manufacturer and its position."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "CameraMaker"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    return exif


upright = quarters(64, 48)
for orientation in range(1, 9):
    upright.save(here / f"camera{orientation}.jpg", quality=90, exif=camera(orientation), comment="SecretComment")
upright.save(here / "progressive.jpg", quality=90, progressive=True)
quarters(64, 48, "CMYK").save(here / "cmyk.jpg", quality=90)
quarters(64, 48, "L").save(here / "grey.jpg", quality=90)
quarters(3000, 1500).save(here / "large.jpg", quality=30, exif=camera(6))

notes = PngImagePlugin.PngInfo()
notes.add_text("Author", "SecretAuthor")
notes.add_text("Comment", "SecretComment" * 100, zip=True)
upright.save(here / "texts.png", pnginfo=notes, exif=camera(6))
quarters(64, 48, "P").save(here / "palette.png")
clear = quarters(64, 48, "RGBA")
clear.putalpha(Image.linear_gradient("L").resize((64, 48)))
clear.save(here / "clear.png")

upright.save(here / "camera6.webp", quality=90, exif=camera(6), xmp=b"<x:xmpmeta>SecretComment</x:xmpmeta>")
clear.save(here / "clear.webp", lossless=True)
upright.save(here / "animated.webp", save_all=True, append_images=[upright.rotate(180)])
upright.save(here / "picture.gif")

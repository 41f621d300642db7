"""Reads what an ELF file of 64 bits links: shared libraries by name, and Swift modules by their types.

Symbols are not needed, so it also reads a stripped program.
"""

import mmap
import pathlib
import struct
import typing

DYNAMIC, NO_BITS = 6, 8
TAG_NEEDED, TAG_SONAME = 1, 14
RELOCATION_OF_BASE = {62: 8, 183: 1027}  # x86-64, AArch64
MODULE_KIND = 0
# A type is nested in at most some ten others.
DEEPEST_NESTING = 50


class Section(typing.NamedTuple):
    name: str
    kind: int
    address: int
    offset: int
    size: int
    link: int


class ElfFile:
    def __init__(self, path):
        with pathlib.Path(path).open("rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is not a little-endian ELF file of 64 bits")
        self.machine, = self.unpack("<H", 0x12)
        self.sections = self.read_sections()

    def unpack(self, form, offset):
        return struct.unpack_from(form, self.data, offset)

    def text(self, offset):
        return self.data[offset:self.data.find(b"\0", offset)].decode()

    def read_sections(self):
        start, = self.unpack("<Q", 0x28)
        size, count, names = self.unpack("<HHH", 0x3A)
        headers = [self.unpack("<IIQQQQII", start + index * size) for index in range(count)]
        if not headers:
            raise ValueError("the file has no section headers")
        return [Section(self.text(headers[names][4] + name), kind, address, offset, length, link)
                for name, kind, _, address, offset, length, link, _ in headers]

    def dynamic_texts(self, tag):
        for section in self.sections:
            if section.kind == DYNAMIC:
                names = self.sections[section.link].offset
                for offset in range(section.offset, section.offset + section.size, 16):
                    found, value = self.unpack("<qQ", offset)
                    if found == tag:
                        yield self.text(names + value)

    @property
    def needed(self):
        """The names of the shared libraries that it links directly."""
        return list(self.dynamic_texts(TAG_NEEDED))

    @property
    def soname(self):
        return next(self.dynamic_texts(TAG_SONAME), None)

    def offset(self, address):
        for section in self.sections:
            if section.kind != NO_BITS and section.address and 0 <= address - section.address < section.size:
                return section.offset + address - section.address
        raise KeyError(address)

    def relocations(self):
        """The addresses that the loader writes, by the address of the place."""
        kind, places = RELOCATION_OF_BASE.get(self.machine), {}
        for section in self.sections:
            if section.name == ".rela.dyn":
                for offset in range(section.offset, section.offset + section.size, 24):
                    place, info, target = self.unpack("<QQq", offset)
                    if info & 0xFFFFFFFF == kind:
                        places[place] = target
        return places

    @property
    def swift_modules(self):
        """The modules of all Swift types in the file.

        A type's record refers to the record of what contains it, and the outermost is the module's. References are
        relative to their place. The lowest bit says that the reference leads to an address instead of a record.
        """
        places, found = self.relocations(), set()
        for section in self.sections:
            if section.name.startswith("swift5_type_metadata"):
                for step in range(0, section.size, 4):
                    distance, = self.unpack("<i", section.offset + step)
                    found.add(self.module(section.address + step + (distance & ~3), places))
        return found - {None}

    def module(self, record, places):
        try:
            for _ in range(DEEPEST_NESTING):
                flags, distance = self.unpack("<Ii", self.offset(record))
                if flags & 0x1F == MODULE_KIND:
                    name, = self.unpack("<i", self.offset(record + 8))
                    return self.text(self.offset(record + 8 + name))
                container = record + 4 + (distance & ~1)
                record = places[container] if distance & 1 else container
        except KeyError:
            pass
        return None

"""Shared libraries, and the Debian packages that contain them."""

import dataclasses
import functools
import hashlib
import pathlib
import re
import subprocess
import sys

from elf_file import ElfFile

FOLDERS = ["/usr/local/lib", "/usr/lib/*-linux-gnu", "/lib/*-linux-gnu", "/usr/lib"]
# Parts of the C library since glibc 2.34: naming them for the linker adds nothing.
WITHIN_LIBC = {"dl", "pthread", "rt", "util"}
# What the runtime of Swift needs, whether it is linked statically or not.
NEEDED_BY_SWIFT = ["libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6"]
# Names in Debian's copyright files, where they differ from those of SPDX.
SPDX = {
    "expat": "MIT", "mit": "MIT", "isc": "ISC", "zlib": "Zlib", "curl": "curl", "postgresql": "PostgreSQL",
    "apache-2.0": "Apache-2.0", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "gpl-2": "GPL-2.0-only",
    "gpl-2+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later", "lgpl-2": "LGPL-2.0-only",
    "lgpl-2+": "LGPL-2.0-or-later", "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later",
    "lgpl-3": "LGPL-3.0-only", "lgpl-3+": "LGPL-3.0-or-later", "gd": "GD", "oldap-2.8": "OLDAP-2.8",
}


@dataclasses.dataclass
class DebianPackage:
    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    # The files that are used of it: path and name.
    files: dict = dataclasses.field(default_factory=dict)

    @property
    def purl(self):
        query = f"arch={self.architecture}&distro={distribution()}"
        return f"pkg:deb/debian/{self.name}@{self.version.replace('+', '%2B').replace(':', '%3A')}?{query}"

    @property
    def license(self):
        """The licence of all files that have no other, by the copyright file in Debian's format: name, and if SPDX."""
        path = pathlib.Path(f"/usr/share/doc/{self.name}/copyright")
        text = path.read_text(errors="replace") if path.exists() else ""
        if not text.startswith("Format:"):
            return None
        found = re.search(r"^Files:[ \t\n]*\*(?:(?!\n\n).)*?^License:[ \t]*(\S[^\n]*)", text, re.M | re.S)
        name = found and found[1].strip()
        return name and (SPDX.get(name.lower(), name), name.lower() in SPDX)


@functools.cache
def distribution():
    facts = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M))
    return f"{facts.get('ID', 'linux')}-{facts.get('VERSION_ID', '')}".rstrip("-")


def file_hash(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def spellings(path):
    """The paths by which dpkg may know a file: /lib and /usr/lib are the same folder."""
    plain = path.removeprefix("/usr") if path.startswith("/usr/lib") else "/usr" + path
    return list(dict.fromkeys([path, plain, str(pathlib.Path(path).resolve())]))


known_owners = {}


def owners(paths):
    """The names of the packages that contain files, by path; None if no package does. dpkg is asked once for all."""
    paths = list(paths)
    unknown = [path for path in paths if path not in known_owners]
    if unknown:
        listed = run("dpkg", "-S", *dict.fromkeys(spelling for path in unknown for spelling in spellings(path))).stdout
        found = {path: names.partition(":")[0].partition(",")[0]
                 for names, path in re.findall(r"^(\S.*?): (/.*)$", listed, re.M)}
        for path in unknown:
            known_owners[path] = next((found[each] for each in spellings(path) if each in found), None)
    return {path: known_owners[path] for path in paths}


def owner(path):
    return owners([path])[path]


@functools.cache
def package(name):
    form = "${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n"
    found = run("dpkg-query", "-W", "-f", form, name)
    if found.returncode:
        sys.exit(f"dpkg-query does not know {name}: {found.stderr.strip()}")
    return DebianPackage(name, *found.stdout.splitlines()[0].split("\t"))


@functools.cache
def cached_libraries():
    """The paths of libraries by the name under which programs refer to them, as the loader finds them."""
    listed = run("/sbin/ldconfig", "-p").stdout
    return dict(reversed(re.findall(r"^\s+(\S+) \(libc6,[^)]*\) => (\S+)$", listed, re.M)))


def library_of_link(name):
    """The name by which a program refers to a library that was linked with `-lNAME`; None for a part of libc."""
    if name in WITHIN_LIBC:
        return None
    for folder in FOLDERS:
        for path in pathlib.Path("/").glob(f"{folder[1:]}/lib{name}.so"):
            return ElfFile(path).soname or path.name
    sys.exit(f"lib{name}.so is missing: scripts/setup run installs it.")


def with_dependencies(names):
    """The paths of libraries and of all that they need, by name, and what each needs directly."""
    paths, needs, waiting = {}, {}, list(names)
    while waiting:
        name = waiting.pop()
        if name not in paths:
            if name not in cached_libraries():
                sys.exit(f"{name} is missing.")
            paths[name] = cached_libraries()[name]
            needs[name] = ElfFile(paths[name]).needed
            waiting += needs[name]
    return paths, needs


def loaded_libraries(binary):
    """The libraries that the loader would load for a program: paths by name. The path is None if one is missing."""
    listed = run("ldd", binary)
    if listed.returncode:
        sys.exit(f"ldd {binary} failed: {listed.stderr.strip() or listed.stdout.strip()}")
    found = {}
    for line in listed.stdout.splitlines():
        words = line.split()
        if "=>" in words:
            found[words[0]] = words[2] if words[2].startswith("/") else None
        elif words[0].startswith("/"):
            found[pathlib.Path(words[0]).name] = words[0]
    return found

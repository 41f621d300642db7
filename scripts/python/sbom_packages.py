"""The Swift packages behind a product, by the manifests: nothing is built."""

import dataclasses
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Kinds of targets that end up in the program.
LINKED = {"regular", "executable", "system"}
PLATFORM = "linux"
# Sources of others that a package contains, by the package, with the file and the pattern of their version.
VENDORED = {
    "swift-nio": ("llhttp", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h", r"LLHTTP_VERSION_\w+ (\d+)", "MIT",
                  "pkg:github/nodejs/llhttp@v"),
}


@dataclasses.dataclass
class Package:
    identity: str
    folder: pathlib.Path
    url: str
    version: str
    traits: set
    # The identities of the packages that its manifest names.
    dependencies: list
    revision: str = ""
    # The modules that the program needs, and the packages from which they need modules.
    modules: set = dataclasses.field(default_factory=set)
    used: set = dataclasses.field(default_factory=set)

    @property
    def license(self):
        return license_of_text("\n".join(path.read_text(errors="replace") for path in self.folder.glob("LICENSE*")))

    @property
    def vendored(self):
        """The sources of others that it contains: name, version, licence and purl."""
        if self.identity not in VENDORED:
            return []
        name, file, pattern, license, purl = VENDORED[self.identity]
        version = ".".join(re.findall(pattern, (self.folder / file).read_text())[:3])
        return [(name, version, license, purl + version)]


def license_of_text(text):
    """The SPDX expression of a licence's text; None if it is not known here."""
    if "Apache License" in text and "Version 2.0" in text:
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
    return "MIT" if "Permission is hereby granted, free of charge" in text else None


def swift(*arguments, folder):
    """The JSON that `swift package` prints."""
    done = subprocess.run(["swift", "package", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"swift package {' '.join(arguments)} failed:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


@functools.cache
def manifest(folder):
    with tempfile.TemporaryDirectory() as scratch:
        # A separate folder, because a build may have locked the usual one.
        return swift("--scratch-path", scratch, "dump-package", folder=folder)


def read_packages(root, scratch):
    """All resolved packages by identity. The first is the root."""
    tree = swift("--scratch-path", scratch, "show-dependencies", "--format", "json", folder=root)
    revisions = {pin["identity"]: pin["state"].get("revision", "")
                 for pin in json.loads((root / "Package.resolved").read_text())["pins"]}
    packages, waiting = {}, [tree]
    while waiting:
        node = waiting.pop(0)
        if node["identity"] not in packages:
            packages[node["identity"]] = Package(
                node["identity"], pathlib.Path(node["path"]), node["url"], node["version"],
                set(node.get("traits") or ()), [each["identity"] for each in node["dependencies"]],
                revisions.get(node["identity"], ""))
            waiting += node["dependencies"]
    return packages


def applies(condition, package):
    if not condition:
        return True
    platforms, traits = condition.get("platformNames") or [], condition.get("traits") or []
    return (not platforms or PLATFORM in platforms) and (not traits or bool(package.traits & set(traits)))


class Graph:
    """The targets that a product needs."""

    def __init__(self, root, scratch, product):
        self.packages = read_packages(root, str(scratch))
        self.root = next(iter(self.packages.values()))
        # The libraries that targets name for the linker.
        self.libraries = set()
        self.visit(self.root.identity, product)

    @property
    def linked_packages(self):
        """The packages of others of which the product needs a target. Further ones are resolved but not linked."""
        return [package for package in self.packages.values() if package.modules and package is not self.root]

    def targets(self, identity):
        return {target["name"]: target for target in manifest(self.packages[identity].folder)["targets"]}

    def visit(self, identity, name):
        package, target = self.packages[identity], self.targets(identity)[name]
        module = name.replace("-", "_")
        if module in package.modules or target["type"] not in LINKED:
            return
        package.modules.add(module)
        self.libraries |= set(self.linked_libraries(package, target))
        for dependency in target["dependencies"]:
            for owner, needed in self.resolve(package, dependency):
                if owner != identity:
                    package.used.add(owner)
                self.visit(owner, needed)

    def linked_libraries(self, package, target):
        for setting in target["settings"]:
            if "linkedLibrary" in setting["kind"] and applies(setting.get("condition"), package):
                yield setting["kind"]["linkedLibrary"]["_0"]
        if target["type"] == "system":
            folder = package.folder / (target.get("path") or f"Sources/{target['name']}")
            yield from re.findall(r'^\s*link "([^"]+)"', (folder / "module.modulemap").read_text(), re.M)

    def resolve(self, package, dependency):
        """The targets behind a dependency of a target: package and name."""
        (kind, values), = dependency.items()
        name, condition = values[0], values[-1]
        if not applies(condition, package):
            return []
        if kind != "product" and name in self.targets(package.identity):
            return [(package.identity, name)]
        others = package.dependencies
        if kind == "product" and values[1]:
            others = [other for other in others if other == values[1].lower()] or others
        for other in others:
            for product in manifest(self.packages[other].folder)["products"]:
                if product["name"] == name:
                    return [(other, target) for target in product["targets"]]
        sys.exit(f"{package.identity} needs {name}, which no package has.")


"""Writes the software bill of materials (CycloneDX 1.6, JSON), or compares it with what a program links.

    scripts/sbom > afterword.cdx.json
    scripts/sbom --check .build/release/afterword
    scripts/sbom --check .build/release/afterword --bill afterword.cdx.json

The bill is made from declarations, without a build: Swift packages from the manifests and Package.resolved, as far as
the program needs a target of theirs; the libraries that the targets name for the linker, and all that these need, with
their Debian packages; and what the program runs or reads if it is installed, such as PostgreSQL and Chart.js. The check
reads the program instead: the libraries that the loader finds for it, and the Swift modules of the types in it.

Exit status: 0 if they agree, 1 if something linked is missing in the bill or something listed is not used, 2 for misuse.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

import sbom_debian as debian
from elf_file import ElfFile
from sbom_packages import Graph

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT = "afterword"
# What the program runs or reads if it is installed: the file, and a source with the name by which it finds it.
OPTIONAL = {
    "/usr/share/javascript/chart.js/chart.min.js": "Sources/WebPages/Rendering/ChartLibrary.swift",
    "/usr/bin/rsvg-convert": "Sources/SVGConversion/SVGConverter.swift",
    "/usr/bin/setpriv": "Sources/EmbeddedPostgres/ClusterUser.swift",
    "/usr/lib/postgresql/*/bin/initdb": "Sources/EmbeddedPostgres/ClusterCreation.swift",
}
# A line by which a file in the resources shows that others wrote it.
FOREIGN = re.compile(r"/\*!|@license|@preserve|copyright|SPDX-License-Identifier", re.I)
# Modules of types that C headers declare.
IMPORTED_FROM_C = {"__C", "__C_Synthesized"}


def named(values):
    return [{"name": name, "value": value} for name, value in values.items()]


def license_choice(name, is_spdx=True):
    if not name:
        return {}
    if " WITH " in name:
        return {"licenses": [{"expression": name}]}
    return {"licenses": [{"license": {"id" if is_spdx else "name": name}}]}


def file_component(path, name):
    return {"type": "file", "bom-ref": f"file:{name}", "name": name,
            "hashes": [{"alg": "SHA-256", "content": debian.file_hash(path)}]}


# Swift

def swift_package(package):
    host, _, path = package.url.removeprefix("https://").removesuffix(".git").partition("/")
    component = {
        "type": "library", "bom-ref": f"pkg:swift/{host}/{path}@{package.version}", "group": path.rpartition("/")[0],
        "name": package.identity, "version": package.version, "scope": "required", **license_choice(package.license),
        "purl": f"pkg:swift/{host}/{path}@{package.version}",
        "externalReferences": [{"type": "vcs", "url": package.url}],
        "pedigree": {"commits": [{"uid": package.revision, "url": f"{package.url.removesuffix('.git')}/commit/"
                                  + package.revision}]},
        "properties": [{"name": "afterword:module", "value": module} for module in sorted(package.modules)],
    }
    if package.vendored:
        component["components"] = [
            {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
             **license_choice(license)} for name, version, license, purl in package.vendored]
    return component


def toolchain():
    """The component of Swift's standard library, Foundation and Dispatch, and the folders that contain them."""
    facts = json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True).stdout)
    version = re.search(r"Swift version (\S+)", facts["compilerVersion"])[1]
    purl = f"pkg:swift/github.com/swiftlang/swift@{version}"
    component = {
        "type": "framework", "bom-ref": purl, "group": "swiftlang", "name": "swift", "version": version,
        "scope": "required", "purl": purl, **license_choice("Apache-2.0 WITH Swift-exception"),
        "description": "Swift's runtime and standard library, Foundation and Dispatch, of the toolchain"}
    resources = pathlib.Path(facts["paths"]["runtimeResourcePath"])
    return component, [str(resources), str(resources.with_name("swift_static"))]


def modules_of_toolchain(folders):
    found = {path.stem for folder in folders for path in pathlib.Path(folder, "linux").glob("*.swiftmodule")}
    return found | {"Swift", "_FoundationICU", "_FoundationCShims", "_FoundationCollections"}


# Debian

def debian_package(package, scope):
    return {
        "type": "library" if package.name.startswith("lib") else "application", "bom-ref": package.purl,
        "name": package.name, "version": package.version, "scope": scope, "purl": package.purl,
        **license_choice(*(package.license or (None,))),
        "properties": named({"debian:source": package.source, "debian:source-version": package.source_version}),
        "components": [file_component(path, f"{package.name}/{name}") for name, path in sorted(package.files.items())],
    }


def library_packages(names):
    """The packages of libraries and of all that these need, by the library's name, and the needs of each package."""
    paths, needs = debian.with_dependencies(names)
    owners, found = {}, debian.owners(paths.values())
    for name, path in paths.items():
        owner = found[path]
        if not owner:
            sys.exit(f"No Debian package contains {path}.")
        owners[name] = debian.package(owner)
        owners[name].files[name] = path
    arrows = {}
    for name, needed in needs.items():
        arrows.setdefault(owners[name].purl, set()).update(owners[each].purl for each in needed)
    return owners, arrows


def optional_packages():
    for pattern in OPTIONAL:
        for path in sorted(pathlib.Path("/").glob(pattern[1:])):
            owner = debian.owner(str(path))
            if owner:
                package = debian.package(owner)
                package.files[path.name] = str(path)
                yield package


def foreign_resources():
    """Files in the pages' resources that others wrote. There are none as long as this package copies nothing."""
    folder = ROOT / "Sources/WebPages/Resources"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and FOREIGN.search(path.read_text(errors="replace")):
            yield file_component(path, str(path.relative_to(ROOT)))


# The bill

def program_version():
    return re.search(r'"([^"]+)"', (ROOT / "Sources/HTTPAPI/ProgramVersion.swift").read_text())[1]


def make_bill(scratch):
    graph = Graph(ROOT, scratch, PRODUCT)
    runtime, _ = toolchain()
    direct = [name for name in map(debian.library_of_link, sorted(graph.libraries)) if name]
    owners, arrows = library_packages(direct + debian.NEEDED_BY_SWIFT)
    packages = {package.identity: swift_package(package) for package in graph.linked_packages}
    program = {
        "type": "application", "bom-ref": f"pkg:generic/{PRODUCT}@{program_version()}", "name": PRODUCT,
        "version": program_version(), "purl": f"pkg:generic/{PRODUCT}@{program_version()}",
        **license_choice("Apache-2.0"),
        "properties": [{"name": "afterword:module", "value": module} for module in sorted(graph.root.modules)]}
    optional = {package.purl: debian_package(package, "optional") for package in optional_packages()}
    libraries = {package.purl: debian_package(package, "required") for package in owners.values()}
    foreign = list(foreign_resources())
    arrows[runtime["bom-ref"]] = {owners[name].purl for name in debian.NEEDED_BY_SWIFT}
    for package in graph.linked_packages:
        arrows[packages[package.identity]["bom-ref"]] = {packages[used]["bom-ref"] for used in package.used}
    arrows[program["bom-ref"]] = {
        *(packages[used]["bom-ref"] for used in graph.root.used), *(owners[name].purl for name in direct),
        runtime["bom-ref"], *optional, *(file["bom-ref"] for file in foreign)}
    components = [*packages.values(), runtime, *libraries.values(), *(
        each for purl, each in optional.items() if purl not in libraries), *foreign]
    return bill(program, components, arrows)


def bill(program, components, arrows):
    components = sorted(components, key=lambda component: component["bom-ref"])
    references = [program["bom-ref"], *(component["bom-ref"] for component in components)]
    dependencies = [
        {"ref": each, "dependsOn": sorted(arrows.get(each, set()) - {each})} for each in references]
    content = {"components": components, "dependencies": dependencies}
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else datetime.datetime.now(
        datetime.timezone.utc)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([program, content], sort_keys=True))}",
        "version": 1,
        "metadata": {
            "timestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "lifecycles": [{"phase": "build"}],
            "tools": {"components": [{"type": "application", "name": "scripts/sbom"}]}, "component": program},
        **content,
    }


# The check

def of_scope(listed, scope, kind):
    return {component["name"]: component for component in listed["components"]
            if component.get("scope") == scope and component.get("purl", "").startswith(f"pkg:{kind}/")}


def modules(component):
    return {each["value"] for each in component.get("properties", []) if each["name"] == "afterword:module"}


def library_faults(listed, binary):
    required, linked = of_scope(listed, "required", "deb"), {}
    runtime, folders = toolchain()
    if runtime["name"] not in of_scope(listed, "required", "swift"):
        yield "Swift's runtime is linked, and the bill does not list it"
    loaded = debian.loaded_libraries(binary)
    debian.owners(filter(None, loaded.values()))
    for name, path in sorted(loaded.items()):
        if path is None:
            yield f"{name} is linked, and is not installed"
        elif not path.startswith(tuple(folders)):
            owner = debian.owner(path)
            if not owner or owner not in required:
                yield f"{name} ({owner or path}) is linked, and the bill does not list it"
            elif (installed := debian.package(owner)).version != required[owner]["version"]:
                yield f"{owner} is linked in version {installed.version}, listed as {required[owner]['version']}"
            linked[owner] = path
    for name in sorted(required.keys() - linked.keys()):
        yield f"{name} is listed, and the program does not link it"


def module_faults(listed, binary):
    packages, found = of_scope(listed, "required", "swift"), ElfFile(binary).swift_modules
    own = modules(listed["metadata"]["component"])
    runtime, folders = toolchain()
    expected = own.union(*(modules(package) for package in packages.values()))
    for module in sorted(found - expected - modules_of_toolchain(folders) - IMPORTED_FROM_C):
        yield f"the module {module} is linked, and no package of the bill has it"
    for name, package in sorted(packages.items()):
        if name != runtime["name"] and not modules(package) & found:
            yield f"{name} is listed, and the program has no type of its modules"
        if name == runtime["name"] and package["version"] != runtime["version"]:
            yield f"Swift {runtime['version']} is installed, listed as {package['version']}"


def other_faults(listed):
    optional = of_scope(listed, "optional", "deb")
    for package in optional_packages():
        if package.name not in optional and package.name not in of_scope(listed, "required", "deb"):
            yield f"{package.name} is installed and used, and the bill does not list it"
    for pattern, source in OPTIONAL.items():
        if pathlib.PurePath(pattern).name not in (ROOT / source).read_text():
            yield f"{pattern} is listed, and {source} does not name it"
    references = {component["bom-ref"] for component in listed["components"]}
    for file in foreign_resources():
        if file["bom-ref"] not in references:
            yield f"{file['name']} was written by others, and the bill does not list it"


def pinned_faults(listed):
    """Packages whose version in the bill is not the resolved one."""
    resolved = {pin["identity"]: pin["state"].get("version")
                for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]}
    for name, package in sorted(of_scope(listed, "required", "swift").items()):
        if name in resolved and resolved[name] != package["version"]:
            yield f"{name} is resolved as {resolved[name]}, listed as {package['version']}"


def check(listed, binary):
    try:
        faults = [*library_faults(listed, binary), *module_faults(listed, binary), *other_faults(listed),
                  *pinned_faults(listed)]
    except ValueError as error:
        sys.exit(f"sbom: {error}")
    # A package with several libraries has the same fault for each.
    for fault in dict.fromkeys(faults):
        print(f"sbom: {fault}", file=sys.stderr)
    if not faults:
        swift, deb = (len(of_scope(listed, "required", kind)) for kind in ("swift", "deb"))
        print(f"The bill of materials lists what {binary} links: {swift} Swift packages with the runtime, "
              f"{deb} Debian packages.")
    return 1 if faults else 0


def checkouts():
    """The folder of the newest build, which has the packages' sources already."""
    folders = [ROOT / name for name in (".build", ".build-tests") if (ROOT / name / "checkouts").is_dir()]
    return max(folders, key=lambda folder: folder.stat().st_mtime, default=ROOT / ".build")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/sbom", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE", help="write there instead of standard output")
    parser.add_argument("--check", type=pathlib.Path, metavar="BINARY", help="compare with this program")
    parser.add_argument("--bill", type=pathlib.Path, metavar="FILE", help="the bill to compare (default: a new one)")
    parser.add_argument("--scratch-path", type=pathlib.Path, default=None, metavar="FOLDER",
                        help="of a build, for the packages' sources (default: that of the newest build)")
    options = parser.parse_args()
    if options.bill and not options.check:
        parser.error("--bill needs --check")
    if options.check and not options.check.is_file():
        parser.error(f"{options.check} is not a file: run make build first")
    scratch = options.scratch_path or checkouts()
    listed = json.loads(options.bill.read_text()) if options.bill else make_bill(scratch)
    text = json.dumps(listed, indent=2, ensure_ascii=False) + "\n"
    if options.output:
        options.output.write_text(text)
    elif not options.check:
        sys.stdout.write(text)
    return check(listed, options.check) if options.check else 0


if __name__ == "__main__":
    sys.exit(main())

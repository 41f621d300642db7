"""Builds the fuzz targets of `Fuzzing` with the Swift compiler alone.

The package manager would build the whole service with coverage, which takes longer than a short run. So each module is
made of the files that the targets need, as they are in `Sources`; where these use types of the engine or the database,
`Fuzzing/StandIns` has the few members that are used.
"""

import dataclasses
import hashlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build-fuzz"
# libFuzzer's coverage counters and the address sanitizer.
SANITIZERS = "fuzzer,address"
STRICT = ["-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny",
          "-enable-upcoming-feature", "MemberImportVisibility"]


class BuildError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Module:
    name: str
    # Patterns below `folder`.
    files: tuple
    # A folder of the repository, or of the checkouts of packages if it begins with @.
    folder: str = "Sources"
    stand_in: bool = False


# In the order of their imports.
MODULES = [
    Module("StrictJSON", ("StrictJSON/*.swift",)),
    Module("CSV", ("CSV/*.swift",)),
    Module("BlockingWork", ("BlockingWork/*.swift",)),
    Module("Cryptography", ("Cryptography/*.swift",)),
    Module("Images", ("Images/*.swift",)),
    Module("Domain", ("Domain/**/*.swift",)),
    Module("Mail", ("Mail/EncodedWord.swift", "Mail/MailMessage.swift", "Mail/QuotedPrintable.swift")),
    Module("Words", ("Words/*.swift",)),
    Module("Contract", ("Contract/Coding/*.swift", "Contract/Forms/FormBody.swift", "Contract/Forms/QuestionBody.swift",
                        "Contract/Forms/ShowIf.swift",
                        "Contract/Series/Member.swift")),
    Module("HTTPTypes", ("*.swift",), folder="@swift-http-types/Sources/HTTPTypes"),
    Module("NIOCore", (), stand_in=True),
    Module("HTTPServer", ("HTTPServer/Shortcuts/PlainHead.swift", "HTTPServer/Shortcuts/RequestFrame.swift",
                          "HTTPServer/Engine/HostField.swift", "HTTPServer/Engine/ClientAddress.swift",
                          "HTTPServer/Engine/PreferenceList.swift")),
    Module("Postgres", (), stand_in=True),
    Module("Store", ("Store/Database/Keys/KeyRing.swift", "Store/Database/Keys/SecretDraft.swift",
                     "Store/Database/Keys/SharedKeys.swift",
                     "Store/Forms/FormKeys.swift", "Store/Results/RankCursor.swift", "Store/Results/UUID+number.swift",
                     "Store/Series/SeriesQuery.swift",
                     "Store/Texts/TextCursor.swift", "Store/Texts/TextPosition.swift"), stand_in=True),
    Module("HTTPAPI", ("HTTPAPI/Requests/AcceptedLanguage.swift", "HTTPAPI/Requests/Credentials.swift",
                       "HTTPAPI/Requests/PercentEncoding.swift", "HTTPAPI/Requests/QueryReader.swift",
                       "HTTPAPI/Responses/ContentNegotiation.swift", "HTTPAPI/Responses/ETag.swift",
                       "HTTPAPI/Responses/MediaType.swift", "HTTPAPI/Routes/**/Cursor*.swift"), stand_in=True),
    Module("WebPages", ("WebPages/Pages/Builder/FormBuilder.swift", "WebPages/Pages/Builder/FormBuilder+actions.swift",
                        "WebPages/Pages/Builder/FormBuilder+definition.swift",
                        "WebPages/Pages/Builder/FormBuilder+undo.swift",
                        "WebPages/Pages/Builder/FormBuilder+conditions.swift", "WebPages/Requests/TextLines.swift",
                        "WebPages/Pages/Builder/MomentField.swift", "WebPages/Pages/People/PeopleLines.swift",
                        "WebPages/Pages/Series/CalendarMonth.swift", "WebPages/Rendering/FormFields.swift",
                        "WebPages/Rendering/Language.swift", "WebPages/Rendering/LocalTime.swift",
                        "WebPages/Requests/Cookies.swift", "WebPages/Requests/PathQuery.swift",
                        "WebPages/Requests/UploadedForm.swift"), stand_in=True),
    Module("Fuzzing", ("*.swift", "Targets/*.swift"), folder="Fuzzing"),
]
# Modules of C libraries, which `Sources` describes.
SYSTEM_MODULES = ["CCrypto", "CSodium", "CGD"]
# Modules of C code: the engine's HTTP parser, against which the shortcut's is compared, and what is used of ICU.
C_MODULES = {"CNIOLLHTTP": "@swift-nio/Sources/CNIOLLHTTP", "CICU": "Sources/CICU"}
LIBRARIES = ["crypto", "sodium", "gd", "icuuc", "icui18n"]
IMPORT = re.compile(r"^(?:@\w+ )?import (\w+)", re.M)


def checkouts():
    """The sources of packages, from whichever build fetched them."""
    def found():
        return next((folder for folder in sorted(ROOT.glob(".build*/checkouts")) if (folder / "swift-nio").is_dir()),
                    None)
    if found() is None:
        run(["swift", "package", "resolve"])
    if found() is None:
        raise BuildError("The sources of packages are missing; run: swift package resolve")
    return found()


def folder(text):
    return checkouts() / text[1:] if text.startswith("@") else ROOT / text


def sources(module):
    files = [file for pattern in module.files for file in sorted(folder(module.folder).glob(pattern))]
    for pattern in module.files:
        if not any(folder(module.folder).glob(pattern)):
            raise BuildError(f"{module.name}: no file is {pattern}")
    if module.stand_in:
        files.append(ROOT / "Fuzzing" / "StandIns" / f"{module.name}.swift")
    return files


def run(command):
    try:
        result = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError as error:
        raise BuildError(f"{command[0]} is missing") from error
    if result.returncode:
        raise BuildError(f"{' '.join(map(str, command[:3]))} … failed:\n{result.stdout.strip()}")
    return result.stdout


class Build:
    """One program with all targets, without optimisation if it is to be built quickly."""

    def __init__(self, quick):
        self.folder = BUILD / ("quick" if quick else "optimised")
        self.optimisation = "-Onone" if quick else "-O"
        self.program = self.folder / "fuzz"
        self.compiler = run(["swiftc", "--version"])
        # A digest of each built part and of everything that it was built from.
        self.digests = {}

    def build(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "module.modulemap").write_text("".join(
            f'module {name} {{\n    header "{folder(path) / "include" / name}.h"\n    export *\n}}\n'
            for name, path in C_MODULES.items()))
        files = [file for path in C_MODULES.values() for file in sorted(folder(path).glob("*.c"))]
        objects = [self.step(file.stem, [file], self.c_command) for file in files]
        objects += [self.step(module.name, sources(module), self.module_command) for module in MODULES]
        self.step("fuzz", [], lambda name, output, files: self.link_command(output, objects), output=self.program)
        return self.program

    def step(self, name, files, command, output=None):
        """Builds a part unless nothing has changed in its files and in the modules that they import."""
        output = output or self.folder / f"{name}.o"
        arguments = command(name, output, files)
        imported = {module for file in files for module in IMPORT.findall(file.read_text())} if files else self.digests
        state = hashlib.sha256(repr((self.compiler, arguments)).encode())
        for module in sorted(imported):
            state.update(self.digests.get(module, "").encode())
        for file in files:
            state.update(file.read_bytes())
        digest = self.digests[name] = state.hexdigest()
        stamp = output.with_suffix(".stamp")
        if not (output.exists() and stamp.exists() and stamp.read_text() == digest):
            print(f"Compiling {name}" if files else "Linking", file=sys.stderr, flush=True)
            run(arguments)
            stamp.write_text(digest)
        return output

    @staticmethod
    def c_command(name, output, files):
        compiler = pathlib.Path(run(["which", "swiftc"]).strip()).resolve().with_name("clang")
        return [compiler, "-O1", f"-fsanitize={SANITIZERS.replace('fuzzer', 'fuzzer-no-link')}", "-w",
                "-I", files[0].parent / "include", "-c", *files, "-o", output]

    def module_command(self, name, output, files):
        system = [item for module in SYSTEM_MODULES for item in ("-I", ROOT / "Sources" / module)]
        return ["swiftc", self.optimisation, "-wmo", "-parse-as-library", *STRICT, "-enable-testing",
                "-gline-tables-only", f"-sanitize={SANITIZERS}", "-module-name", name, "-package-name", "afterword",
                "-I", self.folder, *system, "-emit-module", "-emit-module-path",
                self.folder / f"{name}.swiftmodule", "-c", "-o", output, *files]

    def link_command(self, output, objects):
        return ["swiftc", f"-sanitize={SANITIZERS}", "-use-ld=lld", *objects,
                *(f"-l{library}" for library in LIBRARIES), "-o", output]

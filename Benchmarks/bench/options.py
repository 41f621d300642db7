"""The options of `Benchmarks/run`."""
import argparse, os, shutil, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SWIFT = shutil.which("swift") or "swift"
# In the order in which they run. The groups that need many stored submissions share them.
GROUPS = ["limit", "floor", "ingest", "instances", "participants", "flush", "clients", "latency", "peer", "reading",
          "viewers", "import", "start", "health", "overload", "hindered", "backup", "memory", "disk", "export", "inside",
          "replica", "stored", "micro", "citus"]
# Groups that start no service.
WITHOUT_SERVICE = {"micro"}
# `import` is no name for a module in Python.
MODULES = {"import": "importing"}
FULL = {"rounds": 5, "seconds": 5.0, "rows": 1_000_000, "stored": 10_000_000, "viewers": 10_000, "import_rows": 73_421,
        "repetitions": 1_100}
SHORT = {"rounds": 1, "seconds": 0.2, "rows": 2_000, "stored": 2_000, "viewers": 100, "import_rows": 1_000,
         "repetitions": 2}


def positive(kind):
    def read(text):
        value = kind(text.replace("_", "").replace(",", ""))
        if value <= 0:
            raise argparse.ArgumentTypeError("must be greater than 0")
        return value
    # The name that argparse shows for a value that does not parse.
    read.__name__ = "number"
    return read


def groups(text):
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in GROUPS:
            raise argparse.ArgumentTypeError(f"there is no group `{name}`; the groups are {', '.join(GROUPS)}")
    return [name for name in GROUPS if name in names]


def names(text):
    found = [name for name in text.split(",") if name]
    if not found:
        raise argparse.ArgumentTypeError("no name is given")
    return found


def program(text):
    path = os.path.abspath(text)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is not a program")
    return path


def file_in_folder(text):
    if not os.path.isdir(os.path.dirname(os.path.abspath(text))):
        raise argparse.ArgumentTypeError(f"the folder of {text} does not exist")
    return os.path.abspath(text)


def folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"the folder {text} does not exist")
    return os.path.abspath(text)


def folder_in_memory():
    """A file system in memory for the short form, which a busy disk would slow down. None if there is no suitable one."""
    path = "/dev/shm"
    if not os.access(path, os.W_OK):
        return None
    system = os.statvfs(path)
    is_large = system.f_bavail * system.f_frsize >= 4 << 30
    return path if is_large and not system.f_flag & os.ST_NOEXEC else None


def parse(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--what", type=groups, metavar="GROUPS", help=f"some of the groups, separated by commas: {', '.join(GROUPS)}")
    add("--short", action="store_true", help="a run of less than a minute with small sizes, which is not judged")
    add("--rounds", type=positive(int), metavar="N", help=f"interleaved rounds (default {FULL['rounds']})")
    add("--seconds", type=positive(float), metavar="S", help=f"seconds of each load (default {FULL['seconds']:g})")
    add("--rows", type=positive(int), metavar="N", help=f"submissions of the large form (default {FULL['rows']:,})")
    add("--stored", type=positive(int), metavar="N",
        help=f"the largest number of submissions in `stored` (default {FULL['stored']:,})")
    add("--viewers", type=positive(int), metavar="N", help=f"live viewers (default {FULL['viewers']:,})")
    add("--import-rows", type=positive(int), metavar="N", help=f"imported rows (default {FULL['import_rows']:,})")
    add("--operations", type=names, metavar="NAMES", help="some of the operations of `micro`, separated by commas")
    add("--repetitions", type=positive(int), metavar="N",
        help=f"repetitions of each operation of `micro` that are counted (default {FULL['repetitions']:,})")
    add("--commit-delay", type=positive(int), metavar="MICROSECONDS", default=5000,
        help="how long a flush takes in `flush`, at most 100,000 (default 5,000)")
    add("--binary", type=program, metavar="FILE", help="a built afterword, instead of building this tree")
    add("--against", type=program, metavar="FILE", help="another built afterword, measured by turns in `ingest`")
    add("--citus", metavar="URL",
        help="a database on the coordinator of a Citus cluster on this machine, as a superuser, for the group citus")
    add("--json", type=file_in_folder, metavar="FILE", help="keep the values of each round in this file")
    add("--plots", type=file_in_folder, metavar="FOLDER", help="draw the plots into this folder")
    add("--folder", type=folder, metavar="FOLDER",
        help="where the temporary folder is made, on the disk to measure (default: the system's; with --short in memory)")
    options = parser.parse_args()
    if options.commit_delay > 100_000:
        parser.error("argument --commit-delay: PostgreSQL's maximum is 100,000 microseconds")
    for name, value in (SHORT if options.short else FULL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.what = options.what or [name for name in GROUPS if name != "citus" or options.citus]
    if "citus" in options.what and not options.citus:
        parser.error("the group citus needs --citus, because the benchmark makes no cluster")
    if options.short and options.folder is None:
        options.folder = folder_in_memory()
    if options.against and "ingest" not in options.what:
        parser.error("argument --against: only the group ingest uses it")
    if options.operations and "micro" not in options.what:
        parser.error("argument --operations: only the group micro uses it")
    return options


def built_program():
    """Builds the release of this tree, as it is shipped."""
    subprocess.run(["make", "--no-print-directory", "build"], cwd=ROOT, check=True)
    return os.path.join(release_folder(), "afterword")


def built_micro_benchmarks():
    """Builds the program of the group `micro`."""
    subprocess.run([SWIFT, "build", "-c", "release", "--product", "MicroBenchmarks"], cwd=ROOT, check=True)
    return os.path.join(release_folder(), "MicroBenchmarks")


def release_folder():
    return subprocess.run([SWIFT, "build", "-c", "release", "--show-bin-path"], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout.strip()

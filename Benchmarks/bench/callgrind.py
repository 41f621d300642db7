"""Counts the instructions and calls of a program with valgrind's callgrind, which simulates the processor."""
import collections, os, re, shutil, subprocess, sys, tempfile

# A program's functions, as callgrind names them.
ALLOCATIONS = ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign")
RETAINS = ("swift_retain", "swift_retain_n")
RELEASES = ("swift_release", "swift_release_n")
# The C library chooses functions by the processor's features. Without these it takes the same ones everywhere.
FEATURES = ("AVX", "AVX2", "AVX512F", "AVX512VL", "BMI2", "ERMS", "FMA", "FMA4", "FSRM", "RTM", "SSSE3", "SSE4_1",
            "SSE4_2", "AVX_Fast_Unaligned_Load", "Fast_Unaligned_Copy")
ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in FEATURES),
    # Otherwise each process has other hash values, and other collisions.
    "SWIFT_DETERMINISTIC_HASHING": "1",
    # The build for tests counts its lines, which nobody reads here.
    "LLVM_PROFILE_FILE": "/dev/null",
}


def version():
    return subprocess.run([valgrind(), "--version"], check=True, capture_output=True, text=True).stdout.strip()


def valgrind():
    return shutil.which("valgrind") or sys.exit("valgrind is missing: run scripts/setup bench")


def stripped(program, folder):
    """A copy of a program without its debugging information. valgrind 3.19 ends when it reads that of large programs."""
    copy = os.path.join(folder, os.path.basename(program))
    subprocess.run([shutil.which("strip") or sys.exit("strip is missing: run scripts/setup bench"), "-o", copy, program],
                   check=True)
    return copy


def count(command, folder):
    """Runs a program in a folder. Returns the instructions, allocations, retains and releases of the whole process."""
    environment = {**ENVIRONMENT, **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}}
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".callgrind") as profile:
        done = subprocess.run([valgrind(), "--tool=callgrind", f"--callgrind-out-file={profile.name}", *command],
                              cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            # The last lines, because valgrind's own are before and after those of the program.
            sys.exit(f"{' '.join(command)} failed under valgrind: " + "\n".join(done.stderr.splitlines()[-12:]))
        return read(profile.name)


def read(path):
    """Sums the calls of each function. The format names a function once, and then repeats only its number."""
    names, calls, callee, instructions = {}, collections.Counter(), None, None
    with open(path, errors="replace") as file:
        for line in file:
            if found := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                if found[3]:
                    # Recursive calls have a name with a number.
                    names[found[2]] = re.sub(r"'\d+$", "", found[3])
                if found[1]:
                    callee = names[found[2]]
            elif line.startswith("calls="):
                calls[callee] += int(line[6:].split()[0])
            elif line.startswith(("summary:", "totals:")):
                instructions = int(line.split()[1])
    if not instructions or not calls["malloc"]:
        sys.exit("valgrind's profile has no instructions or no calls.")
    return {"instructions": instructions, "allocations": sum(calls[name] for name in ALLOCATIONS),
            "retains": sum(calls[name] for name in RETAINS), "releases": sum(calls[name] for name in RELEASES)}

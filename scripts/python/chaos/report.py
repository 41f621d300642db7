"""The results of a run: a line for each round, a table, and a JSON file."""

import collections
import json
import statistics

from chaos.kinds import KINDS

BROKEN = ("lost", "doubled")


class Kept:
    """The counts of one kind of fault."""

    def __init__(self):
        self.rounds = self.repeated = 0
        self.acknowledged = self.replays = self.refused = self.corrected = self.withdrawn = 0
        self.in_flight, self.recoveries = [], []
        self.more_files = self.more_memory = 0
        self.faults, self.statuses = collections.Counter(), collections.Counter()

    def add(self, result):
        self.faults.update(fault.what for fault in result.faults)
        self.statuses.update({str(status): count for status, count in result.statuses.items()})
        if not result.counts:
            self.repeated += 1
            return
        self.rounds += 1
        for name in ("acknowledged", "replays", "refused", "corrected", "withdrawn"):
            setattr(self, name, getattr(self, name) + getattr(result, name))
        self.in_flight.append(result.in_flight)
        self.more_files = max(self.more_files, result.more_files)
        self.more_memory = max(self.more_memory, result.more_memory)
        if result.recovery is not None:
            self.recoveries.append(result.recovery)

    def add_values(self, values):
        """Adds the counts of a JSON file."""
        for name in ("rounds", "repeated", "acknowledged", "replays", "refused", "corrected", "withdrawn"):
            setattr(self, name, getattr(self, name) + values[name])
        self.in_flight.append(values["inFlight"])
        self.recoveries += values["recoveries"]
        self.faults.update(values["faults"])
        self.statuses.update(values["statuses"])

    @property
    def different(self):
        return sum(count for what, count in self.faults.items() if what not in BROKEN)

    def values(self):
        return {
            "rounds": self.rounds, "repeated": self.repeated, "inFlight": sum(self.in_flight),
            "acknowledged": self.acknowledged, "replays": self.replays, "refused": self.refused,
            "corrected": self.corrected, "withdrawn": self.withdrawn, "lost": self.faults["lost"],
            "doubled": self.faults["doubled"], "different": self.different, "faults": dict(self.faults),
            "medianRecovery": rounded(statistics.median(self.recoveries)) if self.recoveries else None,
            "slowestRecovery": rounded(max(self.recoveries)) if self.recoveries else None,
            "mostMoreFiles": self.more_files, "mostMoreMemory": round(self.more_memory, 1),
            "recoveries": [rounded(one) for one in self.recoveries], "statuses": dict(self.statuses),
        }


def rounded(seconds):
    return round(seconds, 3)


class Report:
    def __init__(self, options, program):
        self.options, self.program = options, program
        self.kinds, self.skipped = collections.defaultdict(Kept), {}
        # Faults found by the checks of a whole folder, and where failed folders were kept.
        self.others, self.kept_folders = collections.Counter(), []
        self.seconds = 0

    def line(self, result):
        """One line of progress, and one for each fault."""
        recovery = "" if result.recovery is None else f", ready after {result.recovery:.2f} s"
        note = f" ({result.note})" if result.note else ""
        counted = f"{result.in_flight} in flight" if result.counts else "not counted: nothing was unanswered"
        print(f"{result.number:5} {result.kind:20} {counted}, {result.acknowledged} stored, {result.replays} replays"
              f"{recovery}{note}, {result.seconds:.1f} s", flush=True)
        self.lines(result.faults)

    @staticmethod
    def lines(faults):
        for fault in faults[:10]:
            print(f"      BROKEN {fault}", flush=True)
        if len(faults) > 10:
            print(f"      … and {len(faults) - 10} more", flush=True)

    def add(self, result):
        self.kinds[result.kind].add(result)

    def add_others(self, faults):
        self.others.update(fault.what for fault in faults)
        self.lines(faults)

    @property
    def rounds(self):
        return sum(kept.rounds for kept in self.kinds.values())

    @property
    def faults(self):
        return sum(self.others.values()) + sum(sum(kept.faults.values()) for kept in self.kinds.values())

    def table(self):
        rows = [("kind", "rounds", "in flight", "acknowledged", "replays", "lost", "doubled", "different",
                 "ready again, median", "slowest")]
        rows += [(name, *self.cells(self.kinds[name])) for name in KINDS if name in self.kinds]
        rows.append(("all", *self.cells(self.total())))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["| " + " | ".join(self.aligned(row, widths)) + " |" for row in rows]
        lines.insert(1, "| " + " | ".join(["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]) + " |")
        return "\n".join(lines)

    @staticmethod
    def aligned(row, widths):
        return [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]

    @staticmethod
    def cells(kept):
        recovery = [f"{one:.2f} s" for one in (statistics.median(kept.recoveries), max(kept.recoveries))] \
            if kept.recoveries else ["–", "–"]
        counts = (kept.rounds, sum(kept.in_flight), kept.acknowledged, kept.replays, kept.faults["lost"],
                  kept.faults["doubled"], kept.different)
        return [f"{count:,}" for count in counts] + recovery

    def total(self):
        total = Kept()
        for kept in self.kinds.values():
            for name in ("rounds", "repeated", "acknowledged", "replays", "refused", "corrected", "withdrawn"):
                setattr(total, name, getattr(total, name) + getattr(kept, name))
            total.in_flight += kept.in_flight
            total.faults.update(kept.faults)
        total.faults.update(self.others)
        return total

    def add_file(self, path):
        """Adds the results of another run."""
        with open(path) as file:
            run = json.load(file)
        for name, values in run["kinds"].items():
            self.kinds[name].add_values(values)
        self.others.update(run["faultsOfWholeFolders"])
        self.seconds += run["seconds"]

    def save(self, path):
        with open(path, "w") as file:
            json.dump({
                "seed": self.options.seed, "program": self.program, "seconds": round(self.seconds, 1),
                "clients": self.options.clients, "rounds": self.rounds, "skipped": self.skipped,
                "faultsOfWholeFolders": dict(self.others), "keptFolders": self.kept_folders,
                "kinds": {name: kept.values() for name, kept in self.kinds.items()},
            }, file, indent=1)
            file.write("\n")

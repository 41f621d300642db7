"""The values of a run: collected by the groups, saved as JSON, and printed as a table."""
import json, statistics

from bench.figures import BY_KEY, FIGURES


class Results:
    def __init__(self, options):
        self.options = options
        self.machine = {}
        # The values of each figure, one for each round.
        self.figures = {}
        # What each group measured in each round.
        self.rounds = {}
        # Why a figure was not measured.
        self.missing = {}
        # Sentences below the table.
        self.notes = []

    def add(self, key, value):
        assert key in BY_KEY, key
        self.figures.setdefault(key, []).append(value)

    def record(self, group, **values):
        """Keeps the raw values of a round, for the JSON file and the plots."""
        self.rounds.setdefault(group, []).append(values)

    def lack(self, key, reason):
        self.missing[key] = reason

    def save(self, path):
        figures = {
            key: {"text": self.text(BY_KEY[key]), "values": values, "median": statistics.median(values),
                  "must": BY_KEY[key].must, "aim": BY_KEY[key].aim, "unit": BY_KEY[key].unit}
            for key, values in self.figures.items()}
        with open(path, "w") as file:
            json.dump({"machine": self.machine, "options": vars(self.options), "figures": figures,
                       "missing": self.missing, "notes": self.notes, "rounds": self.rounds}, file, indent=1)
            file.write("\n")

    def text(self, figure):
        options = self.options
        return figure.text.format(rows=f"{options.rows:,}", stored=f"{options.stored:,}",
                                  viewers=f"{options.viewers:,}", import_rows=f"{options.import_rows:,}")

    def table(self):
        """The rows of the table at the end, in Markdown. The short form is not judged."""
        rows = [("figure", "measured, median (range)", "must", "aim", "holds?")]
        for figure in FIGURES:
            values = self.figures.get(figure.key, [])
            limits = figure.limit(figure.must), figure.limit(figure.aim)
            if values:
                holds = "not judged" if self.options.short else figure.reached(statistics.median(values))
                rows.append((self.text(figure), figure.measured(values), *limits, holds))
            elif figure.key in self.missing:
                rows.append((self.text(figure), f"not measured: {self.missing[figure.key]}", *limits, ""))
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
        lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
        return "\n".join(lines)

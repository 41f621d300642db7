"""Reads tables with Python's csv, json and pandas, and compares them with the answers.

`check_tables.py EXPECTED.json`: `columns` are the columns to compare, `rows` their cells as texts in any order, `count`
is the number of columns; `raw`, `guarded`, `titled` and `lines` contain the tables.
"""

import csv
import io
import json
import re
import sys
from collections import Counter

import pandas

# One ' was added before text that a spreadsheet would run, with or without leading quotes.
INVISIBLE = (
    r"\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
GUARD = re.compile(rf"'('*([\t\n\r]|[{INVISIBLE}]*[=+\-@\uff1d\uff0b\uff0d\uff20]))")


def unguarded(text: str) -> str:
    return text[1:] if GUARD.match(text) else text


def compare(name: str, found: list[tuple[str, ...]], expected: list[tuple[str, ...]]) -> None:
    missing, surplus = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
    if missing or surplus:
        sys.exit(f"{name}: missing {list(missing)[:3]!r}, surplus {list(surplus)[:3]!r}")


def by_csv(text: str, columns: list[str]) -> list[tuple[str, ...]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(reader)
    places = [header.index(column) for column in columns]
    return [tuple(row[place] for place in places) for row in reader]


def by_pandas(text: str, columns: list[str]) -> list[tuple[str, ...]]:
    frame = pandas.read_csv(io.BytesIO(text.encode()), dtype=str, keep_default_na=False)
    return [tuple(row) for row in frame[columns].itertuples(index=False)]


def by_lines(text: str, columns: list[str]) -> list[tuple[str, ...]]:
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    return [tuple("" if row[column] is None else str(row[column]) for column in columns) for row in rows]


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    columns, expected = given["columns"], [tuple(row) for row in given["rows"]]
    for name, read in (("csv", by_csv), ("pandas", by_pandas)):
        compare(f"{name}, raw", read(given["raw"], columns), expected)
        guarded = [tuple(map(unguarded, row)) for row in read(given["guarded"], columns)]
        compare(f"{name}, guarded", guarded, expected)
    compare("ndjson", by_lines(given["lines"], columns), expected)
    # Even if titles are equal, a reader that finds columns by title must find one for each question.
    titled = pandas.read_csv(io.BytesIO(given["titled"].encode()), dtype=str, keep_default_na=False)
    if titled.shape != (len(expected), given["count"]):
        sys.exit(f"titles: {titled.shape}")
    # Numbers are read as numbers without any option.
    frame = pandas.read_csv(io.BytesIO(given["guarded"].encode()))
    if frame["score"].dtype.kind not in "if":
        sys.exit(f"score is read as {frame['score'].dtype}")


main()

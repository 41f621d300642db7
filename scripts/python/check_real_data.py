"""Compares the exports of scripts/check-real-data with the imported files."""

import collections
import csv
import json
import math
import statistics
import sys

from check_statistics import close, summary

csv.field_size_limit(1 << 24)
failures = []


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check(what, found, expected):
    equal = math.isclose(found, expected, rel_tol=1e-9) if isinstance(expected, float) else found == expected
    shown = f"{found:,.4f}" if isinstance(found, float) else found if isinstance(found, (bool, str)) else f"{found:,}"
    print(f"  {'ok   ' if equal else 'WRONG'} {what}: {shown}" + ("" if equal else f", expected {expected}"))
    if not equal:
        failures.append(what)


def reports(folder, name):
    """The reports of both runs. A line with the time follows the JSON."""
    return [json.loads(open(f"{folder}/{name}.{run}").readline()) for run in ("first", "second")]


def is_ratings(row):
    return row["question"] == "rating"


def compare(folder, ratings_path, texts_path):
    ratings, texts = table(ratings_path), table(texts_path)
    meetings = {(row["lecturer"], row["lecture_age"]) for row in ratings}
    values = [int(row["rating"]) for row in ratings]

    for name, rows in (("lecture_ratings", len(ratings)), ("short_answers", len(texts))):
        first, second = reports(folder, name)
        check(f"{name}, added by the first run", first["created"], rows)
        check(f"{name}, refused", first["refused"] + second["refused"], 0)
        check(f"{name}, added by the second run", second["created"] + second["newMeetings"] + second["newSeries"], 0)
        check(f"{name}, found by the second run", second["alreadyThere"], rows)

    buckets = [row for row in table(f"{folder}/summary.csv") if is_ratings(row)]
    check("series", len({row["series_id"] for row in buckets}), len({lecturer for lecturer, _ in meetings}))
    check("meetings", len({row["meeting_id"] for row in buckets}), len(meetings))
    counts = collections.Counter()
    for row in buckets:
        counts[int(row["value"])] += int(row["count"])
    for value in sorted(set(values)):
        check(f"ratings of {value}", counts[value], values.count(value))
    total = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / total
    squares = sum(count * (value - mean) ** 2 for value, count in counts.items())
    check("ratings", total, len(values))
    check("mean of the ratings", mean, statistics.fmean(values))
    check("standard deviation of the ratings", math.sqrt(squares / (total - 1)), statistics.stdev(values))

    compare_statistics(folder, ratings)

    choices = collections.defaultdict(collections.Counter)
    for row in table(f"{folder}/summary.csv"):
        if row["question"] in ("department", "service", "study_age"):
            choices[row["question"]][row["label"]] += int(row["count"])
    for column in ("department", "service", "study_age"):
        expected = collections.Counter(row[column] for row in ratings)
        check(f"values of {column} whose count differs", len(choices[column].items() ^ expected.items()), 0)

    compare_texts(folder, texts, 1)


def compare_statistics(folder, ratings):
    """Compares every number of every question and meeting with SciPy and NumPy, to 1e-9."""
    columns = ("rating", "department", "service", "study_age")
    given = collections.defaultdict(list)
    for row in ratings:
        for column in columns:
            given[f"Lecturer {row['lecturer']}", row["lecture_age"], column].append(row[column])

    def answers(row):
        age = next(word for word in row["meeting"].split() if word.isdigit())
        values = given[row["series"], age, row["question"]]
        return [value for value in values if value not in ("", "NA")], len(values)

    def number(text):
        return float(text) if text else None

    wrong = compared = 0
    for row in table(f"{folder}/questions.csv"):
        if row["question"] not in columns:
            continue
        values, submissions = answers(row)
        expected = {"answered": len(values), "skipped": submissions - len(values)}
        if is_ratings(row):
            found = summary([int(value) for value in values])
            # Tables clip the interval to the scale, 1 to 5.
            low, high = (min(max(bound, 1), 5) for bound in found["confidence95"]) if found["confidence95"] else (None, None)
            expected |= {"mean": found["mean"], "median": found["median"], "low": low, "high": high,
                         "standard_deviation": found["standardDeviation"], "nps": None}
        for column, value in expected.items():
            compared += 1
            wrong += not close(number(row[column]), value)
    check("numbers of questions compared", compared > 0, True)
    check(f"of these {compared:,} numbers, wrong", wrong, 0)
    wrong = compared = 0
    for row in table(f"{folder}/summary.csv"):
        if row["question"] not in columns:
            continue
        values, submissions = answers(row)
        count = values.count(row["label"])
        expected = {"count": count, "answered": len(values), "skipped": submissions - len(values),
                    "share": count / len(values) if values else None}
        for column, value in expected.items():
            compared += 1
            wrong += not close(number(row[column]), value)
    check("numbers of buckets compared", compared > 0, True)
    check(f"of these {compared:,} numbers, wrong", wrong, 0)


def compare_texts(folder, texts, copies):
    exported = [row["value"] for row in table(f"{folder}/answers.csv") if row["question"] == "text"]
    original = [row["text"] for row in texts if row["text"].strip()] * copies
    check("texts", len(exported), len(original))
    lost = collections.Counter(original) - collections.Counter(exported)
    check("texts not exported byte for byte", lost.total(), 0)


def main(arguments):
    if arguments[0] == "--series-of-texts":
        row = next(row for row in table(f"{arguments[1]}/questions.csv") if row["question"] == "text")
        print(row["series_id"])
    elif arguments[0] == "--guarded-map":
        with open(arguments[1], encoding="utf-8") as file:
            mapping = json.load(file)
        mapping |= {"guarded": True, "series": {"title": "The guard undone"}}
        print(json.dumps(mapping, ensure_ascii=False))
    elif arguments[0] == "--statistics":
        compare_statistics(arguments[1], table(arguments[2]))
    elif arguments[0] == "--texts-twice":
        compare_texts(arguments[1], table(arguments[2]), 2)
    else:
        compare(*arguments)
    if failures:
        sys.exit(f"{len(failures)} differences")


main(sys.argv[1:])

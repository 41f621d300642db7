"""Compares the exports of scripts/check-real-data with the files that were imported."""

import collections
import csv
import json
import math
import statistics
import sys

csv.field_size_limit(1 << 24)
failures = []


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check(what, found, expected):
    equal = math.isclose(found, expected, rel_tol=1e-9) if isinstance(expected, float) else found == expected
    shown = f"{found:,.4f}" if isinstance(found, float) else f"{found:,}" if isinstance(found, int) else found
    print(f"  {'ok   ' if equal else 'WRONG'} {what}: {shown}" + ("" if equal else f", expected {expected}"))
    if not equal:
        failures.append(what)


def reports(folder, name):
    """The two runs' answers; the line with the time stands behind the JSON."""
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

    summary = [row for row in table(f"{folder}/summary.csv") if is_ratings(row)]
    check("series", len({row["series_id"] for row in summary}), len({lecturer for lecturer, _ in meetings}))
    check("meetings", len({row["meeting_id"] for row in summary}), len(meetings))
    counts = collections.Counter()
    for row in summary:
        counts[int(row["value"])] += int(row["count"])
    for value in sorted(set(values)):
        check(f"ratings of {value}", counts[value], values.count(value))
    total = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / total
    squares = sum(count * (value - mean) ** 2 for value, count in counts.items())
    check("ratings", total, len(values))
    check("their mean", mean, statistics.fmean(values))
    check("their standard deviation", math.sqrt(squares / (total - 1)), statistics.stdev(values))

    by_meeting = collections.defaultdict(list)
    for row in ratings:
        by_meeting[f"Lecturer {row['lecturer']}", row["lecture_age"]].append(int(row["rating"]))
    wrong = 0
    questions = [row for row in table(f"{folder}/questions.csv") if is_ratings(row)]
    for row in questions:
        age = next(word for word in row["meeting"].split() if word.isdigit())
        group = by_meeting[row["series"], age]
        deviation = statistics.stdev(group) if len(group) > 1 else None
        found = float(row["standard_deviation"]) if row["standard_deviation"] else None
        same = (found is None) == (deviation is None)
        same = same and (found is None or math.isclose(found, deviation, abs_tol=1e-9))
        same = same and math.isclose(float(row["mean"]), statistics.fmean(group))
        same = same and float(row["median"]) == statistics.median(group)
        wrong += not same
    check("meetings whose mean, median or deviation differs", wrong, 0)

    choices = collections.defaultdict(collections.Counter)
    for row in table(f"{folder}/summary.csv"):
        if row["question"] in ("department", "service", "study_age"):
            choices[row["question"]][row["label"]] += int(row["count"])
    for column in ("department", "service", "study_age"):
        expected = collections.Counter(row[column] for row in ratings)
        check(f"values of {column} whose count differs", len(choices[column].items() ^ expected.items()), 0)

    compare_texts(folder, texts, 1)


def compare_texts(folder, texts, copies):
    exported = [row["value"] for row in table(f"{folder}/answers.csv") if row["question"] == "text"]
    original = [row["text"] for row in texts if row["text"].strip()] * copies
    check("texts", len(exported), len(original))
    lost = collections.Counter(original) - collections.Counter(exported)
    check("texts that are not there byte for byte", lost.total(), 0)


def main(arguments):
    if arguments[0] == "--series-of-texts":
        row = next(row for row in table(f"{arguments[1]}/questions.csv") if row["question"] == "text")
        print(row["series_id"])
    elif arguments[0] == "--guarded-map":
        with open(arguments[1], encoding="utf-8") as file:
            mapping = json.load(file)
        mapping |= {"guarded": True, "series": {"title": "The guard undone"}}
        print(json.dumps(mapping, ensure_ascii=False))
    elif arguments[0] == "--texts-twice":
        compare_texts(arguments[1], table(arguments[2]), 2)
    else:
        compare(*arguments)
    if failures:
        sys.exit(f"{len(failures)} differences")


main(sys.argv[1:])

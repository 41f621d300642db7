"""Computes results and exports with SciPy and NumPy from raw answers, and compares them to 1e-9.

    check_statistics.py FILE        forms as written by the tests: definitions, answers and the API's result
    check_statistics.py --examples docs/statistics.md

Shares no code with the program. A number agrees if |found - expected| <= 1e-9 max(1, |expected|).
"""

import json
import math
import re
import statistics
import sys
from collections import Counter

import numpy
from scipy import stats

TOLERANCE = 1e-9


def close(found, expected):
    if found is None or expected is None:
        return found is expected
    return abs(found - expected) <= TOLERANCE * max(1.0, abs(expected))


# The numbers of one question, from the given values.


def wilson(count, total):
    """The bounds of a share."""
    interval = stats.binomtest(count, total).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def student(values):
    """The bounds of a mean. SciPy returns none if all values are equal."""
    if len(values) < 2:
        return None
    mean, error = numpy.mean(values), stats.sem(values)
    if error == 0:
        return [float(mean), float(mean)]
    return [float(bound) for bound in stats.t.interval(0.95, len(values) - 1, loc=mean, scale=error)]


def summary(values):
    """The mean, median, deviation and interval of ratings."""
    return {
        "mean": statistics.mean(values) if values else None,
        "median": float(numpy.median(values)) if values else None,
        "groupedMedian": float(statistics.median_grouped(values)) if values else None,
        "standardDeviation": float(numpy.std(values, ddof=1)) if len(values) > 1 else None,
        "confidence95": student(values),
    }


def promoters(values):
    """The net promoter score. Its interval is computed from the answers and three added ones."""
    if not values:
        return None
    signs = [(value >= 9) - (value <= 6) for value in values]
    counts = Counter(signs)
    low = high = None
    if len(values) > 1:
        weights = [counts[1] + 0.75, counts[0] + 1.5, counts[-1] + 0.75]
        mean = numpy.average([1, 0, -1], weights=weights)
        variance = numpy.average((numpy.array([1, 0, -1]) - mean) ** 2, weights=weights)
        bounds = stats.norm.interval(0.95, loc=mean, scale=math.sqrt(variance / sum(weights)))
        low, high = (float(numpy.clip(100 * bound, -100, 100)) for bound in bounds)
    return {
        "score": 100 * statistics.mean(signs), "low": low, "high": high,
        "promoters": counts[1], "passives": counts[0], "detractors": counts[-1],
    }


# The room: people who were there, some of whom are silent.


def tail_is_likely(count, answered, holders, people):
    """P(X >= count) > 1/40, exactly, if SciPy's probability is too close to say."""
    probability = float(stats.hypergeom.sf(count - 1, people, holders, answered))
    if abs(probability - 0.025) > 1e-9:
        return probability > 0.025
    ways = sum(math.comb(holders, hit) * math.comb(people - holders, answered - hit)
               for hit in range(count, min(answered, holders) + 1))
    return 40 * ways > math.comb(people, answered)


def fewest(count, answered, people):
    """The smallest number of holders with which the count is not too high. The tail grows with the holders."""
    low, high = count, count + people - answered
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if tail_is_likely(count, answered, middle, people) else (middle + 1, high)
    return low


def within(interval, certain):
    return None if interval is None else [max(interval[0], certain[0]), min(interval[1], certain[1])]


def effective(answered, people):
    return answered * (people - 1) / (people - answered)


def room_share(count, answered, people):
    silent = people - answered
    certain = [count / people, (count + silent) / people]
    interval = None
    if answered and silent and people <= 500:
        interval = [fewest(count, answered, people) / people,
                    (people - fewest(answered - count, answered, people)) / people]
    elif answered and silent:
        size, z = effective(answered, people), float(stats.norm.ppf(0.975))
        share = count / answered
        # The roots of the score equation (share - p)^2 = z^2 p (1 - p) / size.
        roots = numpy.roots([1 + z * z / size, -2 * share - z * z / size, share * share])
        interval = sorted(float(root.real) for root in roots)
    return {"ifAlike": within(interval, certain), "certain": certain}


def room_mean(values, scale, people):
    """Student's interval with the finite correction, or the normal one with an added answer where that is wider."""
    answered, silent = len(values), people - len(values)
    certain = [(sum(values) + silent * end) / people for end in scale]
    interval = None
    if answered > 1 and silent:
        mean, error = numpy.mean(values), stats.sem(values) * math.sqrt(1 - answered / people)
        reach = float(stats.t.ppf(0.975, answered - 1)) * error
        weights = numpy.append(numpy.full(answered, (people - 1) / silent), [0.5, 0.5])
        widened = numpy.append(numpy.array(values, dtype=float), scale)
        center = numpy.average(widened, weights=weights)
        variance = numpy.average((widened - center) ** 2, weights=weights)
        adjusted = stats.norm.interval(0.95, loc=center, scale=math.sqrt(variance / weights.sum()))
        interval = [float(min(mean - reach, adjusted[0])), float(max(mean + reach, adjusted[1]))]
    return {"ifAlike": within(interval, certain), "certain": certain}


def room_score(values, people):
    """The adjusted interval of the net promoter score, with each answer worth (N - 1) / (N - n)."""
    answered, silent = len(values), people - len(values)
    signs = [(value >= 9) - (value <= 6) for value in values]
    certain = [100 * (sum(signs) - silent) / people, 100 * (sum(signs) + silent) / people]
    interval = None
    if answered > 1 and silent:
        weights = numpy.append(numpy.full(answered, (people - 1) / silent), [0.75, 1.5, 0.75])
        points = numpy.append(signs, [1, 0, -1])
        mean = numpy.average(points, weights=weights)
        variance = numpy.average((points - mean) ** 2, weights=weights)
        bounds = stats.norm.interval(0.95, loc=mean, scale=math.sqrt(variance / weights.sum()))
        interval = [float(numpy.clip(100 * bound, -100, 100)) for bound in bounds]
    return {"ifAlike": within(interval, certain), "certain": certain}


def first_statement(answered, people):
    if answered == people:
        return "known"
    return "ifAlike" if answered / people >= 0.8 else "certain" if answered / people >= 0.5 else "similarPeople"


def expected_room(result, question, values, people):
    """What is said of the room. `values` are the ratings."""
    answered = result["answered"]
    room = {
        "people": people, "silent": people - answered, "first": first_statement(answered, people),
        "tooFewAnswers": answered < 2 and answered < people,
        "points": [room_share(point["count"], answered, people) for point in result["points"]],
    }
    if question["kind"] == "rating":
        room["mean"] = room_mean(values, [question["min"], question["max"]], people)
        if question["metric"] == "nps" and values:
            room["nps"] = room_score(values, people)
    return room


def people_of(form):
    """The number of people in the room, and how it is known."""
    for base in ("attended", "list", "headcount"):
        if form["onceOnly"] and form.get(base):
            return form[base], base
    return None, None


# Answers and forms.


def is_skipped(answer):
    """A text that consists of white space counts as skipped."""
    return answer is None or answer == [] or (isinstance(answer, str) and not answer.strip())


def chosen(answer):
    """The buckets of a choice's answer."""
    selections = answer if isinstance(answer, list) else [answer]
    return ["other" if isinstance(one, dict) else one for one in selections]


def asked_questions(versions):
    """Every key with its newest question, the options of all versions, and its first and last version."""
    found = {}
    for number, questions in sorted(versions.items()):
        for place, question in enumerate(questions):
            known = found.get(question["key"])
            options = list(question.get("options", []))
            other = question.get("other", False)
            if known:
                ids = {option["id"] for option in options}
                options += [option for option in known["options"] if option["id"] not in ids]
                other = other or known["other"]
            found[question["key"]] = {
                "question": question, "options": options, "other": other, "place": place,
                "abstain": question.get("abstain") or (known and known["abstain"]),
                "first": known["first"] if known else number, "last": number,
            }
    newest = max(versions)
    order = sorted(found, key=lambda key: (-found[key]["last"], found[key]["place"], key))
    return [(key, found[key], found[key]["last"] < newest) for key in order]


def expected_question(key, asked, retired, versions, submissions, people=None):
    """The result of one question, from the submissions whose version contains it.

    `people` is the number of people in the room, if it is known.
    """
    question = asked["question"]
    answers = [
        submission["answers"].get(key) for submission in submissions
        if any(one["key"] == key for one in versions[submission["version"]])
    ]
    given = [answer for answer in answers if not is_skipped(answer)]
    skipped = len(answers) - len(given)
    abstained = 0
    if asked["abstain"] is not None:
        abstained = sum(answer == "abstain" for answer in given)
        given = [answer for answer in given if answer != "abstain"]
    result = {
        "key": key, "kind": question["kind"], "title": question["title"], "answered": len(given),
        "skipped": skipped, "asked": len(answers), "versions": [asked["first"], asked["last"]], "retired": retired,
    }
    if question["kind"] == "text":
        return result
    if question.get("grid"):
        result["grid"] = {name: value for name, value in question["grid"].items() if value is not None}
    if asked["abstain"] is not None:
        result |= {"abstained": abstained, "abstain": asked["abstain"]}
    if question["kind"] == "rating":
        values = range(question["min"], question["max"] + 1)
        buckets = list(zip(map(str, values), question.get("labels") or map(str, values)))
        counts = Counter(str(value) for value in given)
        result |= summary(given)
        if question["metric"] == "nps":
            result["nps"] = promoters(given)
        # The labels of the scale's ends, as in the form.
        result |= {end: question[end] for end in ("minLabel", "maxLabel") if question.get(end)}
    else:
        buckets = [(option["id"], option["label"]) for option in asked["options"]]
        buckets += [("other", "Other")] if asked["other"] else []
        counts = Counter(bucket for answer in given for bucket in chosen(answer))
    result["labels"] = [label for _, label in buckets]
    result["datasets"] = [{"id": "answers", "label": "Answers", "data": [counts[bucket] for bucket, _ in buckets]}]
    result["points"] = []
    for bucket, label in buckets:
        point = {"id": bucket, "label": label, "count": counts[bucket], "share": None, "low": None, "high": None}
        if question["kind"] == "rating":
            point["value"] = int(bucket)
        if given:
            point["share"] = counts[bucket] / len(given)
            point["low"], point["high"] = wilson(counts[bucket], len(given))
        result["points"].append(point)
    # Those who abstained have no rating that could be guessed.
    if people is not None and people > abstained:
        result["room"] = expected_room(result, question, given, people - abstained)
    return result


def shown_count(total, minimum, closed):
    """The number of released submissions, out of `total` that arrived one by one, with a minimum group."""
    pending = shown = 0
    for count in range(1, total + 1):
        if count - pending >= minimum:
            shown, pending = pending, count
    return total if closed and total - shown >= minimum else shown


def without_answers(question):
    """A question whose counts are withheld."""
    empty = {name: value for name, value in question.items() if name != "room"} | {"answered": 0, "skipped": 0, "asked": 0}
    if "abstained" in question:
        empty["abstained"] = 0
    if question["kind"] != "text":
        empty |= {"points": [], "datasets": [question["datasets"][0] | {"data": []}]}
    if question["kind"] == "rating":
        empty |= summary([]) | ({"nps": None} if "nps" in question else {})
    return empty


def expected_results(form):
    """The expected response of the API for a form."""
    versions = {version["version"]: version["questions"] for version in form["versions"]}
    submissions = form["submissions"]
    total, minimum = len(submissions), form.get("minimumGroup", 1)
    shown = shown_count(total, minimum, form["closed"]) if minimum > 1 else total
    people, room_base = people_of(form)
    exceeded = people is not None and total > people
    questions = [
        expected_question(key, asked, retired, versions, submissions[:shown], None if exceeded else people)
        for key, asked, retired in asked_questions(versions)
    ]
    if shown == 0 and total > 0:
        questions = [without_answers(question) for question in questions]
    rate = base = None
    if form["onceOnly"]:
        for name in ("headcount", "attended"):
            if form[name]:
                rate, base = len(submissions) / form[name], name
                break
    room = {} if people is None else {"room": {"people": people, "base": room_base, "exceeded": exceeded}}
    return room | {
        "version": max(versions), "submissions": len(submissions), "headcount": form["headcount"],
        "attended": form["attended"], "responseRate": rate, "responseBase": base,
        "withheld": None if shown == total else {"reason": "minimum-group", "minimum": minimum, "shown": shown},
        "questions": questions,
    }


def on_scale(question):
    """The interval of a mean as in tables, clipped to the scale."""
    if not question.get("confidence95"):
        return None, None
    scale = [point["value"] for point in question["points"]]
    return (float(numpy.clip(bound, min(scale), max(scale))) for bound in question["confidence95"])


def expected_tables(results):
    """The expected rows of the exports `questions` and `summary`, without the columns that identify the meeting."""
    questions, buckets = [], []
    # Withheld counts are empty there, not 0.
    hidden = results["withheld"] is not None and results["withheld"]["shown"] == 0
    for place, question in enumerate(results["questions"]):
        row = {"position": place + 1, "question": question["key"], "kind": question["kind"],
               "title": question["title"], "answered": None if hidden else question["answered"],
               "skipped": None if hidden else question["skipped"]}
        low, high = on_scale(question)
        questions.append(row | {
            "mean": question.get("mean"), "median": question.get("median"),
            "standard_deviation": question.get("standardDeviation"), "low": low, "high": high,
            "nps": (question.get("nps") or {}).get("score"),
        })
        nothing = {"id": None, "label": None, "count": None, "share": None}
        for number, point in list(enumerate(question.get("points", []))) or [(None, nothing)]:
            buckets.append(row | {
                "bucket_position": None if number is None else number + 1, "option_id": point["id"],
                "label": point["label"], "value": point.get("value"), "count": point["count"], "share": point["share"],
            })
        if question.get("points") and "abstain" in question:
            buckets.append(row | {
                "bucket_position": len(question["points"]) + 1, "option_id": "abstain", "label": question["abstain"],
                "value": None, "count": question["abstained"], "share": None,
            })
    return {"questions": questions, "summary": buckets}


def cronbach(ratings):
    """Cronbach's alpha of people's ratings of all statements, and its interval by Feldt (1965)."""
    people, statements = len(ratings), len(ratings[0]) if ratings else 0
    if people < 2 or statements < 2:
        return None, None
    table = numpy.array(ratings, dtype=float)
    total = table.sum(axis=1).var(ddof=1)
    if total == 0:
        return None, None
    alpha = statements / (statements - 1) * (1 - table.var(axis=0, ddof=1).sum() / total)
    degrees = people - 1, (people - 1) * (statements - 1)
    bounds = [1 - (1 - alpha) * stats.f.ppf(probability, *degrees) for probability in (0.975, 0.025)]
    return float(alpha), [float(bound) for bound in bounds]


def alpha_faults(form):
    """The faults of Cronbach's alpha of each grid."""
    faults = []
    newest = max(form["versions"], key=lambda version: version["version"])["questions"]
    for place, found in enumerate(form.get("alphas", [])):
        keys = [one["key"] for one in newest if (one.get("grid") or {}).get("key") == found["grid"]["key"]]
        rows = [[submission["answers"].get(key) for key in keys] for submission in form["submissions"]]
        ratings = [row for row in rows if all(isinstance(value, int) for value in row)]
        alpha, interval = cronbach(ratings)
        expected = {"statements": keys, "n": len(ratings), "alpha": alpha, "confidence95": interval, "partial": None}
        own = {name: found[name] for name in expected if name in found}
        faults += differences(own, expected, f"/alphas/{place}")
    return faults


def form_faults(form):
    """The faults of the results and, if given, of the exported rows."""
    expected = expected_results(form)
    faults = differences(form["results"], expected) + alpha_faults(form)
    for name, rows in expected_tables(expected).items():
        if name not in form:
            continue
        found = form[name]
        if len(found) != len(rows):
            faults.append(f"/{name}: {len(found)} rows, expected {len(rows)}")
        for place, (one, other) in enumerate(zip(found, rows)):
            own = {column: one[column] for column in other if column in one}
            faults += differences(own, other, f"/{name}/{place}")
    return faults


def differences(found, expected, path=""):
    """The differences between a result and the computed one. Members that are not computed are ignored."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{path}: {found!r} is not an object"]
        listed = [] if path == "" else [f"{path}/{name} is unexpected" for name in found.keys() - expected.keys()
                                        if name not in ("released",)]
        for name, value in expected.items():
            if name not in found:
                listed.append(f"{path}/{name} is missing")
            else:
                listed += differences(found[name], value, f"{path}/{name}")
        return listed
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{path}: {found!r}, expected {expected!r}"]
        return [line for place, (one, other) in enumerate(zip(found, expected))
                for line in differences(one, other, f"{path}/{place}")]
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        equal = isinstance(found, (int, float)) and not isinstance(found, bool) and close(found, expected)
    else:
        equal = type(found) is type(expected) and found == expected
    return [] if equal else [f"{path}: {found!r}, expected {expected!r}"]


# The examples of the documentation.


def evaluate(calculation):
    """Evaluates an expression in the notation of the page."""
    text = calculation.replace("·", "*").replace("−", "-").replace("²", "**2")
    names = {
        "sqrt": math.sqrt, "z": stats.norm.ppf(0.975), "t": lambda degrees: stats.t.ppf(0.975, degrees),
        "max": max, "min": min,
    }
    if not re.fullmatch(r"[0-9a-z\s.,()+*/-]+", text):
        raise ValueError(f"not a calculation: {calculation}")
    return float(eval(text, {"__builtins__": {}}, names))


def member(value, path):
    for step in re.findall(r"[A-Za-z0-9]+", path):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def example_faults(page):
    """Checks each example's calculations against its values, and the values against its answers."""
    faults, count = [], 0
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for block, table in re.findall(r"```json example\n(.*?)```\n\n(\|.*?)\n\n", text + "\n\n", re.S):
        form = json.loads(block)
        results = expected_results({
            "versions": [{"version": 1, "questions": [complete(form["question"])]}],
            "submissions": [{"version": 1, "answers": {form["question"]["key"]: one}} for one in form["answers"]],
            "onceOnly": "headcount" in form or "attended" in form, "headcount": form.get("headcount"),
            "attended": form.get("attended", 0),
        })
        for row in table.splitlines()[2:]:
            name, calculation, value = (cell.strip().strip("`") for cell in row.strip("|").split("|"))
            expected = member(results if name.startswith("response") else results["questions"][0], name)
            count += 1
            if value == "null":
                agrees = expected is None and calculation == ""
            else:
                # The page rounds to four decimals, and from 10 on to three.
                agrees = abs(expected - float(value)) <= (0.000_050_01 if abs(expected) < 10 else 0.000_500_01)
                agrees = agrees and (calculation == "" or abs(evaluate(calculation) - expected) <= 1e-9)
            if not agrees:
                faults.append(f"{page}: {row}: expected {expected!r}")
    return faults if count else [f"{page} has no examples"]


def complete(question):
    """Adds the defaults of the API."""
    defaults = {"min": 1, "max": 5, "metric": "mean"} if question["kind"] == "rating" else {}
    return defaults | {"title": question["key"]} | question


def main(arguments):
    if arguments[0] == "--examples":
        faults = example_faults(arguments[1])
    else:
        with open(arguments[0], encoding="utf-8") as file:
            forms = json.load(file)
        faults = [f"{form['name']}{line}" for form in forms for line in form_faults(form)]
        faults = faults or ([] if forms else ["no forms"])
    if faults:
        sys.exit("\n".join(faults[:50]) + f"\n{len(faults)} differences")


if __name__ == "__main__":
    main(sys.argv[1:])

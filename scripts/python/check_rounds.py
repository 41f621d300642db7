"""Compares trends, changes of pairs, pooled results and rankings with values that SciPy and NumPy compute from the single answers.

    check_rounds.py CASES.json                      trends and pooled results, as written by the tests
    check_rounds.py --ranking ITEMS.json RATINGS.csv    a ranking of lme4's InstEval
    check_rounds.py --service URL EMAIL PASSWORD RATINGS.csv    both rankings of a service that has imported it, and the
                                                        trend and the pooled results of each lecturer

Prints every difference above 1e-9, and fails if there is one. A case contains the single answers of each round, never
counts, and the service's response.
"""

import collections
import csv
import itertools
import json
import math
import sys
import time
import urllib.request

import numpy as np
from scipy import stats

differences = []
compared = 0


def same(where, found, expected):
    global compared
    compared += 1
    if found is None or expected is None:
        equal = found is None and expected is None
    elif isinstance(expected, float):
        equal = math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    else:
        equal = found == expected
    if not equal:
        differences.append(f"{where}: {found}, expected {expected}")


def wilson(count, n):
    interval = stats.binomtest(count, n).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def mean_interval(values):
    if len(values) < 2:
        return None, None
    if len(set(values)) == 1:
        return float(values[0]), float(values[0])
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return float(low), float(high)


def welch(new, old):
    if len(new) < 2 or len(old) < 2:
        return None, None
    if len(set(new)) == 1 and len(set(old)) == 1:
        return float(new[0] - old[0]), float(new[0] - old[0])
    interval = stats.ttest_ind(new, old, equal_var=False).confidence_interval(0.95)
    return float(interval.low), float(interval.high)


def newcombe(new, old):
    """Newcombe's method 10, from both Wilson intervals."""
    (l1, u1), (l2, u2) = wilson(*new), wilson(*old)
    p1, p2 = new[0] / new[1], old[0] / old[1]
    return (p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2))


def promotion(values):
    return [100 if value >= 9 else 0 if value >= 7 else -100 for value in values]


def score_interval(values):
    """The adjusted interval of a net promoter score, from the values 100, 0 and -100."""
    if len(values) < 2:
        return None, None
    weights = np.append(np.ones(len(values)), [0.75, 1.5, 0.75])
    points = np.append(values, [100, 0, -100])
    mean = np.average(points, weights=weights)
    variance = np.average((points - mean) ** 2, weights=weights)
    bounds = stats.norm.interval(0.95, loc=mean, scale=math.sqrt(variance / weights.sum()))
    return tuple(float(np.clip(bound, -100, 100)) for bound in bounds)


def score_change(new, old):
    """The interval of the difference of two scores, from the limits of both."""
    (l2, u2), (l1, u1) = score_interval(new), score_interval(old)
    if l1 is None or l2 is None:
        return None, None
    s2, s1 = np.mean(new), np.mean(old)
    return float(s2 - s1 - math.hypot(s2 - l2, u1 - s1)), float(s2 - s1 + math.hypot(u2 - s2, s1 - l1))


def dataset(where, found, numbers, interval, difference):
    """Checks a dataset. `numbers` has for each round the input and the value of its number, or None."""
    last = None
    for index, entry in enumerate(numbers):
        here = f"{where}[{index}]"
        names = ["data", "low", "high", "change", "changeLow", "changeHigh"]
        if entry is None:
            for name in names:
                same(f"{here}.{name}", found[name][index], None)
            continue
        basis, value = entry
        same(f"{here}.data", found["data"][index], float(value))
        low, high = interval(basis)
        same(f"{here}.low", found["low"][index], low)
        same(f"{here}.high", found["high"][index], high)
        change, low, high = (None, None, None) if last is None else (value - last[1], *difference(basis, last[0]))
        same(f"{here}.change", found["change"][index], None if change is None else float(change))
        same(f"{here}.changeLow", found["changeLow"][index], low)
        same(f"{here}.changeHigh", found["changeHigh"][index], high)
        last = entry


def given(rounds, round):
    """The answers of a round without skips. None if the round does not contain the question."""
    asked = rounds[round]
    return None if asked is None else [answer for answer in asked if answer is not None]


def trend(name, case):
    found, rounds = case["response"], case["answers"]
    kind, sets = found["kind"], {entry["id"]: entry for entry in found["datasets"]}
    numbers = [given(rounds, index) for index in range(len(rounds))]
    if kind == "text":
        bases = [len(asked) if asked else None for asked in rounds]
        shares = [None if not base else ((len(answers), base), len(answers) / base) for answers, base in zip(numbers, bases)]
        dataset(f"{name}.answered", sets["answered"], shares, lambda share: wilson(*share), newcombe)
    else:
        bases = [len(answers) if answers else None for answers in numbers]
    for index, base in enumerate(bases):
        same(f"{name}.n[{index}]", found["n"][index], base)
    if kind == "rating":
        means = [None if not answers else (answers, np.mean(answers)) for answers in numbers]
        dataset(f"{name}.mean", sets["mean"], means, mean_interval, welch)
        same(f"{name} has a score", "nps" in sets, case["nps"])
        if case["nps"]:
            scores = [None if not answers else (promotion(answers), np.mean(promotion(answers))) for answers in numbers]
            dataset(f"{name}.nps", sets["nps"], scores, score_interval, score_change)
    if kind == "choice":
        same(f"{name}, options", sorted(sets), sorted(set().union(*[offer for offer in case["offers"] if offer])))
        for option, entry in sets.items():
            shares = []
            for answers, offer in zip(numbers, case["offers"]):
                if not answers or option not in offer:
                    shares.append(None)
                else:
                    count = sum(option in answer for answer in answers)
                    shares.append(((count, len(answers)), count / len(answers)))
            dataset(f"{name}.{option}", entry, shares, lambda share: wilson(*share), newcombe)


def correlated(d, later, earlier, r):
    """The limits of a difference of correlated numbers, from the limits of both (Zou and Donner)."""
    (x2, l2, u2), (x1, l1, u1) = later, earlier
    below = (x2 - l2) ** 2 - 2 * r * (x2 - l2) * (u1 - x1) + (u1 - x1) ** 2
    above = (u2 - x2) ** 2 - 2 * r * (u2 - x2) * (x1 - l1) + (x1 - l1) ** 2
    return d - math.sqrt(max(0, below)), d + math.sqrt(max(0, above))


def paired_mean(old, new):
    if len(set(np.subtract(new, old))) == 1:
        return float(new[0] - old[0]), float(new[0] - old[0]), None
    test = stats.ttest_rel(new, old)
    interval = test.confidence_interval(0.95)
    return float(interval.low), float(interval.high), float(test.pvalue)


def paired_share(old, new):
    n, both = len(old), sum(x and y for x, y in zip(old, new))
    left, joined = sum(old) - both, sum(new) - both
    neither = n - both - left - joined
    p = stats.binomtest(left, left + joined).pvalue if left + joined else 1.0
    covariance = both * neither - left * joined
    covariance = max(0, covariance - n / 2) if covariance > 0 else covariance
    spread = math.sqrt(sum(old) * (n - sum(old)) * sum(new) * (n - sum(new)))
    limits = correlated(
        (joined - left) / n, (sum(new) / n, *wilson(sum(new), n)), (sum(old) / n, *wilson(sum(old), n)),
        covariance / spread if spread else 0)
    return (*limits, float(p))


def paired_score(old, new):
    """The distribution of the sum of moves with random signs, by convolution."""
    x, y = promotion(old), promotion(new)
    moves = [(b - a) // 100 for a, b in zip(x, y)]
    chances = np.array([1.0])
    for move in moves:
        coin = np.zeros(2 * abs(move) + 1)
        coin[0] += 0.5
        coin[-1] += 0.5
        chances = np.convolve(chances, coin)
    reach = sum(map(abs, moves))
    p = sum(chance for at, chance in enumerate(chances) if abs(at - reach) >= abs(sum(moves)))
    r = float(stats.pearsonr(x, y).statistic) if len(set(x)) > 1 and len(set(y)) > 1 else 0
    (l1, u1), (l2, u2) = score_interval(x), score_interval(y)
    return (*correlated(np.mean(y) - np.mean(x), (np.mean(y), l2, u2), (np.mean(x), l1, u1), r), min(1.0, float(p)))


def changed(name, case):
    """The changes of the people who answered both rounds, and Holm's correction by its definition."""
    found, values = case["response"], []
    both = sorted(set(case["earlier"]) & set(case["later"]))
    for question in found["questions"]:
        key = question["key"]
        old, new = ([case[side][person].get(key) for person in both] for side in ("earlier", "later"))
        old, new = zip(*[(x, y) for x, y in zip(old, new) if x is not None and y is not None])
        for number in question["numbers"]:
            here, pairs = f"{name}.{key}.{number['id']}", number["pairs"]
            if question["kind"] == "choice":
                picked = lambda answer: number["id"] in (
                    answer if isinstance(answer, list) else ["other"] if isinstance(answer, dict) else [answer])
                x, y, test = [picked(a) for a in old], [picked(a) for a in new], paired_share
            elif number["id"] == "nps":
                x, y, test = list(old), list(new), paired_score
            else:
                x, y, test = list(old), list(new), paired_mean
            a, b = (promotion(x), promotion(y)) if test is paired_score else (x, y)
            low, high, p = test(x, y)
            same(f"{here}.n", pairs["n"], len(x))
            same(f"{here}.earlier", pairs["earlier"], float(np.mean(a)))
            same(f"{here}.later", pairs["later"], float(np.mean(b)))
            same(f"{here}.change", pairs["change"], float(np.mean(b) - np.mean(a)))
            same(f"{here}.low", pairs["low"], float(low))
            same(f"{here}.high", pairs["high"], float(high))
            same(f"{here}.p", pairs["p"], p)
            if p is not None:
                values.append((p, here, pairs["adjustedP"]))
    same(f"{name}.comparisons", found["comparisons"], len(values))
    same(f"{name}, questions", [question["key"] for question in found["questions"]], ["pace", "score", "topics", "again"])
    for p, here, adjusted in values:
        lower = [(len(values) - sum(q < other for q, *_ in values)) * other for other, *_ in values if other <= p]
        same(f"{here}.adjustedP", adjusted, min(1.0, max(lower)))


def pooled(name, case):
    found = case["response"]
    asked = [answers for answers in case["answers"] if answers is not None]
    every = list(itertools.chain(*asked))
    answers = [answer for answer in every if answer is not None]
    same(f"{name}.rounds", found["rounds"], len(asked))
    same(f"{name}.answered", found["answered"], len(answers))
    same(f"{name}.skipped", found["skipped"], len(every) - len(answers))
    for point in found.get("points", []):
        chosen = lambda answer: point["id"] in answer if isinstance(answer, list) else str(answer) == point["id"]
        count = sum(map(chosen, answers))
        same(f"{name}.{point['id']}.count", point["count"], count)
        low, high = wilson(count, len(answers)) if answers else (None, None)
        same(f"{name}.{point['id']}.share", point["share"], count / len(answers) if answers else None)
        same(f"{name}.{point['id']}.low", point["low"], low)
        same(f"{name}.{point['id']}.high", point["high"], high)
    if found["kind"] == "rating":
        same(f"{name}.mean", found["mean"], float(np.mean(answers)) if answers else None)
        same(f"{name}.median", found["median"], float(np.median(answers)) if answers else None)
        deviation = float(np.std(answers, ddof=1)) if len(answers) > 1 else None
        same(f"{name}.standardDeviation", found["standardDeviation"], deviation)
        low, high = mean_interval(answers)
        for at, bound in enumerate((low, high)):
            same(f"{name}.confidence95[{at}]", found["confidence95"] and found["confidence95"][at], bound)


def ranking(name, prior, items, groups):
    """The Bühlmann-Straub estimators in NumPy. `groups` has the single ratings of each item, by its key."""
    arrays = {key: np.array(values, dtype=float) for key, values in groups.items() if values}
    everything = np.concatenate(list(arrays.values()))
    sizes = np.array([len(values) for values in arrays.values()], dtype=float)
    means = np.array([values.mean() for values in arrays.values()])
    total, number = sizes.sum(), len(sizes)
    within = between = None
    if total > number:
        within = sum(((values - values.mean()) ** 2).sum() for values in arrays.values()) / (total - number)
        if number > 1:
            spread = (sizes * (means - everything.mean()) ** 2).sum()
            between = (spread - (number - 1) * within) / (total - (sizes**2).sum() / total)
    credible = between is not None and between > 0
    weight = within / between if credible else total / number
    credibility = sizes / (weight + sizes)
    mean = (credibility * means).sum() / credibility.sum()
    same(f"{name}.prior.mean", prior["mean"], float(mean))
    same(f"{name}.prior.weight", prior["weight"], float(weight))
    same(f"{name}.prior.method", prior["method"], "buhlmann-straub" if credible else "mean-group-size")
    same(f"{name}.prior.within", prior["within"], None if within is None else float(within))
    same(f"{name}.prior.between", prior["between"], None if between is None else float(between))
    same(f"{name}, ranked items", sorted(item["name"] for item in items), sorted(arrays))
    shrunk = {key: (weight * mean + values.sum()) / (weight + len(values)) for key, values in arrays.items()}
    ranks = dict(zip(shrunk, stats.rankdata([-round(value, 12) for value in shrunk.values()], method="min")))
    for item in items:
        values, here = arrays[item["name"]], f"{name}.{item['name']}"
        same(f"{here}.n", item["n"], len(values))
        same(f"{here}.mean", item["mean"], float(values.mean()))
        same(f"{here}.shrunk", item["shrunk"], float(shrunk[item["name"]]))
        same(f"{here}.rank", item["rank"], int(ranks[item["name"]]))
        margin = None
        if within is not None:
            own = len(values) / (weight + len(values))
            variance = within / (weight + len(values)) * (1 + (1 - own) / credibility.sum())
            degrees = total - number
            if number > 1:
                variance += 2 / (number - 1) * (1 - own) ** 2 * (values.mean() - mean) ** 2
                degrees = 1 / (own**2 / (total - number) + (1 - own) ** 2 / (number - 1))
            margin = stats.t.ppf(0.975, degrees) * math.sqrt(variance)
        for bound, sign in (("low", -1), ("high", 1)):
            expected = None if margin is None else float(shrunk[item["name"]] + sign * margin)
            same(f"{here}.{bound}", item[bound], expected)
    order = [(-round(item["shrunk"], 12), -item["n"], item["title"]) for item in items]
    same(f"{name}, order", order, sorted(order))


def lecture_groups(ratings, unit):
    """The ratings of each lecturer, or of each lecturer's terms, by key."""
    groups = collections.defaultdict(list)
    with open(ratings, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            series, meeting = f"Lecturer {row['lecturer']}", f"Term {row['lecture_age']} ago"
            groups[series if unit == "series" else f"{series}, {meeting}"].append(int(row["rating"]))
    return groups


def lecture_ranking(found, ratings):
    for item in found["items"]:
        item["name"] = item["series"] if found["by"] == "series" else f"{item['series']}, {item['title']}"
    ranking(found["by"], found["prior"], found["items"], lecture_groups(ratings, found["by"]))


def service(url, email, password, ratings):
    def ask(path, body=None, token=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(urllib.request.Request(url + path, data, headers)) as answer:
            return json.load(answer)

    def pages(path):
        page = ask(path, token=token)
        items = list(page["items"])
        while page["next"]:
            page = ask(f"{path}&cursor={page['next']}", token=token)
            items += page["items"]
        return page | {"items": items}

    token = ask("/v1/sessions", {"email": email, "password": password})["token"]
    for unit in ("series", "meeting"):
        path = f"/v1/rankings?key=rating&by={unit}&limit=200"
        times = []
        for _ in range(20):
            start = time.monotonic()
            ask(path, token=token)
            times.append(1000 * (time.monotonic() - start))
        found = pages(path)
        print(f"  {len(found['items'])} by {unit}: median {np.median(times):.0f} ms, longest {max(times):.0f} ms a page")
        lecture_ranking(found, ratings)
    groups = lecture_groups(ratings, "meeting")
    for series in pages("/v1/series?limit=200")["items"]:
        if not series["title"].startswith("Lecturer "):
            continue
        found = ask(f"/v1/series/{series['id']}/trend?key=rating", token=token)
        terms = [item["title"] for item in pages(f"/v1/series/{series['id']}/meetings?limit=200")["items"]]
        answers = [groups[f"{series['title']}, {term}"] for term in reversed(terms)]
        trend(series["title"], {"response": found, "answers": answers, "nps": False})
        result = ask(f"/v1/series/{series['id']}/results", token=token)["questions"]
        rating = next(question for question in result if question["key"] == "rating")
        pooled(series["title"], {"response": rating, "answers": answers})


def main(arguments):
    if arguments[0] == "--ranking":
        with open(arguments[1], encoding="utf-8") as file:
            lecture_ranking(json.load(file), arguments[2])
    elif arguments[0] == "--service":
        service(*arguments[1:])
    else:
        cases = json.load(open(arguments[0], encoding="utf-8"))
        for index, case in enumerate(cases["trends"]):
            trend(f"trend {index} ({case['name']})", case)
        for index, case in enumerate(cases["pooled"]):
            pooled(f"pooled {index} ({case['name']})", case)
        for case in cases.get("changes", []):
            changed(f"changes ({case['name']})", case)
        for index, case in enumerate(cases["rankings"]):
            for item in case["items"]:
                item["name"] = item["title"]
            ranking(f"ranking {index}", case["prior"], case["items"], case["groups"])
    for difference in differences:
        print(difference)
    print(f"{compared} numbers compared, {len(differences)} differences")
    sys.exit(bool(differences))


main(sys.argv[1:])

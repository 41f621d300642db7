"""The import of a file as large as the real one, and `verify` of it, before and after PostgreSQL has statistics."""
import csv, math, random, time

from bench.options import ROOT

# The shape of lme4's InstEval, ratings of lectures at ETH Zurich: 73,421 rows, 1,128 lecturers, 3,973 meetings.
ROWS, LECTURERS, STUDENTS = 73_421, 1_128, 2_972
# How many lecturers were rated in 1 to 6 terms.
TERMS = [120, 230, 246, 182, 173, 177]
RATINGS = [10186, 12951, 17609, 16921, 15754]
DEPARTMENTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15]
STUDY_AGES, STUDY_AGE_ROWS = [2, 4, 6, 8], [15406, 16888, 22107, 19020]
# Logarithms of the numbers of rows of a meeting: from one row to some hundred, the median is 9.
MEAN, DEVIATION = 2.19, 1.26


def generate(path, rows):
    """Writes a file of the same columns and the same shape. The numbers are random, and the same in every run."""
    numbers = random.Random(73_421)
    # Fewer rows have fewer lecturers, so that a meeting has as many rows.
    terms = [count for count, lecturers in enumerate(TERMS, 1) for _ in range(math.ceil(lecturers * rows / ROWS))]
    meetings = [(1000 + lecturer, term) for lecturer, count in enumerate(terms) for term in range(1, count + 1)]
    meetings = meetings[:rows]
    weights = [math.exp(numbers.gauss(MEAN, DEVIATION)) for _ in meetings]
    drawn = meetings + numbers.choices(meetings, weights, k=rows - len(meetings))
    department_of = {lecturer: numbers.choice(DEPARTMENTS) for lecturer, _ in meetings}
    lines = [
        [numbers.randint(1, STUDENTS), lecturer, numbers.choices(STUDY_AGES, STUDY_AGE_ROWS)[0], term,
         int(numbers.random() < 0.43), department_of[lecturer], numbers.choices(range(1, 6), RATINGS)[0]]
        for lecturer, term in drawn]
    # By student, as in the original, so that the rows of a meeting are spread over the file.
    lines.sort(key=lambda line: line[0])
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", "lecturer", "study_age", "lecture_age", "service", "department", "rating"])
        writer.writerows(lines)
    return len(meetings)


def timed(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def measure(bench):
    rows, path = bench.options.import_rows, f"{bench.folder}/ratings.csv"
    meetings = generate(path, rows)
    map = f"{ROOT}/examples/imports/lecture_ratings.map.json"
    for turn in bench.rounds:
        with bench.service("import") as service:
            # The command has the machine for itself.
            service.stop()
            imported = timed(lambda: service.command("import", path, "--map", map, "--host-email", "admin@localhost"))
            service.stored += rows
            without = timed(lambda: service.command("verify"))
            service.cluster.sql("VACUUM ANALYZE", service.database)
            with_statistics = timed(lambda: service.command("verify"))
        bench.results.record("import", rows=rows, meetings=meetings, seconds=imported, verify=without,
                             verify_with_statistics=with_statistics)
        bench.results.add("import", imported)
        bench.results.add("verify", max(without, with_statistics))
        print(f"  {rows:,} rows into {meetings:,} meetings in {imported:.2f} s; verify {without:.2f} s without"
              f" statistics, {with_statistics:.2f} s with them", flush=True)

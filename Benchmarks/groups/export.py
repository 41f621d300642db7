"""Exports of the large form over HTTP, beside psql's `\\copy` of the same columns."""
import sys, time, urllib.request

from bench.processes import Cost
from groups.memory import exported

# The columns of submissions.csv, as SQL.
COLUMNS = {
    "id": "id", "submitted_at": "to_char(submitted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
    "form_version": "version", "pace": "(answers->>'pace')::int", "depth": "(answers->>'depth')::int",
    "topics.demo": "(answers->'topics' @> '\"demo\"')::int", "topics.talk": "(answers->'topics' @> '\"talk\"')::int",
    "topics.other": "(answers->'topics' @> '[{}]')::int", "topics.other_text": "NULL::text", "role": "answers->>'role'",
    "better": "answers->>'better'",
}


def copied(service):
    """Seconds of the same columns and rows, without a sort and without any check."""
    columns = ", ".join(f'{expression} AS "{name}"' for name, expression in COLUMNS.items())
    query = f"\\copy (SELECT {columns} FROM submission WHERE form_id = '{service.form['form']['id']}') TO '/dev/null'"
    begin = time.perf_counter()
    service.cluster.psql(service.database, "-c", query + " WITH (FORMAT csv, HEADER)")
    return time.perf_counter() - begin


def check_columns(service):
    """Stops the run if the export has other columns than `\\copy`."""
    message = urllib.request.Request(f"{service.url}/v1/meetings/{service.form['id']}/export/submissions.csv",
                                     headers={"Authorization": f"Bearer {service.token}"})
    with urllib.request.urlopen(message) as answer:
        header = answer.readline().decode().strip().replace('"', "").split(",")
    if header != list(COLUMNS):
        sys.exit(f"submissions.csv has the columns {header}, and the benchmark compares {list(COLUMNS)}.")


def counted(service):
    form = service.form["form"]["id"]
    return int(service.cluster.sql(f"SELECT count(*) FROM submission WHERE form_id = '{form}'", service.database))


def measure(bench):
    service = bench.large_form()
    check_columns(service)
    for turn in bench.rounds:
        files = {}
        copy = copied(service)
        for name in ("submissions.csv", "submissions.xlsx"):
            with Cost(service) as cost:
                file = exported(service, name)
            files[name] = {**file, **cost.each(file["rows"])}
            print(f"  {name}: {file['rows']:,} rows, {file['bytes'] / 1e6:.1f} MB in {file['seconds']:.1f} s,"
                  f" first bytes after {file['first']:.2f} s; service {files[name]['service']:.1f} + PostgreSQL"
                  f" {files[name]['postgres']:.1f} µs for each row", flush=True)
        print(f"  \\copy: {copy:.1f} s", flush=True)
        stored, exports = counted(service), files["submissions.csv"]["rows"]
        if stored != exports:
            sys.exit(f"{stored} submissions are stored, {exports} were exported.")
        bench.results.record("export", copy=copy, files=files)
        bench.results.add("csv", copy / files["submissions.csv"]["seconds"])
        bench.results.add("xlsx", files["submissions.csv"]["seconds"] / files["submissions.xlsx"]["seconds"])

"""A backup of the large form and its restore with the recount, beside pg_dump and pg_restore alone."""
import os, shutil, subprocess, sys, time

from bench.cluster import as_cluster_user, tool
from bench.service import ENVIRONMENT


def measure(bench):
    service = bench.large_form()
    for turn in bench.rounds:
        folder = f"{bench.folder}/backup-{turn}"
        os.mkdir(folder)
        dump, load = bare(service, folder)
        begin = time.perf_counter()
        service.command("backup", "--to", f"{folder}/backups")
        backup = time.perf_counter() - begin
        restore = restored(service, folder, turn)
        shutil.rmtree(folder)
        bench.results.record("backup", pg_dump=dump, pg_restore=load, backup=backup, restore=restore)
        bench.results.add("backup", backup / dump)
        bench.results.add("backup-and-restore", (backup + restore) / dump)
        print(f"  backup {backup:.1f} s, restore with recount {restore:.1f} s; pg_dump {dump:.1f} s, pg_restore"
              f" {load:.1f} s", flush=True)


def bare(service, folder):
    """Seconds that pg_dump takes in the custom format, and pg_restore of that file."""
    file, cluster, target = f"{folder}/bare", service.cluster, f"{service.database}_bare"
    place = ["-h", cluster.sockets, "-U", "afterword"]
    begin = time.perf_counter()
    run([tool("pg_dump"), *place, "-Fc", "-d", service.database], file)
    dumped = time.perf_counter()
    cluster.create_database(target)
    created = time.perf_counter()
    run([tool("pg_restore"), *place, "-d", target, "--single-transaction", file], os.devnull)
    ended = time.perf_counter()
    cluster.sql(f"DROP DATABASE {target}", "postgres")
    return dumped - begin, ended - created


def run(command, output):
    with open(output, "wb") as file:
        done = subprocess.run(as_cluster_user(command), stdout=file, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{os.path.basename(command[0])} failed: {done.stderr.decode()}")


def restored(service, folder, turn):
    """Seconds of `afterword restore` into a new database, which must then contain as many submissions."""
    target, cluster = f"{service.database}_restored_{turn}", service.cluster
    cluster.create_database(target)
    [name] = os.listdir(f"{folder}/backups")
    begin = time.perf_counter()
    done = subprocess.run(
        [service.program, "restore", f"{folder}/backups/{name}", "--data", f"{folder}/data", "--database-url",
         cluster.url(target), "--secret-file", f"{service.data}/secret"],
        capture_output=True, text=True, env=ENVIRONMENT)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"afterword restore failed: {done.stderr}")
    count = "SELECT count(*) FROM submission"
    stored, back = (int(cluster.sql(count, database)) for database in (service.database, target))
    if stored != back:
        sys.exit(f"{stored} submissions were stored, {back} were restored.")
    cluster.sql(f"DROP DATABASE {target}", "postgres")
    return seconds

"""Kills of `afterword migrate`, of a new database and of one in use."""

import json

from chaos.kinds.commands import KillCommand
from chaos.kinds.kind import ready_again

FUNCTIONS = ["ingest", "ingest_forms", "advance_release", "merge_tallies"]
# Functions of an extension have no rows in schema_function.
EDIT = """
    DO $do$
    DECLARE
        v_text text;
    BEGIN
        SELECT pg_get_functiondef(p.oid) INTO STRICT v_text FROM pg_proc p WHERE p.proname = '{name}';
        EXECUTE regexp_replace(v_text, E'\\nBEGIN\\n', E'\\n-- Edited by hand.\\nBEGIN\\n');
    END
    $do$
"""


class KillMigrate(KillCommand):
    name = "kill-migrate"
    about = "kill -9 `afterword migrate` of a new database, or after functions were edited under load; migrate again."

    async def prepare(self, round):
        self.database = None
        if round.rng.random() < 0.5:
            self.database = f"chaos_{round.number}"
            await round.database.sql(f"DROP DATABASE IF EXISTS {self.database}")
            await round.database.sql(f"CREATE DATABASE {self.database}")
        round.result.note = "new database" if self.database else "edited functions"

    def arguments(self, round):
        return ["migrate"] + (["--database-url", round.database.url(self.database)] if self.database else [])

    async def strike(self, round):
        if not self.database:
            for name in round.rng.sample(FUNCTIONS, 2):
                await round.database.sql(EDIT.format(name=name))
        await super().strike(round)

    async def recover(self, round):
        await ready_again(round)
        await self.again(round)

    async def settle(self, round):
        status, output, errors = await round.service.run(*self.arguments(round), "--status", "--json")
        if status != 0:
            return round.fault("stuck", f"migrate --status ended with {status}: {errors.strip()[-300:]}")
        shown = json.loads(output)
        if any(step["appliedAt"] is None for step in shown["migrations"]):
            round.fault("different", f"migrations are pending after `migrate`: {shown['migrations']}")
        if any(function["state"] != "current" for function in shown["functions"]):
            round.fault("different", f"functions are not current after `migrate`: {shown['functions']}")

    async def check(self, round, forms):
        if not self.database:
            return
        if round.place.schema is None:
            round.place.schema = await self.undisturbed(round)
        expected = round.place.schema
        found = await round.database.dumped_schema(self.database)
        if found != expected:
            pairs = zip(found.splitlines(), expected.splitlines())
            line = next((pair for pair in pairs if pair[0] != pair[1]), ("", "another length"))
            round.fault("different", f"a migrated database has another schema: {line[0]!r} instead of {line[1]!r}")
        await round.database.sql(f"DROP DATABASE {self.database} WITH (FORCE)")

    async def undisturbed(self, round):
        """The schema of a new database after a migration that nothing disturbs."""
        name = "chaos_undisturbed"
        await round.database.sql(f"CREATE DATABASE {name}")
        status, _, errors = await round.service.run("migrate", "--database-url", round.database.url(name))
        if status != 0:
            round.fault("stuck", f"a migration ended with {status}: {errors.strip()[-300:]}")
        schema = await round.database.dumped_schema(name)
        await round.database.sql(f"DROP DATABASE {name} WITH (FORCE)")
        return schema

"""Kills of `afterword keys rotate`."""

from chaos.kinds.commands import KillCommand
from chaos.kinds.kind import missing_command, ready_again


class KillRotation(KillCommand):
    name = "kill-rotation"
    about = "kill -9 `afterword keys rotate` under load, and sometimes the service too; then rotate again."

    async def why_not(self, run):
        return await missing_command(run.program, "keys")

    async def prepare(self, round):
        self.before = keys(round)
        self.kills_service = round.rng.random() < 0.5
        round.result.note = "and the service" if self.kills_service else "rotation only"

    def arguments(self, round):
        return ["keys", "rotate", "--json"]

    async def kill(self, round, process):
        await super().kill(round, process)
        if self.kills_service:
            round.service.kill()

    async def recover(self, round):
        await ready_again(round)
        self.check_file(round)
        await self.again(round)

    async def check(self, round, forms):
        """Each form of the round has receipts and replays, which are checked after every round."""
        self.check_file(round)
        known = (await round.database.sql("SELECT string_agg(id::text, ' ' ORDER BY id) FROM secret_key")).split()
        if missing := [number for number in known if number not in keys(round)]:
            round.fault("lost", f"{self.name}: the database knows the keys {missing}, which are in no file")

    def check_file(self, round):
        after = keys(round)
        if lost := [number for number, key in self.before.items() if after.get(number) != key]:
            round.fault("lost", f"{self.name}: the keys {lost} are no longer in the secret file")


def keys(round):
    """The keys of the secret file by number."""
    with open(f"{round.service.data}/secret") as file:
        return dict(line.split() for line in file if line.strip() and not line.startswith("#"))

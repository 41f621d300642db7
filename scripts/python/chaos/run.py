"""The rounds of a run, one after the other, on reused data folders."""

import random
import time

from chaos import check
from chaos.kinds import KINDS, MAIN
from chaos.place import Places
from chaos.report import Report
from chaos.round import Round
from chaos.service import NotReady

# A round that did not count is repeated with other moments.
MOST_TRIES = 20
# After this number of rounds `afterword verify` recounts everything in the folder.
ROUNDS_BETWEEN_VERIFY = 20
# With `--short`, no round begins after this number of seconds.
SHORT_SECONDS = 32
# A run that keeps failing would fill the disk with kept folders.
MOST_KEPT_FOLDERS = 10


class Run:
    def __init__(self, options):
        self.options, self.program = options, options.binary
        self.places = Places(self.program, options.folder)
        self.report = Report(options, self.program)
        self.began = time.monotonic()

    async def kinds(self):
        """The kinds that can be run here, and a sentence for each that can't."""
        names = self.options.only or (MAIN if self.options.short else list(KINDS))
        found = []
        for name in names:
            if reason := await KINDS[name].why_not(self):
                self.report.skipped[name] = reason
                print(f"      {name:20} skipped: {reason}.", flush=True)
            else:
                found.append(KINDS[name])
        return found

    def sequence(self, kinds):
        """All kinds in random order, again and again."""
        rng = random.Random(f"{self.options.seed}/kinds")
        while True:
            yield from rng.sample(kinds, len(kinds))

    async def execute(self):
        kinds = await self.kinds()
        if not kinds:
            return
        sequence, number = self.sequence(kinds), 0
        while not self.is_over(number):
            number += 1
            await self.counted_round(next(sequence), number)
        for place in list(self.places.open.values()):
            await self.verify(place)
            await self.end(place)

    def is_over(self, number):
        if len(self.report.kept_folders) >= MOST_KEPT_FOLDERS:
            print(f"{MOST_KEPT_FOLDERS} data folders were kept, so the run ends.", flush=True)
            return True
        if self.options.short:
            return time.monotonic() - self.began > SHORT_SECONDS
        return number >= self.options.rounds

    async def counted_round(self, kind, number):
        for attempt in range(MOST_TRIES):
            place = await self.places.get(kind.place)
            if place.is_worn:
                await self.verify(place)
                await self.end(place)
                place = await self.places.get(kind.place)
            seed = f"{self.options.seed}/{number}/{attempt}"
            result = await Round(self, kind, number, place, seed).execute()
            place.rounds += 1
            self.report.add(result)
            self.report.line(result)
            if result.faults:
                return await self.keep(place)
            if place.rounds % ROUNDS_BETWEEN_VERIFY == 0:
                await self.verify(place)
            if result.counts:
                return

    async def verify(self, place):
        """Recounts everything in the folder. Does nothing if it was given up meanwhile."""
        if self.places.open.get(place.name) is not place:
            return
        began = time.monotonic()
        try:
            faults, report = await check.check_everything(place)
        except NotReady as error:
            faults, report = [check.Fault("stuck", str(error))], {"submissions": 0, "forms": 0}
        print(f"      verify, {place.name}: {report['submissions']:,} submissions to {report['forms']:,} forms, "
              f"{len(faults)} differences, {time.monotonic() - began:.1f} s", flush=True)
        if faults:
            self.report.add_others(faults)
            await self.keep(place)

    async def keep(self, place):
        """Leaves the folder of a failed round as it is. Later rounds get another one."""
        await self.places.drop(place, keep=True)
        self.report.kept_folders.append(place.folder)
        print(f"      kept {place.folder}: the data, service.log and postgres.log", flush=True)

    async def end(self, place):
        """Stops a service that has done its rounds, which must end in order."""
        if self.places.open.get(place.name) is not place:
            return
        status = await place.stop()
        if status != 0:
            self.report.add_others([check.Fault("ended", f"the service ended with {status} after SIGTERM")])
        await self.places.drop(place)

"""Shows that the check can fail: spoiled histories, and a database that is changed behind the service."""

import random
import time

from histories import brute_force, spoil
from histories.forms import KINDS
from histories.pair import Pair
from histories.round import Round
from histories.script import Script
from histories.search import check
from histories.shrink import explained

# By kind of form: what is changed, by which statements, and what is read then.
STATEMENTS = {
    "plain": ("a tally is one too high",
              "UPDATE tally SET count = count + 1 WHERE form_id = '{form}' AND question = 'pace' AND bucket = '1'; "
              "UPDATE form_state SET revision = revision + 1 WHERE form_id = '{form}'", "results"),
    "capped": ("a row is deleted", "DELETE FROM submission WHERE form_id = '{form}' AND id = '{id}'", "export"),
    "device": ("the answers of a row are changed", "UPDATE submission SET answers = jsonb_set(answers, '{{pace}}', "
               "to_jsonb(1 + (answers->>'pace')::int % 5)) WHERE form_id = '{form}' AND id = '{id}'", "export"),
    "anonymous": ("the number of submissions is one too low", "UPDATE form_state SET submissions = submissions - 1, "
                  "revision = revision + 1 WHERE form_id = '{form}'", "meeting"),
}


RANDOM_HISTORIES = 400


class SelfTest:
    def __init__(self, round):
        self.round, self.missed = round, 0

    def report(self, what, verdict, expected=False):
        self.missed += verdict.is_linearizable is not expected
        word = {True: "accepted", False: "reported", None: "undecided"}[verdict.is_linearizable]
        sign = "  " if verdict.is_linearizable is expected else "! "
        reason = f": {verdict.failed.kind} {verdict.failed.said}" if verdict.failed else ""
        print(f"{sign}{word}  {what}{reason[:110]}", flush=True)

    def by_hand(self):
        for what, expected, history in spoil.BY_HAND:
            self.report(what, check(history), expected)

    def random_histories(self):
        """Compares the search with one that tries every order."""
        counts, missed = {True: 0, False: 0}, self.missed
        for seed in range(RANDOM_HISTORIES):
            history = brute_force.random_history(seed)
            expected, verdict = brute_force.is_linearizable(history), check(history)
            counts[expected] += 1
            if verdict.is_linearizable is not expected:
                self.report(f"random history {seed}", verdict, expected)
        if self.missed == missed:
            print(f"  decided   {counts[True]} random histories that are linearizable and {counts[False]} that are "
                  "not, as by trying every order", flush=True)

    async def scripts(self):
        """Runs the script on each form after the random requests, and spoils its responses one by one."""
        for form in self.round.forms:
            script = Script(self.round.load, "script", random.Random(1))
            await script.run_on(form)
            history = form.history()
            self.report(f"the form {form.kind} as recorded, {len(history.operations)} requests", check(history), True)
            for what, change in spoil.SPOILS[form.kind]:
                spoiled = spoil.Spoiled(history, script.labels)
                change(spoiled)
                self.report(what, check(spoiled.history))
                if what == "an answer is accepted after an acknowledged close":
                    self.show(spoiled.history)

    def show(self, history):
        """Prints the trace of one of them, which must be short."""
        smaller, lines = explained(history, check(history))
        print("\n".join(f"     {line[:150]}" for line in lines), flush=True)
        kept = [one for one in smaller.operations if one.is_known]
        self.missed += len(kept) > 4
        print(f"  trace of {len(kept)} of {len(history.operations)} requests", flush=True)

    async def database(self):
        """Changes the database behind the service, and reads."""
        for form in self.round.forms:
            what, statements, kind = STATEMENTS[form.kind]
            id = next(one.id for one in reversed(form.receipts)) if form.receipts else ""
            await self.round.pair.database.sql(statements.format(form=form.id, id=id))
            reader = Script(self.round.load, "reader", random.Random(1))
            try:
                await reader.read(form, kind, 1)
            finally:
                reader.close()
            self.report(f"{what}, in the database", check(form.history()))


async def execute(options):
    """Returns 0 if everything spoiled is reported, and nothing else."""
    began = time.monotonic()
    print(f"Seed {options.seed}, program {options.binary}", flush=True)
    pair = await Pair.create(options.binary, options.folder)
    try:
        round = Round(pair, 1, "none", options.seed, options)
        round.kinds, round.finished, round.impatience = KINDS, 0, 0
        await round.execute()
        test = SelfTest(round)
        test.by_hand()
        test.random_histories()
        await test.scripts()
        await test.database()
    finally:
        await pair.remove()
    print(f"{test.missed} missed, {time.monotonic() - began:.0f} s")
    return 1 if test.missed else 0

"""The checks after a round: what is stored is what was acknowledged, once, and counted rightly."""

import asyncio
import collections
import time

from chaos import stored
from chaos.connection import Connection, Lost
from chaos.forms import KINDS
from chaos.host import REPEATED
from chaos.ledger import ABSENT, WITHDRAWN, Fault, canonical

# As many acknowledged submissions of a round are sent again, besides those that were unanswered during the fault.
REPEATED_SUBMISSIONS = 60
REPEAT_CONNECTIONS = 8


async def check_stored(round):
    """Compares the database with the ledger. Returns the stored forms by id."""
    forms = await stored.read(round.database, [form.id for form in round.forms])
    submissions = collections.defaultdict(list)
    for submission in round.load.ledger.submissions:
        submissions[submission.form.id].append(submission)
    for form in round.forms:
        if form.id not in forms:
            round.fault("lost", f"the form {form.name} is not in the database")
            continue
        check_submissions(round, form, forms[form.id], submissions[form.id])
        check_rules(round, form, forms[form.id])
        for difference in forms[form.id].differences(KINDS):
            round.fault("different", f"form {form.name} ({form.id}): {difference}")
    return forms


def check_submissions(round, form, found, submissions):
    by_mark, tombstones = collections.defaultdict(list), {row.id for row in found.rows if row.is_withdrawn}
    for row in found.present:
        by_mark[row.mark].append(row)
    for submission in submissions:
        rows = by_mark.pop(submission.mark, [])
        states = [canonical(row.answers) for row in rows]
        if submission.id in tombstones:
            states.append(WITHDRAWN)
        tombstones.discard(submission.id)
        # Withdrawn rows are deleted when an anonymous form becomes final.
        if not states and found.state == "final" and WITHDRAWN in submission.possible:
            continue
        judge(round, submission, states or [ABSENT])
        if rows and found.state != "final" and submission.id and rows[0].id != submission.id:
            round.fault("different", f"{submission.mark} is stored as {rows[0].id} and acknowledged as {submission.id}")
    for mark, rows in by_mark.items():
        round.fault("different", f"form {form.name} has {len(rows)} rows with the mark {mark!r}, which nobody sent")
    # A submission whose 201 was lost may have been withdrawn by nobody, so each tombstone has a known id.
    if tombstones:
        round.fault("different", f"form {form.name} has withdrawn rows that nobody withdrew: {sorted(tombstones)[:3]}")


def judge(round, submission, states):
    place = f"{submission.mark} of the form {submission.form.name}"
    if len(states) > 1:
        round.fault("doubled", f"{place} is stored {len(states)} times")
    elif states[0] in submission.possible:
        return
    elif states[0] == ABSENT:
        round.fault("lost", f"{place} was acknowledged as {submission.id} and is not stored")
    elif submission.refusal:
        round.fault("different", f"{place} was refused with {submission.refusal} and is stored")
    else:
        round.fault("different", f"{place} is stored as {states[0][:100]}, but may only be "
                                 f"{' or '.join(sorted(submission.possible))[:200]}")


def check_rules(round, form, found):
    """Caps, closing times, and that no row is later than a close."""
    if form.cap is not None and len(found.present) > form.cap:
        round.fault("different", f"form {form.name} has {len(found.present)} submissions with a cap of {form.cap}")
    if form.is_full and len(found.rows) < form.cap:
        round.fault("different", f"form {form.name} was full with {len(found.rows)} of {form.cap} submissions")
    if form.must_be_closed and found.state not in ("closed", "finalising", "final"):
        round.fault("not closed", f"form {form.name} is {found.state}, although its close was acknowledged")
    ends = [end for end in (form.closes, found.closed if form.must_be_closed else None) if end is not None]
    times = [time for row in found.rows for time in (row.submitted, row.updated) if time is not None]
    if ends and times and max(times) > min(ends):
        round.fault("not closed", f"form {form.name} has a row of {max(times):.3f}, but was closed at {min(ends):.3f}")


async def check_states(round):
    """What the API says of forms that must be closed. Waits for the time at which one closes by the clock."""
    for form in round.forms:
        if form.closes is not None:
            await asyncio.sleep(max(0, form.closes - time.time() + 0.01))
        if form.closes is None and not form.must_be_closed:
            continue
        state = (await round.host.state(form))["state"]
        if state not in ("closed", "final"):
            round.fault("not closed", f"form {form.name} is {state} to its host")


async def check_replays(round, forms):
    """Sends acknowledged submissions again, with their keys. Each must get its first receipt, and none is stored."""
    sent = [one for one in round.load.ledger.submissions if one.is_acknowledged and not one.is_withdrawn]
    urgent = [one for one in sent if one.tries > 1]
    others = [one for one in sent if one.tries == 1]
    chosen = (urgent + round.rng.sample(others, min(len(others), REPEATED_SUBMISSIONS)))[:4 * REPEATED_SUBMISSIONS]

    async def repeat(part):
        connection = Connection(round.service.port)
        try:
            for submission in part:
                await check_replay(round, connection, submission, forms)
        finally:
            connection.close()
    await asyncio.gather(*(repeat(chosen[start::REPEAT_CONNECTIONS]) for start in range(REPEAT_CONNECTIONS)))


async def check_replay(round, connection, submission, forms):
    if submission.form.id not in forms or WITHDRAWN in submission.possible:
        return
    for _ in range(20):
        try:
            reply = await connection.send("POST", submission.path, submission.body, submission.headers)
        except Lost:
            continue
        if reply.status not in REPEATED:
            break
        await asyncio.sleep(0.1)
    else:
        return round.fault("unanswered", f"a replay of {submission.mark} got no final response")
    expected = 409 if submission.form.finish_requested else 201
    if reply.status != expected:
        round.fault("lost", f"a replay of {submission.mark} got {reply.status} {reply.problem} instead of {expected}")
    elif expected == 201 and reply.headers.get("idempotency-replayed") != "true":
        round.fault("doubled", f"a replay of {submission.mark} was answered as a new submission")
    elif expected == 201 and reply.json["id"] != submission.id:
        round.fault("doubled", f"a replay of {submission.mark} got another receipt")


def check_ends(round):
    """The service may only end if it was killed, or with a status that the fault explains."""
    for end in round.service.ends:
        if not end.was_killed and end.status not in round.kind.exits:
            round.fault("ended", f"the service ended by itself with status {end.status}")
    round.service.ends.clear()


async def check_everything(place):
    """`afterword verify` of the whole folder, and that rows of earlier rounds have not changed since."""
    faults = []
    report = await place.service.verify()
    for difference in report["differences"][:20]:
        faults.append(Fault("different", f"afterword verify: {difference}"))
    now = await stored.digests(place.service.database, place.digests)
    for form, digest in place.digests.items():
        if now.get(form) != digest:
            faults.append(Fault("different", f"the rows of form {form} have changed since its round"))
    if place.closed_forms and not await are_announced(place):
        faults.append(Fault("not closed", "the clock of the service has not announced the close of some forms"))
    return faults, report


async def are_announced(place):
    """Whether the close of each form was recorded as an event, which the service does within a second or two."""
    for _ in range(40):
        open_forms = await place.service.database.sql(
            f"SELECT count(*) FROM form_state WHERE form_id IN ({stored.quoted(place.closed_forms)}) "
            "AND notified <> 'closed'")
        if open_forms == "0":
            place.closed_forms.clear()
            return True
        await asyncio.sleep(0.25)
    return False

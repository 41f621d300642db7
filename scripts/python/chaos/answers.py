"""Random answers with a mark, by which they are found in the database and in exports."""

import re
import secrets

from chaos.forms import OPTIONS

MARK = re.compile(r"\bm[0-9a-f]{16}(?:-[0-9]+)?\b")
# A few submissions are large, so that pages, the write-ahead log and sockets fill sooner.
SHARE_OF_LARGE, LARGE = 0.02, 4_000


def mark():
    return "m" + secrets.token_hex(8)


def answers(rng, its_mark):
    """The answers of one submission. The mark is the first word of the note."""
    chosen = [option for option in OPTIONS if rng.random() < 0.4]
    topics = chosen + ([{"other": rng.choice(["the snacks", "the room"])}] if rng.random() < 0.2 else [])
    note = its_mark + (" " + "x" * LARGE if rng.random() < SHARE_OF_LARGE else "")
    return {"pace": rng.randint(1, 5), "note": note} | ({"topics": topics} if topics else {})

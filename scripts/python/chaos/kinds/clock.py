"""The clock of the service jumps. Its database keeps the right time, which alone decides about forms."""

from chaos import clock
from chaos.kinds.kind import Kind, ready_again

MINUTE, DAY = 60, 86_400
MOVES = (-400 * DAY, -40 * DAY, -DAY, -3 * 60 * MINUTE, -2 * MINUTE, -5, 5, 2 * MINUTE, 3 * 60 * MINUTE, DAY, 20 * DAY,
         400 * DAY)


class MoveClock(Kind):
    name = "move-clock"
    about = "move the service's clock by five seconds to 400 days, forwards or backwards, by libfaketime."
    place = "clock"

    async def why_not(self, run):
        return clock.why_not()

    async def strike(self, round):
        seconds = round.rng.choice(MOVES)
        round.result.note = f"{seconds:+d} s"
        round.strike()
        round.place.clock.move(seconds)

    async def recover(self, round):
        await ready_again(round)

    async def release(self, round):
        round.place.clock.move(0)

"""Memory of live viewers, and the time until a change has reached them."""
from panel import SERVICE, THIRD, axis, figure, grouped, line, save


def draw(rounds, machine, path):
    drawing, (memory, delay) = figure(
        machine, "Private memory of a viewer, KiB", "A change has reached …, ms after it was stored")
    line(memory, grouped(rounds, "viewers", lambda each: each["kib"]), "each viewer", SERVICE)

    def middle(place):
        return lambda each: sorted(delay[place] for delay in each["delays"])[len(each["delays"]) // 2]
    line(delay, grouped(rounds, "viewers", middle(1)), "half of the viewers", THIRD)
    line(delay, grouped(rounds, "viewers", middle(3)), "the last viewer", SERVICE)
    places = sorted({each["viewers"] for each in rounds})
    for panel in (memory, delay):
        axis(panel, "viewers", places)
    save(drawing, path)

"""What concurrent meetings need, by their number, on both axes logarithmic."""
from bench.scale_model import needs
from panel import PEER, SERVICE, THIRD, axis, figure, save

PLACES = [10 ** (exponent / 4) for exponent in range(4, 25)]
MARKS = [10, 100, 1_000, 10_000, 100_000, 1_000_000]


def draw(inputs, machine, path):
    drawing, (cores, others) = figure(machine, "Cores at the peak", "GB of memory for viewers, Gbit/s of network")
    found = [needs(inputs, round(place)) for place in PLACES]

    def curve(panel, value, label, colour):
        panel.plot([each.meetings for each in found], [value(each) for each in found], color=colour, label=label,
                   linewidth=1.5)
    curve(cores, lambda each: each.service_cores, "service", SERVICE)
    curve(cores, lambda each: each.database_cores, "PostgreSQL", PEER)
    curve(cores, lambda each: each.installations, "installations", THIRD)
    curve(others, lambda each: each.memory, "memory", SERVICE)
    curve(others, lambda each: each.network / 1000, "network", PEER)
    for panel in (cores, others):
        axis(panel, "concurrent meetings of 50 people", MARKS, logarithmic=True)
        panel.yaxis.set_major_formatter("{x:,.3g}")
    save(drawing, path)

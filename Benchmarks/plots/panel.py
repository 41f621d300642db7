"""The look of all plots: lines of medians, with the range of all rounds as a band."""
import statistics

from matplotlib import pyplot

# Colours that people with any colour vision can distinguish.
SERVICE, PEER, THIRD = "#0072B2", "#D55E00", "#009E73"
GREY = "#666666"


def figure(machine, *titles):
    """A figure with a panel for each title, and the machine below."""
    drawing, panels = pyplot.subplots(
        1, len(titles), figsize=(4.6 * len(titles), 3.6), layout="constrained", squeeze=False)
    for panel, title in zip(panels[0], titles):
        panel.set_title(title, fontsize=10, loc="left")
        panel.grid(color="#DDDDDD", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=8)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    drawing.supxlabel(
        f"{machine['cores']} shared cores, PostgreSQL {machine['postgresql']}, a flush takes {machine['flush_us']:.0f} µs,"
        f" {machine['date'][:10]}", fontsize=7, color=GREY)
    return drawing, panels[0]


def grouped(rounds, key, value):
    """For each value of `key`, the values of its rounds. Rounds without a value are left out."""
    found = {}
    for each in rounds:
        measured = value(each)
        if measured is not None:
            found.setdefault(each[key], []).append(measured)
    return dict(sorted(found.items()))


def line(panel, values, label, colour, dashed=False):
    places = list(values)
    panel.plot(places, [statistics.median(each) for each in values.values()], "o--" if dashed else "o-", color=colour,
               label=label, markersize=4, linewidth=1.5)
    panel.fill_between(places, [min(each) for each in values.values()], [max(each) for each in values.values()],
                       color=colour, alpha=0.15, linewidth=0)


def axis(panel, name, places=None, logarithmic=False):
    """Names the horizontal axis. With places it is logarithmic and has exactly these marks."""
    panel.set_xlabel(name, fontsize=8)
    if places:
        panel.set_xscale("log")
        panel.set_xticks(places, [f"{place:,}" for place in places])
        panel.minorticks_off()
    if logarithmic:
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:,.0f}")
    else:
        panel.set_ylim(bottom=0)
    panel.legend(fontsize=8, frameon=False)


def save(drawing, path):
    drawing.savefig(path, dpi=110)
    pyplot.close(drawing)

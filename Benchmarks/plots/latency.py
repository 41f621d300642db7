"""Latency by rate, each relative to the maximum of its own."""
from panel import PEER, SERVICE, axis, figure, grouped, line, save


def draw(rounds, machine, path):
    drawing, panels = figure(machine, "Median latency, ms", "99th percentile, ms")
    for panel, name in zip(panels, ("p50", "p99")):
        submissions = grouped(rounds, "share", lambda each: each["submissions"][name])
        line(panel, submissions, "submission over HTTP, with tallies", SERVICE)
        line(panel, grouped(rounds, "share", lambda each: each["inserts"][name]), "pgbench, bare INSERT", PEER)
        axis(panel, "rate, as a fraction of the maximum")
        panel.xaxis.set_major_formatter("{x:.0%}")
    save(drawing, path)

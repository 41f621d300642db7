"""What a submission and a result cost by the number of submissions that are stored."""
from panel import PEER, SERVICE, THIRD, axis, figure, grouped, line, save


def draw(rounds, machine, path):
    drawing, (latency, cpu) = figure(machine, "Median latency, ms", "CPU time of a submission, µs")

    def draw_line(panel, value, label, colour, **style):
        line(panel, grouped(rounds, "stored", value), label, colour, **style)
    draw_line(latency, lambda each: each["submissions"]["p50"], "submission, half of the maximum rate", SERVICE)
    draw_line(latency, lambda each: each["none"]["p50"], "the same with none stored", PEER, dashed=True)
    draw_line(latency, lambda each: each["result"], "result, rendered again", THIRD)
    draw_line(cpu, lambda each: each["submissions"]["service"], "service", SERVICE)
    draw_line(cpu, lambda each: each["submissions"]["postgres"], "PostgreSQL", THIRD)
    places = sorted({each["stored"] for each in rounds})
    for panel in (latency, cpu):
        axis(panel, "submissions stored", places)
    save(drawing, path)

"""Rate and CPU time by the number of clients."""
from panel import PEER, SERVICE, axis, figure, grouped, line, save


def draw(rounds, machine, path):
    drawing, (rate, cpu) = figure(machine, "Durable rows a second", "CPU time of a row, µs (client left out)")
    places = sorted({each["clients"] for each in rounds})

    def inserts(name):
        return lambda each: each["inserts"] and each["inserts"][name]

    def submissions(*names):
        return lambda each: sum(each["submissions"][name] for name in names)

    def draw_line(panel, value, label, colour, **style):
        line(panel, grouped(rounds, "clients", value), label, colour, **style)
    draw_line(rate, submissions("rate"), "submission, with tallies", SERVICE)
    draw_line(rate, inserts("rate"), "pgbench, bare INSERT", PEER)
    draw_line(cpu, submissions("service", "postgres"), "submission: service and PostgreSQL", SERVICE)
    draw_line(cpu, submissions("postgres"), "PostgreSQL's part", SERVICE, dashed=True)
    draw_line(cpu, inserts("postgres"), "PostgreSQL, bare INSERT", PEER)
    axis(rate, "clients at once", places)
    axis(cpu, "clients at once", places, logarithmic=True)
    # The default labels are powers, and those between them overlap.
    cpu.set_yticks([10, 20, 50, 100, 200, 500], ["10", "20", "50", "100", "200", "500"])
    cpu.set_yticks([], minor=True)
    save(drawing, path)

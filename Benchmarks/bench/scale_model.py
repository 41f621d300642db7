"""What concurrent meetings need: processors, memory, network and disk, as a function of measured costs."""
import dataclasses, math, statistics

# A meeting: its people, and how they answer.
PEOPLE = 50
WINDOW = 600           # seconds in which they answer
PEAK = 3               # the busiest seconds, to the mean of the window
FOLLOWING = 0.5        # the share of people who keep the shared results open
HOST_VIEWERS = 2       # the host's results and the stage
HOST_PAGES = 10        # how often the host opens the results, each time after new answers
EXPORTS = 0.1          # exports for each meeting
PER_DAY = 8            # meetings a day in the place of each concurrent one

# The machines: at the peak, half of the processor time stays free.
USED = 0.5
INSTANCE_CORES = 2
INSTANCE_VIEWERS = 10_000
DATABASE_CORES = 16
# Instances hear of each other's changes. If that takes this share of their time, the forms are better divided among
# several installations.
HEARING = 0.25
# What Citus adds for each submission on its workers and its coordinator, to PostgreSQL's time without it.
# Taken from the figures that the project requires; not measured here.
CITUS_WORKERS, CITUS_COORDINATOR = 1.3, 0.1


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Processor time in microseconds, memory in KiB, sizes in bytes."""
    participant_service: float
    participant_database: float
    participant_bytes: float
    files_bytes: float
    host_service: float
    host_database: float
    # For one viewer and one change.
    viewer_service: float
    viewer_memory: float
    event_bytes: float
    # What each further instance adds to a submission, on all instances and PostgreSQL together.
    hearing: float
    row_service: float
    row_database: float
    disk: float
    log: float
    # Processor time of a submission by number of instances, with one form and with many.
    by_instances: dict

    @staticmethod
    def read(rounds):
        """From the groups of a run. A missing group is a KeyError."""
        def middle(group, value, condition=lambda each: True):
            return statistics.median(value(each) for each in rounds[group] if condition(each))

        def cost(each):
            return each["service"] + each["postgres"]
        hot = min(each["forms"] for each in rounds["instances"])
        numbers = sorted({each["instances"] for each in rounds["instances"]})

        def by_number(is_hot):
            return {count: middle("instances", cost, lambda each: each["instances"] == count
                                  and (each["forms"] == hot) == is_hot) for count in numbers}
        by_instances = {"one form": by_number(True), "many forms": by_number(False)}
        most = max(each["viewers"] for each in rounds["viewers"])
        many = by_instances["many forms"]
        csv = lambda name: middle("export", lambda each: each["files"]["submissions.csv"][name])
        return Inputs(
            participant_service=middle("participants", lambda each: each["service"]),
            participant_database=middle("participants", lambda each: each["postgres"]),
            participant_bytes=middle("participants", lambda each: each["bytes"]),
            files_bytes=middle("participants", lambda each: each["files"]),
            host_service=middle("participants", lambda each: each["host"]["service"]),
            host_database=middle("participants", lambda each: each["host"]["postgres"]),
            viewer_service=middle("viewers", lambda each: each["service"], lambda each: each["viewers"] == most),
            viewer_memory=middle("viewers", lambda each: each["kib"], lambda each: each["viewers"] == most),
            event_bytes=middle("viewers", lambda each: each["event"]),
            hearing=max(0, (many[max(numbers)] - many[1]) / (max(numbers) - 1)),
            row_service=csv("service"), row_database=csv("postgres"),
            disk=middle("disk", lambda each: each["disk"]), log=middle("disk", lambda each: each["wal"]),
            by_instances=by_instances)

    def table(self):
        rows = [
            ("a participant by pages, service", f"{self.participant_service / 1000:.2f} ms"),
            ("the same, PostgreSQL", f"{self.participant_database / 1000:.2f} ms"),
            ("pages that a participant receives; files on the first visit",
             f"{self.participant_bytes / 1000:.1f} KB; {self.files_bytes / 1000:.1f} KB"),
            ("the host's results after an answer, service and PostgreSQL",
             f"{self.host_service / 1000:.1f} + {self.host_database / 1000:.1f} ms"),
            ("a change shown to a viewer, service; its bytes",
             f"{self.viewer_service / 1000:.3f} ms; {self.event_bytes / 1000:.1f} KB"),
            ("memory of a viewer", f"{self.viewer_memory:.0f} KiB"),
            ("what a further instance adds to each submission, in all", f"{self.hearing:.1f} µs"),
            ("a row of submissions.csv, service and PostgreSQL",
             f"{self.row_service:.1f} + {self.row_database:.1f} µs"),
            ("disk and log of a submission", f"{self.disk:.0f} B, {self.log:.0f} B"),
        ]
        for name, costs in self.by_instances.items():
            measured = ", ".join(f"{costs[count]:.0f}" for count in sorted(costs))
            rows.append((f"a submission by 1, 2, 3 instances, {name}", f"{measured} µs"))
        return markdown(("input", "measured"), rows)


@dataclasses.dataclass(frozen=True)
class Needs:
    """What a number of concurrent meetings needs at its peak."""
    meetings: int
    submissions: float          # a second
    viewers: float
    service_cores: float
    database_cores: float
    installations: int
    instances: int              # of all installations
    memory: float               # GB, for viewers
    network: float              # Mbit/s
    disk: float                 # GB a day
    log: float                  # MB/s
    databases: int              # servers, or workers of Citus if there are more than one for an installation
    limit: str


def needs(inputs, meetings):
    submissions = meetings * PEOPLE / WINDOW * PEAK
    viewers = meetings * (PEOPLE * FOLLOWING + HOST_VIEWERS)
    # Four events a second for a form are the most that a viewer gets.
    events = min(PEOPLE / WINDOW * PEAK, 4) * viewers
    host_pages = meetings * HOST_PAGES / WINDOW * PEAK
    rows = meetings * EXPORTS * PEOPLE / WINDOW * PEAK
    service = (submissions * inputs.participant_service + events * inputs.viewer_service
               + host_pages * inputs.host_service + rows * inputs.row_service) / 1e6
    database = (submissions * inputs.participant_database + host_pages * inputs.host_database
                + rows * inputs.row_database) / 1e6
    # Every instance hears of all changes of its installation.
    hearing = inputs.hearing / 1e6
    capacity = INSTANCE_CORES * USED
    installations = max(1, math.ceil(submissions * hearing / (HEARING * capacity)))
    own = submissions / installations * hearing
    instances = installations * max(1, math.ceil(service / installations / (capacity - own)),
                                    math.ceil(viewers / installations / INSTANCE_VIEWERS))
    capacity = DATABASE_CORES * USED
    databases = installations * max(1, math.ceil(database / installations / capacity))
    if databases > installations:
        databases = installations * math.ceil(database * CITUS_WORKERS / installations / capacity)
    return Needs(
        meetings, submissions, viewers, service + instances * own, database, installations, instances,
        memory=viewers * inputs.viewer_memory / 1e6 * 1.024,
        network=(submissions * (inputs.participant_bytes + inputs.files_bytes) + events * inputs.event_bytes) * 8 / 1e6,
        disk=meetings * PER_DAY * PEOPLE * inputs.disk / 1e9, log=submissions * inputs.log / 1e6, databases=databases,
        limit=bottleneck(instances, installations, databases))


def bottleneck(instances, installations, databases):
    if installations > 1:
        return "instances that hear of every change"
    if databases > 1:
        return "PostgreSQL's processor time"
    return "processor time of pages" if instances > 1 else "none: one machine"


def needs_table(inputs, numbers):
    found = [needs(inputs, number) for number in numbers]
    rows = [
        ("submissions a second at the peak", *(f"{each.submissions:,.0f}" for each in found)),
        ("live viewers", *(f"{each.viewers:,.0f}" for each in found)),
        ("cores of the service, of PostgreSQL",
         *(f"{number(each.service_cores)}, {number(each.database_cores)}" for each in found)),
        (f"instances of {INSTANCE_CORES} cores, half used", *(f"{each.instances:,}" for each in found)),
        (f"PostgreSQL servers of {DATABASE_CORES} cores, half used", *(f"{each.databases:,}" for each in found)),
        ("installations of their own", *(f"{each.installations:,}" for each in found)),
        ("memory for viewers", *(f"{number(each.memory)} GB" for each in found)),
        ("network", *(f"{number(each.network)} Mbit/s" for each in found)),
        ("write-ahead log", *(f"{number(each.log)} MB/s" for each in found)),
        (f"disk a day, with {PER_DAY} meetings in each place", *(f"{number(each.disk)} GB" for each in found)),
        ("what is used up first", *(each.limit for each in found)),
    ]
    return markdown(("concurrent meetings", *(f"{each.meetings:,}" for each in found)), rows)


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def markdown(header, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])

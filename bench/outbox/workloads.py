"""What is run, at which size and how often. Nothing here runs anything."""

import dataclasses

LEASED = "Cuebox leased"
TRANSACTIONAL = "Cuebox transactional"
WAITING = "Cuebox, waiting"
BARE = "bare libpq"
GRAPHILE = "Graphile Worker"
PG_BOSS = "pg-boss"
BY_HAND = "pg-boss, by hand"

LABELS = [LEASED, TRANSACTIONAL, WAITING, BARE, GRAPHILE, PG_BOSS, BY_HAND]
OURS = [LEASED, TRANSACTIONAL]
PEERS = [GRAPHILE, PG_BOSS]

# So many events that claims have grown to their full size, and every session has its plans.
WARM = 5_000

# The program that runs each, and what it is told beyond the workload.
programs = {
    LEASED: ("cuebox", {"delivery": "leased"}),
    TRANSACTIONAL: ("cuebox", {"delivery": "transactional"}),
    WAITING: ("cuebox", {"delivery": "transactional"}),
    BARE: ("bare", {}),
    GRAPHILE: ("graphile", {}),
    PG_BOSS: ("pg_boss", {}),
    BY_HAND: ("pg_boss", {}),
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One system doing one thing: each run of it gets a database of its own."""

    workload: str
    label: str
    prepare: dict
    work: dict
    rounds: int
    # What is varied within a workload: a backlog, a number of processes. Systems are compared within a point.
    point: str = ""
    processes: int = 1
    # "filled": vacuumed and analyzed with its rows. "empty": analyzed before any came. "fresh": as installed.
    state: str = "filled"
    # Whether another session holds a snapshot throughout.
    pinned: bool = False
    # A run before it that finds out what the system can do; the run proper then gets half of that.
    probe: dict | None = None

    @property
    def system(self):
        return programs[self.label][0]

    @property
    def guess(self):
        """Roughly how many seconds a run takes, for the estimate of the time left."""
        rate = 30_000
        if self.work["workload"] == "latency":
            rate = 100
        elif self.work["settings"] == "unbatched" or (self.work["settings"] == "stock" and self.label in PEERS):
            rate = 2_500
        return (1.5 + self.prepare["events"] / 30_000 + self.prepare.get("history", 0) / 60_000
                + self.work.get("events", 0) / rate + self.work.get("seconds", 0)
                + (1.5 + self.probe["seconds"] if self.probe else 0))


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    cases: list
    # "rate": events per second, more is better. "latency": milliseconds, fewer are better.
    measures: str = "rate"
    notes: tuple = ()


def drain(workload, label, events, rounds, settings="tuned", handler="noop", history=0, processes=1, **more):
    """A backlog of events is there, and no more come."""
    prepare = {"events": events, "settings": settings, "handler": handler}
    if history:
        prepare["history"] = history
    work = {"workload": "drain", "events": events, "settings": settings, "handler": handler}
    if processes > 1:
        work["shared"] = True  # the others take some of them
    return case(workload, label, prepare, work, rounds, processes=processes, **more)


def burst(workload, label, events, rounds, **more):
    """Many events are committed at once, to a worker that runs and has worked off some before."""
    prepare = {"events": 0, "settings": "tuned", "handler": "noop"}
    work = {"workload": "burst", "events": events, "warm": WARM, "settings": "tuned", "handler": "noop"}
    return case(workload, label, prepare, work, rounds, state="fresh", **more)


def flow(workload, label, rounds, state="fresh", **more):
    """Producer and worker together, from an empty table."""
    extent = {name: more.pop(name) for name in ("events", "seconds", "window") if name in more}
    prepare = {"events": 0, "settings": "tuned", "handler": "noop"}
    work = {"workload": "flow", "settings": "tuned", "handler": "noop", **extent}
    return case(workload, label, prepare, work, rounds, state=state, **more)


def latency(workload, label, events, rounds):
    """One event at a time to a worker that has nothing else to do."""
    prepare = {"events": 0, "settings": "tuned", "handler": "noop"}
    work = {"workload": "latency", "events": events, "settings": "tuned", "handler": "noop"}
    return case(workload, label, prepare, work, rounds, state="fresh")


def case(workload, label, prepare, work, rounds, **more):
    told = programs[label][1]
    return Case(workload, label, {**prepare, **told}, {**work, **told}, rounds, **more)


def short(count):
    """10000 as 10k, 5000000 as 5M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count and count % size == 0:
            return f"{count // size}{letter}"
    return str(count)


def plan(quick):
    """Every workload, in the order they are run."""

    def pick(full, hasty):
        return hasty if quick else full

    rounds = pick(5, 3)
    fewer = pick(3, 2)
    seconds = pick(300, 12)
    stock = pick(200_000, 60_000)
    stock_peers = pick(30_000, 6_000)
    row = pick(100_000, 30_000)
    row_peers = pick(50_000, 15_000)
    histories = pick([0, 1_000_000, 5_000_000], [0, 500_000])
    backlogs = pick([10_000, 100_000, 1_000_000], [10_000, 200_000])
    crowd = [LEASED] if quick else [LEASED, *PEERS]

    return [
        Workload(
            "drain_tuned", "a backlog, each system at its best settings, a handler that does nothing",
            [drain("drain_tuned", label, pick(200_000, 100_000), rounds)
             for label in [LEASED, TRANSACTIONAL, BARE, *PEERS]],
            notes=("bare libpq: the same statements from a loop that runs no handler.",)),
        Workload(
            "drain_stock", "the same with settings nobody touched",
            [*(drain("drain_stock", label, stock, fewer, "stock") for label in OURS),
             *(drain("drain_stock", label, stock_peers, fewer, "stock") for label in PEERS)],
            notes=(f"Cuebox works off {stock:,} events, the peers {stock_peers:,}: theirs would take minutes, and a"
                   " rate is a rate.",)),
        Workload(
            "unbatched", "each event claimed by itself and settled by itself",
            [drain("unbatched", label, pick(20_000, 10_000), fewer, "unbatched") for label in [*OURS, *PEERS]]),
        Workload(
            "projection", "a handler that inserts one row, durably",
            [drain("projection", TRANSACTIONAL, row, rounds, handler="row"),
             drain("projection", WAITING, row_peers, rounds, handler="waiting"),
             *(drain("projection", label, row_peers, rounds, handler="row") for label in PEERS),
             drain("projection", BY_HAND, row_peers, rounds, handler="rows")],
            notes=("Cuebox transactional: the row is sent along with what is asked next; waiting: a round trip for each.",
                   "pg-boss, by hand: its batch written with one INSERT that the handler's author made; shown, not"
                   " judged.",)),
        Workload(
            "failing", "every tenth event fails and is given up",
            [drain("failing", label, pick(100_000, 30_000), fewer, handler="failing") for label in [*OURS, *PEERS]]),
        Workload(
            "latency_idle", "publish to handler, one event at a time, idle worker",
            [latency("latency_idle", label, pick(1_000, 300), rounds) for label in [*OURS, BARE, *PEERS]],
            measures="latency",
            notes=("bare libpq: a NOTIFY there and one claim.",)),
        Workload(
            "load_50", "publish to handler at half of what the same system can take",
            [flow("load_50", label, pick(3, 2), seconds=pick(20, 6), probe={"seconds": pick(5, 3)})
             for label in [*OURS, *PEERS]],
            measures="latency"),
        Workload(
            "flow_empty", "producer and worker together on tables analyzed while empty",
            [flow("flow_empty", LEASED, 10, state="empty", events=pick(150_000, 40_000)),
             *(flow("flow_empty", label, fewer, state="empty", events=pick(150_000, 40_000)) for label in PEERS)]),
        Workload(
            "history", "drain_tuned above rows that were delivered before",
            [drain("history", LEASED, pick(200_000, 60_000), pick(3, 3), history=history, point=short(history))
             for history in histories]),
        Workload(
            "pinned", "producer and worker together while another session holds a snapshot",
            [flow("pinned", label, 1, seconds=duration, window=20_000, point=point, pinned=point == "pinned")
             for point, duration in (("unpinned", min(seconds, 60)), ("pinned", seconds))
             for label in [LEASED, *PEERS]],
            notes=("Rates are the median second of the last third.",)),
        Workload(
            "processes", "drain_tuned by several worker processes",
            [drain("processes", label, pick(200_000, 60_000), fewer, point=str(count), processes=count)
             for count in (1, 2, 4, 8) for label in crowd]),
        Workload(
            "sizes", "events that one commit brings to a worker that runs, by their number",
            [burst("sizes", label, backlog, 7 if backlog <= 10_000 else fewer, point=short(backlog))
             for backlog in backlogs for label in OURS]),
    ]


def choose(workloads, only=None, rounds=None):
    """Those that were named, each case repeated as often as was asked."""
    chosen = [workload for workload in workloads if not only or workload.name in only]
    if rounds is None:
        return chosen
    return [dataclasses.replace(workload, cases=[dataclasses.replace(each, rounds=rounds) for each in workload.cases])
            for workload in chosen]


def in_turns(workload):
    """(round, case) in the order to run: all cases once, then again, so that noise hits all alike."""
    last = max(case.rounds for case in workload.cases)
    return [(number, case) for number in range(1, last + 1) for case in workload.cases if number <= case.rounds]

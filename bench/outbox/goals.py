"""What Cuebox set itself, and whether these figures meet it. Pure: a goal that is missed is a finding."""

import dataclasses

from summary import best, find, ratio
from workloads import BARE, BY_HAND, LEASED, OURS, PEERS, TRANSACTIONAL

# Of the median of its runs; below this a run has collapsed.
COLLAPSE = 0.5


@dataclasses.dataclass(frozen=True)
class Goal:
    text: str
    # "met", "missed" or "not measured"
    verdict: str
    # What it rests on, for people to read.
    figures: str = ""
    value: float | None = None
    bound: float | None = None


def at_least(text, value, bound, figures):
    return judge(text, value, bound, figures, lambda: value >= bound)


def at_most(text, value, bound, figures):
    return judge(text, value, bound, figures, lambda: value <= bound)


def judge(text, value, bound, figures, met):
    if value is None:
        return Goal(text, "not measured", bound=bound)
    return Goal(text, "met" if met() else "missed", figures(), value, bound)


class Figures:
    """Looks medians up; what was not measured is None, and so is all that follows from it."""

    def __init__(self, rows):
        self.rows = rows

    def of(self, workload, label, name="rate", point=""):
        row = find(self.rows, workload, label, point)
        return row.median(name) if row else None

    def peer(self, workload, name="rate", point="", least=False):
        return best([self.of(workload, label, name, point) for label in PEERS], least)

    def points(self, workload):
        return list(dict.fromkeys(row.point for row in self.rows if row.workload == workload))


def thousands(value):
    return f"{value / 1000:,.1f} k/s"


def rate_goal(figures, text, workload, label, bound):
    ours, theirs = figures.of(workload, label), figures.peer(workload)
    return at_least(text, ratio(ours, theirs), bound,
                    lambda: f"{ratio(ours, theirs):.2f} ×: {thousands(ours)} to {thousands(theirs)}")


def drain_goals(figures):
    yield rate_goal(figures, "drain tuned, leased ≥ 2 × best peer", "drain_tuned", LEASED, 2)
    ours, bare = figures.of("drain_tuned", LEASED), figures.of("drain_tuned", BARE)
    yield at_least("drain tuned, leased ≥ 0.85 × bare libpq", ratio(ours, bare), 0.85,
                   lambda: f"{ratio(ours, bare):.2f} ×: {thousands(ours)} to {thousands(bare)}")
    yield rate_goal(figures, "drain tuned, transactional ≥ 2.5 × best peer", "drain_tuned", TRANSACTIONAL, 2.5)
    yield rate_goal(figures, "drain stock, leased ≥ 5 × best peer", "drain_stock", LEASED, 5)
    yield rate_goal(figures, "unbatched, leased ≥ 2 × best peer", "unbatched", LEASED, 2)
    yield projection_goal(figures)


def projection_goal(figures):
    goal = rate_goal(figures, "projection ≥ 3 × best peer", "projection", TRANSACTIONAL, 3)
    by_hand = ratio(figures.of("projection", TRANSACTIONAL), figures.of("projection", BY_HAND))
    if goal.verdict == "not measured" or by_hand is None:
        return goal
    return dataclasses.replace(goal, figures=f"{goal.figures}; {by_hand:.2f} × by hand")


def latency_goals(figures):
    for name in ("p50", "p99"):
        ours, theirs = figures.of("latency_idle", LEASED, name), figures.peer("latency_idle", name, least=True)
        yield milliseconds(f"latency idle {name}, leased ≤ 0.5 × best peer", ours, theirs, 0.5)
    ours, bare = figures.of("latency_idle", LEASED, "p50"), figures.of("latency_idle", BARE, "p50")
    yield milliseconds("latency idle p50, leased ≤ 1.5 × bare libpq", ours, bare, 1.5)


def milliseconds(text, ours, theirs, bound):
    return at_most(text, ratio(ours, theirs), bound,
                   lambda: f"{ratio(ours, theirs):.2f} ×: {ours:.2f} ms to {theirs:.2f} ms")


def flow_goals(figures):
    yield rate_goal(figures, "flow from empty ≥ 1.5 × best peer", "flow_empty", LEASED, 1.5)
    row = find(figures.rows, "flow_empty", LEASED)
    worst = ratio(row.figures["rate"].low, row.median("rate")) if row else None
    yield at_least("flow from empty, no run collapses", worst, COLLAPSE,
                   lambda: f"{worst:.2f} × the median: {thousands(row.figures['rate'].low)}, worst of {row.rounds}")
    points = figures.points("history")
    some = points[-1] if len(points) > 1 else ""
    with_history, without = figures.of("history", LEASED, point=some), figures.of("history", LEASED, point="0")
    yield at_least(f"{some or 'much'} history ≥ 0.9 × none", ratio(with_history, without), 0.9,
                   lambda: f"{ratio(with_history, without):.2f} ×: {thousands(with_history)} to {thousands(without)}")
    pinned, free = figures.of("pinned", LEASED, point="pinned"), figures.of("pinned", LEASED, point="unpinned")
    yield at_least("snapshot held elsewhere ≥ 0.7 × without", ratio(pinned, free), 0.7,
                   lambda: f"{ratio(pinned, free):.2f} ×: {thousands(pinned)} to {thousands(free)}")


def cost_goals(figures, runs):
    ours = figures.of("drain_tuned", LEASED, "client_us")
    theirs = figures.peer("drain_tuned", "client_us", least=True)
    yield at_most("client processor, leased ≤ 0.2 × best peer", ratio(ours, theirs), 0.2,
                  lambda: f"{ratio(ours, theirs):.2f} ×: {ours:.1f} µs to {theirs:.1f} µs an event")
    peaks = peak_by_label(runs)
    peak = best([peaks.get(label) for label in OURS])
    others = best([peaks.get(label) for label in PEERS], least=True)
    yield at_most("memory of a worker in any drain ≤ 30 MB", peak, 30,
                  lambda: f"{peak:.0f} MB" + (f"; the leanest peer {others:.0f} MB" if others else ""))
    for label in OURS:
        yield backlog_goal(figures, label)


def backlog_goal(figures, label):
    points = figures.points("sizes")
    small, large = (points[0], points[-1]) if len(points) > 1 else ("", "")
    first, last = cost(figures, label, small), cost(figures, label, large)
    growth = ratio(last, first)
    change = None if growth is None else abs(growth - 1)
    return at_most(f"cost by backlog, {label.removeprefix('Cuebox ')}, ± 10 %", change, 0.10,
                   lambda: f"{growth - 1:+.0%}: {first:.1f} µs of {small} to {last:.1f} µs of {large}")


def cost(figures, label, point):
    """Processor time of an event, ours and the server's."""
    client = figures.of("sizes", label, "client_us", point)
    served = figures.of("sizes", label, "server_us", point)
    return None if client is None or served is None else client + served


def peak_by_label(runs):
    """The most memory that a worker of each system had in any drain."""
    peaks = {}
    for run in runs:
        if run["work"]["workload"] in ("drain", "burst"):
            peaks[run["label"]] = max(run["peak_mb"], peaks.get(run["label"], 0))
    return peaks


def judge_all(rows, runs):
    figures = Figures(rows)
    return [*drain_goals(figures), *latency_goals(figures), *flow_goals(figures), *cost_goals(figures, runs)]

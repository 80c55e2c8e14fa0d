"""Medians, spreads, and who is ahead of whom. Pure: runs in, figures out."""

import dataclasses
import statistics

from workloads import OURS, PEERS

FIGURES = ["rate", "seconds", "commits", "wal_bytes", "dead", "client_us", "server_us", "peak_mb", "asked_rate"]
PERCENTILES = ["p50", "p95", "p99", "max"]


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float

    @staticmethod
    def of(values):
        return Spread(statistics.median(values), min(values), max(values))


@dataclasses.dataclass(frozen=True)
class Row:
    """One system at one point of a workload."""

    workload: str
    point: str
    label: str
    rounds: int
    figures: dict

    def median(self, name):
        """The median of a figure, or nothing where it was not measured."""
        spread = self.figures.get(name)
        return None if spread is None else spread.median


def figures_of(run):
    """The numbers of a run by name, percentiles of the latency among them."""
    found = {name: run[name] for name in FIGURES if name in run}
    found.update({name: run["latency_ms"][name] for name in PERCENTILES if name in run.get("latency_ms", {})})
    return found


def summarize(runs):
    """A Row for each (workload, point, label), in the order in which they first ran."""
    groups = {}
    for run in runs:
        groups.setdefault((run["workload"], run["point"], run["label"]), []).append(figures_of(run))
    rows = []
    for (workload, point, label), taken in groups.items():
        names = [name for name in taken[0] if all(name in each for each in taken)]
        figures = {name: Spread.of([each[name] for each in taken]) for name in names}
        rows.append(Row(workload, point, label, len(taken), figures))
    return rows


def find(rows, workload, label, point=""):
    return next((row for row in rows if (row.workload, row.label, row.point) == (workload, label, point)), None)


def lead(ours, theirs, measures):
    """How many times better ours is: in events per second, or in milliseconds at the median."""
    if ours is None or theirs is None:
        return None
    if measures == "rate":
        return ratio(ours.median("rate"), theirs.median("rate"))
    return ratio(theirs.median("p50"), ours.median("p50"))


def ratio(above, below):
    return None if above is None or not below else above / below


def best(values, least=False):
    """The best that was measured, or nothing."""
    known = [value for value in values if value is not None]
    return (min(known) if least else max(known)) if known else None


def beaten(rows, measures):
    """Sentences for every row in which a peer is ahead of Cuebox; measures: what each workload is judged by."""
    found = []
    for ours in rows:
        if ours.label not in OURS:
            continue
        for theirs in rows:
            if theirs.label not in PEERS or (theirs.workload, theirs.point) != (ours.workload, ours.point):
                continue
            figures = ["rate"] if measures[ours.workload] == "rate" else ["p50", "p99"]
            for name in figures:
                found += compare(ours, theirs, name)
    return found


def compare(ours, theirs, name):
    mine, other = ours.median(name), theirs.median(name)
    if mine is None or other is None:
        return []
    behind = mine < other if name == "rate" else mine > other
    if not behind:
        return []
    where = ours.workload + (f" {ours.point}" if ours.point else "")
    unit = "{:,.0f}/s" if name == "rate" else name + " {:.2f} ms"
    return [f"{where}: {theirs.label} {unit.format(other)}, {ours.label} {unit.format(mine)}"]

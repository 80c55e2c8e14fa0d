"""The tables that people read: 100 columns. Pure: figures in, text out."""

from goals import COLLAPSE, peak_by_label
from summary import find, lead, ratio
from workloads import LABELS, LEASED, OURS, TRANSACTIONAL

COLUMNS = 100
COSTS = [("commits", "commits", 8), ("wal_bytes", "WAL B", 7), ("dead", "dead", 6),
         ("client_us", "client µs", 10), ("server_us", "server µs", 10), ("peak_mb", "MB", 5)]


def number(value):
    """Three digits or so, which is more than the noise leaves."""
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.3f}"


def spread(found, scale=1.0):
    if found is None:
        return ""
    return f"{number(found.median / scale)} ({number(found.low / scale)}–{number(found.high / scale)})"


def headline(settings, machine):
    """Where this was measured, in a few lines."""
    postgres = settings["settings"]
    stated = ", ".join(f"{name} {value}" for name, value in postgres.items())
    return [f"{machine['cores']} cores of {machine['cpu']}, {machine['memory_gb']} GB, {machine['file_system']}, "
            f"{machine['system']}", *wrap(f"Postgres {settings['version']}: {stated}")]


def wrap(text, indent=""):
    lines, line = [], ""
    for word in text.split():
        if line and len(indent) + len(line) + 1 + len(word) > COLUMNS:
            lines.append(indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, indent + line]


def table(workload, rows):
    """One workload: a line for each system, its costs per event behind it."""
    latency = workload.measures == "latency"
    deliveries = [label for label in OURS if any(row.label == label for row in rows)]
    # Where Cuebox is alone it leads nobody.
    alone = all(row.label in OURS for row in rows)
    named = "" if alone else "lead " + "/".join({LEASED: "l", TRANSACTIONAL: "t"}[label] for label in deliveries)
    first = f"{'p50 ms (min–max)':>18}{'p99 ms':>8}" if latency else f"{'k events/s (min–max)':>22}"
    costs = COSTS if not latency else [each for each in COSTS if each[0] != "dead"]
    lines = [*wrap(f"{workload.name}: {workload.title}"),
             f"  {'':20}{first}{named:>10}" + "".join(f"{title:>{width}}" for _, title, width in costs)]
    for point in dict.fromkeys(row.point for row in rows):
        here = [row for row in rows if row.point == point]
        if point:
            lines.append(f"  [{point}]")
        lines += [system_line(row, here, deliveries, workload.measures, costs) for row in in_order(here)]
    return [*lines, *(line for note in [*workload.notes, *remarks(workload, rows)] for line in wrap(note, "  "))]


def in_order(rows):
    return sorted(rows, key=lambda row: LABELS.index(row.label))


def system_line(row, here, deliveries, measures, costs):
    if measures == "latency":
        first = f"{spread(row.figures.get('p50')):>18}{number(row.median('p99')):>8}"
    else:
        first = f"{spread(row.figures.get('rate'), 1000):>22}"
    leads = []
    if row.label not in OURS:
        for label in deliveries:
            ours = next((each for each in here if each.label == label), None)
            leads.append(number(lead(ours, row, measures)))
    return f"  {row.label:20}{first}{'/'.join(leads):>10}" + "".join(
        f"{number(row.median(figure)):>{width}}" for figure, _, width in costs).rstrip()


def remarks(workload, rows):
    """What the table does not show by itself."""
    if workload.name == "pinned":
        kept = [(row.label, ratio(row.median("rate"), free.median("rate"))) for row in in_order(rows)
                if row.point == "pinned" and (free := find(rows, "pinned", row.label, "unpinned"))]
        return [f"Of its rate without the snapshot each kept: {listed(kept)}."] if kept else []
    if workload.name == "flow_empty":
        worst = [(row.label, ratio(row.figures["rate"].low, row.median("rate"))) for row in in_order(rows)]
        return [f"Worst run to median: {listed(worst)}; below {COLLAPSE} it would be a collapse."]
    if workload.name == "load_50":
        return [line for row in in_order(rows) for line in load_remark(row)]
    return []


def load_remark(row):
    asked, reached = row.median("asked_rate"), row.median("rate")
    if asked is None:
        return []
    kept_up = "kept up" if keeps_up(asked, reached) else f"did not keep up: {reached / 1000:,.1f} k/s"
    return [f"{row.label}: asked for {asked / 1000:,.1f} k/s, {kept_up}."]


def keeps_up(asked, reached):
    """The last of it takes a moment to work off; a twentieth is that, more is not."""
    return reached >= 0.95 * asked


def listed(pairs):
    return ", ".join(f"{label} {number(value)}" for label, value in pairs)


def memory(runs):
    peaks = peak_by_label(runs)
    if not peaks:
        return []
    shown = [(label, peaks[label]) for label in LABELS if label in peaks]
    return wrap("Most memory of one worker in any drain, MB: " + ", ".join(
        f"{label} {peak:.0f}" for label, peak in shown) + ".")


def goal_lines(goals):
    width = max(len(goal.text) for goal in goals)
    lines = ["Goals"]
    for goal in goals:
        head = f"  {goal.verdict:12}  {goal.text:{width}}  "
        first, *more = wrap(goal.figures, " " * len(head))
        lines += [(head + first.lstrip()).rstrip(), *more]
    return lines


def full(head, workloads, rows, runs, goals):
    """Everything that goes to stdout."""
    lines = [*head, *wrap("Medians. Lead: how many times better Cuebox is, leased (l) and transactional (t). Costs are"
                          " per event; client and server µs are processor time; MB is the peak of one worker."), ""]
    for workload in workloads:
        found = [row for row in rows if row.workload == workload.name]
        if found:
            lines += [*table(workload, found), ""]
    return "\n".join([*lines, *memory(runs), "", *goal_lines(goals)])

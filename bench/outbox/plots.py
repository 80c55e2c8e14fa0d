"""Writes what gnuplot draws, and has it drawn: SVG and PNG."""

import pathlib
import subprocess

from goals import Figures, cost
from workloads import LABELS, OURS

here = pathlib.Path(__file__).resolve().parent

# Okabe and Ito's palette: distinct in print and to colour-blind readers; a system keeps its colour.
colours = dict(zip(LABELS, ["#D55E00", "#E69F00", "#CC79A7", "#999999", "#0072B2", "#56B4E9", "#009E73"]))
COMPARED = ["drain_tuned", "drain_stock", "unbatched", "projection", "failing", "flow_empty"]
WAITED = [("latency_idle", "p50"), ("latency_idle", "p99"), ("load_50", "p50"), ("load_50", "p99")]


def cell(value):
    return "-" if value is None else f"{value:.6g}"


def bars(names, columns):
    """The systems, the text of a file with a line for each name and a column for each system, and the highest bar;
    nothing where nothing was measured."""
    kept = [label for label in LABELS if any(value is not None for value in columns[label])]
    lines = [" ".join([name, *(cell(columns[label][index]) for label in kept)]) for index, name in enumerate(names)
             if any(columns[label][index] is not None for label in kept)]
    highest = max((value for label in kept for value in columns[label] if value is not None), default=0)
    return (kept, "\n".join(lines) + "\n", highest) if lines else None


def rates(figures):
    return bars(COMPARED, {label: [scaled(figures.of(name, label), 1000) for name in COMPARED] for label in LABELS})


def waits(figures):
    names = [f"{workload}_{percentile}" for workload, percentile in WAITED]
    return bars(names, {label: [figures.of(workload, label, percentile) for workload, percentile in WAITED]
                        for label in LABELS})


def scaled(value, by):
    return None if value is None else value / by


def blocks(series):
    """Text of a file with a block of x and y for each series."""
    return "\n\n\n".join("\n".join(f"{x:g} {y:g}" for x, y in points) for _, points in series) + "\n"


def over_time(runs):
    """(label, point) and thousand events in each second, of every run with and without a pinned snapshot."""
    return [((run["label"], run["point"]),
             [(second, count / 1000) for second, count in
              enumerate(run["per_second"][:int(run["work"]["seconds"])], 1)])
            for run in runs if run["workload"] == "pinned"]


def by_backlog(figures, runs):
    sizes = {run["point"]: run["work"]["events"] for run in runs if run["workload"] == "sizes"}
    found = [((label, ""), [(size, cost(figures, label, point)) for point, size in sizes.items()
                            if cost(figures, label, point) is not None]) for label in OURS]
    return [(key, points) for key, points in found if points]


def draw_bars(base, found, title, axis, where, log=False):
    labels, text, highest = found
    # Room above the highest for its figure.
    top = f"{highest * (3 if log else 1.15):g}"
    draw("bars.gp", base, text, labels, [colours[label] for label in labels], title, axis, where, log=int(log), top=top)


def draw_lines(base, series, title, axis, x_axis, where, log=False):
    """What is pinned or has no such state is drawn solid, the rest dashed."""
    labels = [label + (f", {point}" if point else "") for (label, point), _ in series]
    dashes = " ".join("2" if point == "unpinned" else "1" for (_, point), _ in series)
    draw("lines.gp", base, blocks(series), labels, [colours[label] for (label, _), _ in series], title, axis, where,
         log=int(log), x_axis=x_axis, dashes=dashes)


def draw(script, base, text, labels, used, title, axis, where, **more):
    data = pathlib.Path(f"{base}.dat")
    data.write_text(text)
    told = {"data": data, "output_base": base, "labels": "|".join(labels), "colours": " ".join(used), "title": title,
            "axis": axis, "where": where, **more}
    settings = "; ".join(f"{name} = {value}" if isinstance(value, int) else f"{name} = '{quoted(value)}'"
                         for name, value in told.items())
    subprocess.run(["gnuplot", "-e", settings, str(here / script)], check=True, stdin=subprocess.DEVNULL)


def quoted(value):
    return str(value).replace("'", "''")


def draw_all(directory, rows, runs, where):
    """Returns the files drawn; a plot of which nothing was measured is left out."""
    # What an earlier run drew must not pass for this one's.
    for old in directory.glob("outbox_*.*"):
        old.unlink()
    figures = Figures(rows)
    drawn = []
    if found := rates(figures):
        drawn.append(directory / "outbox_rates")
        draw_bars(drawn[-1], found, "Events handled, medians (higher is better)", "thousand events per second", where)
    if found := waits(figures):
        drawn.append(directory / "outbox_latency")
        draw_bars(drawn[-1], found, "Publish to handler, medians (lower is better)", "milliseconds", where,
                  log=True)
    if series := over_time(runs):
        drawn.append(directory / "outbox_pinned")
        draw_lines(drawn[-1], series, "While another session holds a snapshot (higher is better)",
                   "thousand events per second", "seconds", where)
    if series := by_backlog(figures, runs):
        drawn.append(directory / "outbox_cost")
        draw_lines(drawn[-1], series, "Processor time of an event, client and server, medians (flat is better)",
                   "microseconds", "events in the backlog", where, log=True)
    return drawn

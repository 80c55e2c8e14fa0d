"""The decisions of the benchmark, without a database: python3 bench/outbox/test_outbox.py"""

import pathlib
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import drivers
import goals
import measure
import plots
import progress
import report
import summary
import workloads
from workloads import BARE, BY_HAND, GRAPHILE, LEASED, PG_BOSS, TRANSACTIONAL, WAITING


def run(workload, label, rate=1000.0, point="", kind="drain", **more):
    """A run as the orchestrator keeps it."""
    return {"workload": workload, "point": point, "label": label, "work": {"workload": kind, "events": 1000},
            "rate": rate, "commits": 0.01, "wal_bytes": 900.0, "dead": 1.0, "client_us": 3.0, "server_us": 12.0,
            "peak_mb": 20.0, **more}


def timed(workload, label, p50, p99):
    return run(workload, label, kind="latency", latency_ms={"p50": p50, "p95": p50, "p99": p99, "max": p99})


def verdicts(runs):
    """Goals by their text."""
    return {goal.text: goal for goal in goals.judge_all(summary.summarize(runs), runs)}


class Summary(unittest.TestCase):
    def test_a_row_has_median_and_spread_of_its_rounds(self):
        rows = summary.summarize([run("drain_tuned", LEASED, rate) for rate in (30, 10, 20)])

        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0].rounds, 3)
        self.assertEqual(rows[0].figures["rate"], summary.Spread(20, 10, 30))

    def test_points_and_systems_are_kept_apart(self):
        rows = summary.summarize([run("sizes", LEASED, point="10k"), run("sizes", LEASED, point="1M"),
                                  run("sizes", TRANSACTIONAL, point="1M")])

        self.assertEqual([(row.point, row.label) for row in rows],
                         [("10k", LEASED), ("1M", LEASED), ("1M", TRANSACTIONAL)])

    def test_a_lead_is_more_events_or_fewer_milliseconds(self):
        fast, slow = summary.summarize([run("drain_tuned", LEASED, 300), run("drain_tuned", GRAPHILE, 100)])
        quick, late = summary.summarize([timed("latency_idle", LEASED, 1, 2), timed("latency_idle", GRAPHILE, 4, 9)])

        self.assertEqual(summary.lead(fast, slow, "rate"), 3)
        self.assertEqual(summary.lead(quick, late, "latency"), 4)
        self.assertIsNone(summary.lead(None, slow, "rate"))

    def test_a_peer_that_is_ahead_of_either_delivery_is_named(self):
        rows = summary.summarize([run("drain_tuned", LEASED, 100), run("drain_tuned", TRANSACTIONAL, 300),
                                  run("drain_tuned", GRAPHILE, 200), run("drain_tuned", PG_BOSS, 90)])

        self.assertEqual(summary.beaten(rows, {"drain_tuned": "rate"}),
                         ["drain_tuned: Graphile Worker 200/s, Cuebox leased 100/s"])

    def test_a_peer_with_the_shorter_tail_is_named(self):
        rows = summary.summarize([timed("latency_idle", LEASED, 1, 8), timed("latency_idle", PG_BOSS, 4, 7)])

        self.assertEqual(summary.beaten(rows, {"latency_idle": "latency"}),
                         ["latency_idle: pg-boss p99 7.00 ms, Cuebox leased p99 8.00 ms"])

    def test_what_is_not_the_same_work_beats_nobody(self):
        rows = summary.summarize([run("projection", TRANSACTIONAL, 100), run("projection", BY_HAND, 200),
                                  run("projection", BARE, 300)])

        self.assertEqual(summary.beaten(rows, {"projection": "rate"}), [])

    def test_systems_are_compared_within_a_point_only(self):
        rows = summary.summarize([run("processes", LEASED, 100, "1"), run("processes", PG_BOSS, 200, "8")])

        self.assertEqual(summary.beaten(rows, {"processes": "rate"}), [])


class Goals(unittest.TestCase):
    def test_nothing_measured_is_neither_met_nor_missed(self):
        self.assertEqual({goal.verdict for goal in goals.judge_all([], [])}, {"not measured"})

    def test_a_rate_is_judged_against_the_best_peer(self):
        found = verdicts([run("drain_tuned", LEASED, 79_000), run("drain_tuned", TRANSACTIONAL, 100_000),
                          run("drain_tuned", GRAPHILE, 30_000), run("drain_tuned", PG_BOSS, 40_000)])

        missed = found["drain tuned, leased ≥ 2 × best peer"]
        self.assertEqual((missed.verdict, missed.figures), ("missed", "1.98 ×: 79.0 k/s to 40.0 k/s"))
        self.assertEqual(found["drain tuned, transactional ≥ 2.5 × best peer"].verdict, "met")
        self.assertEqual(found["drain tuned, leased ≥ 0.85 × bare libpq"].verdict, "not measured")

    def test_latency_is_judged_against_the_best_peer_at_each_percentile(self):
        found = verdicts([timed("latency_idle", LEASED, 1, 4), timed("latency_idle", GRAPHILE, 2, 9),
                          timed("latency_idle", PG_BOSS, 3, 7)])

        self.assertEqual(found["latency idle p50, leased ≤ 0.5 × best peer"].verdict, "met")
        self.assertEqual(found["latency idle p99, leased ≤ 0.5 × best peer"].verdict, "missed")

    def test_one_bad_run_of_ten_is_a_collapse(self):
        steady = [run("flow_empty", LEASED, 40_000, kind="flow") for _ in range(9)]
        text = "flow from empty, no run collapses"

        self.assertEqual(verdicts([*steady, run("flow_empty", LEASED, 21_000, kind="flow")])[text].verdict, "met")
        self.assertEqual(verdicts([*steady, run("flow_empty", LEASED, 19_000, kind="flow")])[text].verdict, "missed")

    def test_history_is_judged_at_its_largest(self):
        found = verdicts([run("history", LEASED, 100, "0"), run("history", LEASED, 80, "1M"),
                          run("history", LEASED, 95, "5M")])

        self.assertEqual(found["5M history ≥ 0.9 × none"].verdict, "met")

    def test_memory_is_the_most_of_any_drain(self):
        runs = [run("drain_tuned", LEASED, peak_mb=20.0), run("sizes", TRANSACTIONAL, point="1M", peak_mb=31.0),
                run("pinned", LEASED, kind="flow", peak_mb=99.0)]

        self.assertEqual(verdicts(runs)["memory of a worker in any drain ≤ 30 MB"].value, 31.0)

    def test_cost_by_backlog_adds_client_and_server(self):
        found = verdicts([run("sizes", LEASED, point="10k", client_us=4.0, server_us=16.0),
                          run("sizes", LEASED, point="1M", client_us=3.0, server_us=20.0)])

        goal = found["cost by backlog, leased, ± 10 %"]
        self.assertEqual((goal.verdict, goal.figures), ("missed", "+15%: 20.0 µs of 10k to 23.0 µs of 1M"))


class Report(unittest.TestCase):
    def everything(self, quick=True):
        """A run of every case, with figures as wide as they get."""
        figures = {"rate": 123_456.0, "wal_bytes": 12_345.0, "client_us": 1234.5, "server_us": 12_345.0,
                   "peak_mb": 150.0, "asked_rate": 60_000,
                   "latency_ms": {"p50": 123.4, "p95": 200.0, "p99": 1234.0, "max": 4000.0}}
        return [run(case.workload, case.label, point=case.point, **figures) | {"work": case.work}
                for workload in workloads.plan(quick) for case in workload.cases]

    def test_no_line_is_wider_than_a_hundred_columns(self):
        runs = self.everything()
        rows = summary.summarize(runs)

        text = report.full([], workloads.plan(True), rows, runs, goals.judge_all(rows, runs))

        self.assertEqual([line for line in text.splitlines() if len(line) > report.COLUMNS], [])

    def test_a_line_names_the_system_its_rate_and_the_lead_over_it(self):
        plan = workloads.plan(True)[0]
        rows = summary.summarize([run("drain_tuned", LEASED, 80_000), run("drain_tuned", TRANSACTIONAL, 100_000),
                                  run("drain_tuned", PG_BOSS, 39_000), run("drain_tuned", PG_BOSS, 41_000)])

        line = report.table(plan, rows)[4]

        self.assertEqual(line.split()[:4], ["pg-boss", "40.0", "(39.0–41.0)", "2.00/2.50"])

    def test_numbers_have_about_three_digits(self):
        self.assertEqual([report.number(value) for value in (None, 0, 0.0034, 0.25, 9.876, 98.76, 1234.5)],
                         ["", "0.00", "0.003", "0.25", "9.88", "98.8", "1,234"])

    def test_a_system_that_falls_behind_is_said_to(self):
        row = summary.summarize([run("load_50", GRAPHILE, 9_000, asked_rate=10_000)])[0]

        self.assertEqual(report.load_remark(row), ["Graphile Worker: asked for 10.0 k/s, did not keep up: 9.0 k/s."])


class Plan(unittest.TestCase):
    def test_systems_take_turns(self):
        turns = workloads.in_turns(workloads.plan(True)[0])

        self.assertEqual([number for number, _ in turns], [1] * 5 + [2] * 5 + [3] * 5)
        self.assertEqual(len({case.label for _, case in turns[:5]}), 5)

    def test_names_and_rounds_can_be_chosen(self):
        chosen = workloads.choose(workloads.plan(False), ["sizes"], 2)

        self.assertEqual([workload.name for workload in chosen], ["sizes"])
        self.assertEqual({case.rounds for case in chosen[0].cases}, {2})

    def test_every_case_is_told_how_its_system_delivers(self):
        for quick in (True, False):
            for case in (case for workload in workloads.plan(quick) for case in workload.cases):
                expected = {LEASED: "leased", TRANSACTIONAL: "transactional",
                            WAITING: "transactional"}.get(case.label)
                self.assertEqual(case.work.get("delivery"), expected)

    def test_sizes_are_named_as_people_do(self):
        self.assertEqual([workloads.short(count) for count in (0, 8, 10_000, 5_000_000)], ["0", "8", "10k", "5M"])


class Measure(unittest.TestCase):
    def test_a_long_run_is_judged_by_its_last_third(self):
        said = [{"per_second": [9, 9, 9, 9, 5, 7, 1000], "events": 60, "seconds": 6.5}]

        self.assertEqual(measure.rate_of({"seconds": 6}, "pinned", said, {"events": 60, "seconds": 6.5}), 6)
        self.assertEqual(measure.rate_of({}, "", said, {"events": 60, "seconds": 6.0}), 10)

    def test_patience_grows_with_the_work(self):
        self.assertGreater(measure.patience({"events": 200_000}), 1000)
        self.assertGreater(measure.patience({"seconds": 300}), 600)

    def test_time_left_follows_the_work_done(self):
        self.assertIsNone(progress.time_left(3, 0, 10))
        self.assertEqual(progress.time_left(20, 5, 15), 40)
        self.assertEqual(progress.clock(65.9), "1:05")


class Plots(unittest.TestCase):
    def test_bars_leave_out_what_nobody_measured(self):
        columns = dict.fromkeys(workloads.LABELS, [None, None, None])
        columns |= {LEASED: [80.0, None, 5], PG_BOSS: [40.0, None, None]}

        self.assertEqual(plots.bars(["a", "b", "c"], columns), ([LEASED, PG_BOSS], "a 80 40\nc 5 -\n", 80.0))
        self.assertIsNone(plots.bars(["a"], dict.fromkeys(workloads.LABELS, [None])))


class Drivers(unittest.TestCase):
    def setUp(self):
        known = dict(drivers.commands)
        self.addCleanup(drivers.commands.update, known)

    def driver(self, script):
        drivers.replace(f"bare=sh -c '{script}'")
        return drivers.Driver("bare", "work", {}, None)

    def test_one_that_exits_early_is_quoted(self):
        with self.driver("echo it broke >&2; exit 3") as driver:
            with self.assertRaisesRegex(drivers.Failed, "bare work ended with status 3 before.*\nit broke"):
                driver.expect("ready", time.monotonic() + 10)

    def test_one_that_says_nothing_is_given_up(self):
        with self.driver("exec sleep 60") as driver:
            with self.assertRaisesRegex(drivers.Failed, "was not ready in time"):
                driver.expect("ready", 0)

    def test_one_that_chatters_is_refused(self):
        with self.driver("echo hello") as driver:
            with self.assertRaisesRegex(drivers.Failed, "was to be ready and wrote 'hello'"):
                driver.expect("ready", time.monotonic() + 10)


if __name__ == "__main__":
    unittest.main()

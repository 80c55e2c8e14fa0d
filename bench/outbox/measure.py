"""One run: a fresh database, the drivers of one case, and what they cost."""

import contextlib
import statistics
import time

import drivers
import machine
import server as postgres

# Nothing takes this long unless it hangs; rows of history are the slowest to make.
PREPARE_SECONDS = 1200
READY_SECONDS = 120
END_SECONDS = 120


class Wrong(Exception):
    """A run ended, and not with what it was to do."""


def patience(work):
    """Seconds that a worker may take before it is given up: many times what the slowest peer needs."""
    return 120 + work.get("events", 0) / 200 + 4 * work.get("seconds", 0)


def run(server, case):
    """The figures of one run; of a case that is probed first, with the rate that came of it."""
    if case.probe is None:
        return attempt(server, case, case.work)
    probed = attempt(server, case, {**case.work, **case.probe})
    rate = max(1, round(probed["rate"] / 2))
    return {**attempt(server, case, {**case.work, "rate": rate}), "asked_rate": rate, "probed_rate": probed["rate"]}


def attempt(server, case, work):
    database = "bench"
    server.ask(f"create database {database}")
    try:
        environment = server.environment(database)
        with drivers.Driver(case.system, "prepare", case.prepare, environment) as preparing:
            preparing.finish(time.monotonic() + PREPARE_SECONDS)
        settle(server, database, case.state)
        return measure(server, database, case, work, environment)
    finally:
        server.ask(f"drop database {database} with (force)")


def settle(server, database, state):
    """Leaves no work of the preparation for the measurement."""
    if state == "filled":
        server.ask("vacuum analyze", database)
    elif state == "empty":
        server.ask("analyze", database)
    server.ask("checkpoint")


def measure(server, database, case, work, environment):
    # What a session did may be reported a second later: what is done before go is counted in full, or not at all.
    warm = work.get("warm", 0)
    rows_at_start = row_counts(server, database) if warm else None
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(drivers.Driver(case.system, "work", work, environment))
                   for _ in range(case.processes)]
        pids = [driver.pid for driver in started]
        deadline = time.monotonic() + READY_SECONDS
        for driver in started:
            driver.expect("ready", deadline)
        snapshot = contextlib.nullcontext()
        if case.pinned:
            snapshot = contextlib.closing(postgres.Snapshot(server, database))
        with snapshot:
            rows_before = rows_at_start or row_counts(server, database)
            position = server.ask("select pg_current_wal_insert_lsn()")
            for pid in pids:
                machine.forget_peak(pid)
            # Last before go and first after done: asking must not count.
            client, served = used(server, pids)
            for driver in started:
                driver.tell("go")
            deadline = time.monotonic() + patience(work)
            said = [driver.expect("done", deadline) for driver in started]
            client_after, served_after = used(server, pids)
        peak = max(machine.peak_bytes(pid) for pid in pids)
        wal = int(server.ask(f"select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{position}')::bigint"))
        for driver in started:
            driver.tell("end")
        deadline = time.monotonic() + END_SECONDS
        for driver in started:
            driver.finish(deadline)
    # A session reports what it did when it ends, at the latest.
    wait_until_alone(server, database)
    rows_after = row_counts(server, database)
    check(server, database, work, said)
    events = sum(each["events"] for each in said)
    figures = {"events": events, "seconds": max(each["seconds"] for each in said)}
    figures["rate"] = rate_of(work, case.point, said, figures)
    figures.update({
        "commits": (rows_after["commits"] - rows_before["commits"]) / (events + warm),
        "wal_bytes": wal / events,
        "dead": (rows_after["dead"] - rows_before["dead"]) / (events + warm),
        "client_us": (client_after - client) * 1e6 / events,
        # Processes that ended are counted in hundredths of a second: never less than none.
        "server_us": max(0.0, served_after - served) * 1e6 / events,
        "peak_mb": peak / 1e6,
    })
    figures.update({name: said[0][name] for name in ("latency_ms", "per_second") if name in said[0]})
    return figures


def used(server, pids):
    """Processor seconds of the drivers, and of the server."""
    return sum(map(machine.seconds_used, pids)), machine.seconds_used_by_family(server.postmaster)


def row_counts(server, database):
    """Commits in the database, and row versions that an update or a delete left behind."""
    commits, dead = server.ask(
        f"select (select xact_commit from pg_stat_database where datname = '{database}'),"
        " (select coalesce(sum(n_tup_upd + n_tup_del), 0)::bigint from pg_stat_user_tables)", database).split("|")
    return {"commits": int(commits), "dead": int(dead)}


def wait_until_alone(server, database):
    deadline = time.monotonic() + END_SECONDS
    while server.ask("select exists (select from pg_stat_activity where backend_type = 'client backend'"
                     f" and datname = '{database}')") == "t":
        if time.monotonic() > deadline:
            raise Wrong("sessions are left after the drivers ended")
        time.sleep(0.02)


def check(server, database, work, said):
    """A system that did less than it was asked to has not been faster."""
    handled = sum(each["events"] for each in said)
    due = work.get("events", 1)
    if work["handler"] == "failing":
        due = due * 9 // 10  # whether those that failed count as handled is the system's affair
    if handled < due:
        raise Wrong(f"{handled:,} events were handled, {due:,} were due")
    if work["handler"] in ("row", "rows", "waiting"):
        rows = int(server.ask("select count(*) from public.projection", database))
        if rows != work["events"]:
            raise Wrong(f"{rows:,} rows were written, {work['events']:,} were due")


def rate_of(work, point, said, figures):
    """Events per second; where the run goes on for long, how fast it was at the end."""
    if point in ("pinned", "unpinned"):
        return statistics.median(last_third(said[0]["per_second"][:int(work["seconds"])]))
    return figures["events"] / figures["seconds"]


def last_third(values):
    return values[len(values) - max(1, len(values) // 3):]

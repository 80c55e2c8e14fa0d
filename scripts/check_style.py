#!/usr/bin/env python3
"""The style rules that a machine can check. Prints what breaks them, file and line, and exits 1."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# Which rooms a room may include from. The build enforces the same by include paths and linking; this
# check names the rule.
may_include = {
    "core/asio": set(),
    "core/runtime": {"asio"},
    "core/config": set(),
    "core/compose": {"asio", "runtime", "config"},
    "core/event": set(),
    "core/policy": {"event"},
    "core/pg": {"asio"},
    "core/embedded": set(),
    "core/telemetry": {"event"},
    "core/handling": {"asio", "event", "outbox", "pg", "policy", "runtime", "telemetry"},
    "actors": {"asio", "config", "event", "handling", "outbox", "pg", "policy", "runtime",
               "telemetry"},
    "apps/cli": {"asio", "embedded", "event", "pg"},
    "apps/worker": {"actors", "alerts", "asio", "cli", "config", "embedded", "event", "handlers", "handling", "http",
                    "otel", "outbox", "pg", "policy", "runtime", "telemetry"},
    "handlers": {"asio", "config", "event", "handling", "http", "outbox", "pg", "policy",
                 "runtime", "telemetry"},
    "core/outbox": {"asio", "event", "pg", "policy", "telemetry"},
    "core/operations": {"asio", "event", "outbox", "pg", "policy", "telemetry"},
    "core/http": {"asio", "runtime"},
    "core/alerts": {"asio", "config", "event", "http", "policy", "runtime", "telemetry"},
    "core/otel": {"event", "telemetry"},
}

# Headers that belong to one room alone.
belongs_to = {
    r"libpq-fe\.h": "core/pg",
    r"quill/": "core/telemetry",
    r"opentelemetry/": "core/otel",
}

# Patterns that have no place in the code proper, and why.
forbidden = [
    (r"asio::detached|,\s*detached\)", "every spawned coroutine belongs to a scope"),
    (r"\b(sleep_for|sleep_until|usleep)\(", "wait for a signal or on the clock"),
    (r"\b(TODO|FIXME|XXX)\b", "finish it or leave it out"),
]


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.hpp", "*.cpp", "*.ipp"],
        cwd=root, capture_output=True, text=True, check=True).stdout.split()
    return [name for name in listed if (root / name).exists()]


def room_of(name):
    return max((room for room in may_include if name.startswith(room + "/")), key=len, default=None)


def check(name):
    text = (root / name).read_text()
    room = room_of(name)
    if name.endswith(".hpp") and not text.startswith("#pragma once"):
        yield 1, "a header starts with #pragma once"
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r"\s*#include\s+[<\"]([^>\"]+)", line)
        if include:
            header = include.group(1)
            own = re.match(r"cuebox/(\w+)/", header)
            if room and own and own.group(1) != room.split("/")[-1] \
                    and own.group(1) not in may_include[room]:
                yield number, f"{room} may not include from {own.group(1)}"
            if room and header.startswith(".."):
                yield number, "include by room: <cuebox/room/header.hpp>"
            for pattern, owner in belongs_to.items():
                if name == "bench/outbox/libpq.hpp":
                    continue  # the limit that Cuebox is measured against is bare libpq
                if re.match(pattern, header) and not name.startswith(owner + "/"):
                    yield number, f"only {owner} includes <{header}>"
        for pattern, why in forbidden:
            if name.startswith("bench/") and "detached" in pattern:
                continue  # peers are measured in their own idiom
            if re.search(pattern, line):
                yield number, f"'{re.search(pattern, line).group(0)}': {why}"
        if len(line) > 100:
            yield number, f"{len(line)} columns: at most 100"


def main():
    names = sources()
    broken = [f"{name}:{number}: {what}" for name in names for number, what in check(name)]
    formatted = subprocess.run(["clang-format-19", "--dry-run", "-Werror", *names], cwd=root,
                               capture_output=True, text=True)
    if formatted.returncode != 0:
        broken += sorted({line.split(":")[0] + ": not formatted: run ./dev format"
                          for line in formatted.stderr.splitlines() if "error:" in line})
    print("\n".join(broken) or f"style: {len(names)} files checked")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

"""The programs under test, and the protocol they speak: ready, go, done, end."""

import json
import pathlib
import queue
import shlex
import subprocess
import tempfile
import threading
import time

root = pathlib.Path(__file__).resolve().parent.parent.parent
binary = root / "build/release/bin/bench_outbox"
peers = root / "bench/peers"

commands = {
    "cuebox": [str(binary), "cuebox"],
    "bare": [str(binary), "bare"],
    "graphile": ["node", str(peers / "graphile_driver.mjs")],
    "pg_boss": ["node", str(peers / "pg_boss_driver.mjs")],
}


class Failed(Exception):
    """A driver did not do its part; the text says what it last said."""


def missing(systems):
    """Why these systems cannot be run, or nothing."""
    for system in systems:
        files = [part for part in commands[system] if part.startswith(str(root))]
        for name in files:
            if not pathlib.Path(name).exists():
                return f"no {name}: build and install with ./dev bench"
        if any(name.startswith(str(peers)) for name in files) and not (peers / "node_modules").exists():
            return f"no {peers / 'node_modules'}: run bench/peers/install"
    return None


def replace(assignment):
    """NAME=COMMAND: another program for a system."""
    system, _, command = assignment.partition("=")
    if system not in commands or not command:
        raise ValueError(f"'{assignment}': write one of {' '.join(commands)}, then =COMMAND")
    commands[system] = shlex.split(command)


class Driver:
    """One process of a system. Leaving the with statement ends it, whatever it was doing."""

    def __init__(self, system, verb, arguments, environment):
        self.name = f"{system} {verb}"
        self.said = tempfile.TemporaryFile("w+")
        self.lines = queue.Queue()
        # A session of its own: Ctrl-C reaches us alone, and we end the drivers before the server.
        self.process = subprocess.Popen([*commands[system], verb, json.dumps(arguments)], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                        start_new_session=True)
        self.pid = self.process.pid
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it ended with a word of ours unread
        self.process.stdout.close()
        self.said.close()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def fail(self, what):
        self.said.seek(0)
        last = self.said.read()[-2000:].strip()
        raise Failed(f"{self.name} {what}" + (f"; its last words:\n{last}" if last else "; it said nothing"))

    def expect(self, phase, deadline):
        """The message of that phase, which is due until the deadline on the monotonic clock."""
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            self.fail(f"was not {phase} in time")
        if line is None:
            self.fail(f"ended with status {self.process.wait()} before it was {phase}")
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict) or message.get("phase") != phase:
            self.fail(f"was to be {phase} and wrote {line.strip()[:200]!r}")
        return message

    def tell(self, word):
        try:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        except OSError:
            self.fail(f"did not listen when told to {word}")

    def finish(self, deadline):
        """Waits for the exit, which has to be a good one."""
        try:
            status = self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.fail("did not end in time")
        if status != 0:
            self.fail(f"ended with status {status}")

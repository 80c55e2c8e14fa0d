#!/usr/bin/env python3
"""Runs the ```sh blocks of a page as a reader would, and compares what is printed with what the page shows.

    run_page.py PAGE.md --source DIR --build DIR [--section TITLE]...

The reader starts in a directory that looks like the repository, built. Lines that start with `$ ` are commands, those
after them what they print; a block without them is a script. A plain block after a ```sh block is what its last command
prints. `…` stands for anything, and so do times, ids and names of hosts. A plain block that follows a file's name in
the text is that file. "In a second terminal" is a second shell, "a third terminal" a third one, "first terminal" the first
one again, and "from the repository's directory" a new one there.

`cuebox worker` and `cuebox status --watch` go on running until there is something else to do in their terminal, or the text
says `^C`: then all end, those of the last terminal first. /tmp and /opt are directories of this run alone, so that two runs
do not meet.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

patience = 300  # seconds, for whatever may take long on a busy machine


class wrong(Exception):
    pass


def pieces(page, wanted):
    """(text before it, language, lines, line number) of each block in the sections that are wanted."""
    section, before, inside = "", [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if inside is not None:
            if line.strip() == "```":
                if not wanted or section in wanted:
                    yield " ".join(before), language, inside, start
                inside, before = None, []
            else:
                inside.append(line)
        elif line.startswith("```"):
            language, inside, start = line[3:].strip(), [], number + 1
        elif line.startswith("## "):
            section, before = line[3:].strip(), []
        else:
            before.append(line)


def is_complete(command):
    return subprocess.run(["bash", "-n"], input=command, text=True, capture_output=True).returncode == 0


def commands(lines):
    """(command, what it prints or None) of a block."""
    prompts = any(line.startswith("$ ") for line in lines)
    command, printed = "", []
    for line in lines:
        if prompts and line.startswith("$ ") or not prompts and is_complete(command):
            if command:
                yield command, printed
            command, printed = (line.removeprefix("$ ") if prompts else line), []
        elif not is_complete(command):
            command += "\n" + line
        else:
            printed.append(line)
    if command:
        yield command, printed


def pattern(line):
    """A shown line as a pattern of a printed one."""
    made = re.escape(line.strip())
    for shown, meant in [(r"\d\d:\d\d:\d\d\\?\.\d{3}", r"[\\d:.]+"),
                         (r"[0-9a-f]{8}(\\-[0-9a-f]{4}){3}\\-[0-9a-f]{12}", r"[0-9a-f-]{36}"),
                         (r"[0-9a-f]{8}\\-…", r"[0-9a-f-]{36}"),
                         (r"@host:\d+:[0-9a-f]+", r"@\\S+"), ("…", ".*")]:
        made = re.sub(shown, meant, made)
    return re.sub(r"(\\ )+", r"\\s+", made)


def missing(shown, printed):
    """The first line shown that is not printed in its turn."""
    rest = iter(printed.splitlines())
    for line in shown:
        if line.strip() and not any(re.fullmatch(pattern(line), each.strip()) for each in rest):
            return line
    return None


class terminal:
    def __init__(self, directory, environment):
        self.shell = subprocess.Popen(["bash", "--norc"], cwd=directory, env=environment, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.running = None
        self.shell.stdin.write("set -m\n")

    def ask(self, text):
        self.shell.stdin.write(text + "\nprintf '\\n\\001%d\\n' $?\n")
        self.shell.stdin.flush()
        printed = ""
        for line in self.shell.stdout:
            if line.startswith("\001"):
                return printed.removesuffix("\n"), int(line[1:])
            printed += line
        raise wrong(f"the shell has ended:\n{printed}")

    def run(self, command):
        self.interrupt()
        return self.ask(f"eval {shlex.quote(command)} </dev/null")

    def start(self, command, log):
        self.interrupt()
        printed, _ = self.ask(f"eval {shlex.quote(command)} </dev/null >{log} 2>&1 & echo $!")
        self.running = int(printed.split()[-1]), log, command

    def interrupt(self):
        """^C, for what still runs here."""
        if not self.running:
            return
        (group, log, command), self.running = self.running, None
        os.killpg(group, signal.SIGINT)
        _, code = self.ask(f"wait {group}")
        if code != 0:
            raise wrong(f"{command}\nends with {code} after ^C:\n{log.read_text()}")

    def close(self):
        if self.running:
            os.killpg(self.running[0], signal.SIGKILL)
        self.shell.stdin.close()
        self.shell.wait(patience)


class reader:
    def __init__(self, page, source, build, room):
        self.page, self.room, self.source = page, room, source
        home = room / "cuebox"
        (home / "build").mkdir(parents=True)
        (home / "build/release").symlink_to(build)
        (home / "examples").symlink_to(source / "examples")
        (home / "dev").write_text("#!/bin/sh\n# Everything is built, and the tests run already.\n")
        (home / "dev").chmod(0o755)
        for each in ("tmp", "opt"):
            (room / each).mkdir()
        room.chmod(0o755)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("CUEBOX", "PG"))
                            and key not in ("DATABASE_URL", "CMAKE_PREFIX_PATH", "CXX", "CC")}
        self.environment["PATH"] = f"{build}/bin:" + self.environment["PATH"]
        self.environment["LANG"] = "C.UTF-8"
        self.terminals = {}
        self.at = self.terminal(1)
        self.last = None

    def terminal(self, number):
        if number not in self.terminals:
            self.terminals[number] = terminal(self.room / "cuebox", self.environment)
        return self.terminals[number]

    def own(self, text):
        """/tmp and /opt of this run."""
        return re.sub(r"(?<![\w/])/(tmp|opt)/", rf"{self.room}/\1/", text)

    def read(self, before, language, lines):
        if "^C" in before:
            self.interrupt()
        if "second terminal" in before:
            self.at = self.terminal(2)
        elif "third terminal" in before:
            self.at = self.terminal(3)
        elif "first terminal" in before:
            self.at = self.terminal(1)
        elif "the repository's directory" in before:
            self.at = self.terminal(4)
        named = re.findall(r"`([\w.]+\.(?:jaxn|txt|cpp|json))`", before)
        if language == "sh":
            for command, shown in commands(lines):
                self.follow(self.own(command), shown)
        elif named and language in ("", "jaxn", "cmake", "cpp"):
            directory, _ = self.at.ask("pwd")
            (pathlib.Path(directory.strip()) / named[-1]).write_text("\n".join(lines) + "\n")
        elif not language and self.last:
            self.compare(*self.last, lines)

    def follow(self, command, shown):
        if not command.strip() or command.startswith("#"):
            return
        print(f"$ {command}", flush=True)
        stays = re.search(r"\bcuebox worker\b|\bcuebox status --watch\b", command)
        if stays and "--check" not in command:
            log = self.room / f"log-{time.monotonic_ns()}"
            log.touch()  # the shell makes it a moment later
            self.at.start(command, log)
            self.last = command, None, log
            self.compare(*self.last, shown or ["… listening …" if "worker" in command else "backlog …"])
            return
        printed, code = self.at.run(command)
        print(printed, end="", flush=True)
        if code != 0:
            raise wrong(f"{command}\nends with {code}:\n{printed}")
        self.last = command, printed, None
        self.compare(*self.last, shown)

    def compare(self, command, printed, log, shown):
        """What a worker does shows in its log, and in the database, a moment later."""
        looks = command.startswith("psql") and re.search(r"'table |[\"']select (?!.*core\.outbox_)", command)
        until = time.monotonic() + patience
        while (lost := missing(shown, log.read_text() if log else printed)) is not None:
            if time.monotonic() > until or not (log or looks):
                raise wrong(f"{command}\ndoes not print\n{lost}\nbut\n{log.read_text() if log else printed}")
            time.sleep(0.1)
            if looks:
                printed, _ = self.at.run(command)

    def interrupt(self):
        """^C in every terminal; the first one may hold the database of the others."""
        for number in sorted(self.terminals, reverse=True):
            self.terminals[number].interrupt()

    def close(self):
        for each in self.terminals.values():
            each.close()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("--source", type=pathlib.Path, required=True)
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("--section", action="append", default=[])
    given = arguments.parse_args()
    room = pathlib.Path(tempfile.mkdtemp(prefix="cuebox-page-"))
    someone = reader(given.page, given.source.resolve(), given.build.resolve(), room)
    ran = 0
    try:
        for before, language, lines, number in pieces(given.page, given.section):
            try:
                someone.read(before, language, lines)
                ran += language == "sh"
            except wrong as error:
                raise wrong(f"{given.page}:{number}: {error}")
        someone.interrupt()
        if ran == 0:
            raise wrong(f"{given.page}: nothing to run; is there still a section {given.section}?")
    except wrong as error:
        sys.exit(str(error))
    finally:
        someone.close()
        shutil.rmtree(room, ignore_errors=True)


if __name__ == "__main__":
    main()

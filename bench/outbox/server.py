"""A private Postgres, alike for every system, that is gone afterwards."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

# Where it differs from Postgres as installed, and the same for all. Durability stays as it comes: on.
settings = {
    "listen_addresses": "",
    "max_connections": "200",
    "max_wal_size": "8GB",
    "min_wal_size": "2GB",
    "shared_buffers": "1GB",
}

# Said with the results, whether changed or not.
shown = ["fsync", "synchronous_commit", "full_page_writes", "autovacuum", "shared_buffers", "max_wal_size",
         "min_wal_size", "max_connections"]


class Refused(Exception):
    """Postgres did not do what it was asked to."""


def as_postgres(command):
    """Postgres refuses to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", *command]


def quoted(value):
    """A value for postgresql.conf."""
    return "'" + str(value).replace("'", "''") + "'"


class Server:
    """Runs from the first line of a with statement to its last, however that ends."""

    def __enter__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="cuebox-bench-"))
        self.running = False
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Who presses Ctrl-C twice wants it gone all the more.
        patient = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if self.running:
                self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)
            signal.signal(signal.SIGINT, patient)

    def start(self):
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        found = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True)
        self.bin = pathlib.Path(found.stdout.strip())
        self.data = self.directory / "data"
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale")
        with open(self.data / "postgresql.conf", "a") as config:
            for name, value in {**settings, "unix_socket_directories": self.directory}.items():
                config.write(f"{name} = {quoted(value)}\n")
        self.running = True  # from here on something may have to be stopped
        self.run("pg_ctl", "-D", self.data, "-l", self.directory / "log", "-w", "start")
        self.postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        self.age_wal()

    def age_wal(self):
        """A server that has run for a while uses its WAL files again; a new one makes each anew, which is a
        fifteenth of what a drain costs, more or less as the runs before it have left some."""
        self.ask("do $$ begin for i in 1..64 loop"
                 " perform pg_logical_emit_message(false, '', ''); perform pg_switch_wal(); end loop; end $$")
        self.ask("checkpoint")

    def run(self, program, *arguments):
        # The server inherits what is open here, so nothing may be a pipe that somebody reads to its end.
        with open(self.directory / "said", "a+") as said:
            command = as_postgres([str(self.bin / program), *map(str, arguments)])
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            if done.returncode != 0:
                said.seek(0)
                raise Refused(f"{program} failed:\n{said.read()[-2000:]}")

    def environment(self, database):
        """What a client needs to find a database, and nothing of the caller's own Postgres."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return {**inherited, "PGHOST": str(self.directory), "PGPORT": "5432", "PGUSER": "postgres",
                "PGDATABASE": database}

    def psql(self):
        return [str(self.bin / "psql"), "-qXAt", "-v", "ON_ERROR_STOP=1"]

    def ask(self, sql, database="postgres"):
        """What a statement prints, in a session of its own."""
        done = subprocess.run([*self.psql(), "-c", sql], env=self.environment(database), capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused(done.stderr.strip())
        return done.stdout.strip()

    def describe(self):
        return {"version": self.ask("show server_version"),
                "settings": {name: self.ask(f"show {name}") for name in shown}}


class Snapshot:
    """Another session that holds a snapshot of a database, so that nothing newer can be cleaned up there."""

    def __init__(self, server, database):
        self.session = subprocess.Popen(server.psql(), env=server.environment(database), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.session.stdin.write("begin isolation level repeatable read;\nselect 1;\n")
        self.session.stdin.flush()
        if self.session.stdout.readline().strip() != "1":
            self.close()
            raise Refused("the session that was to hold a snapshot ended")

    def close(self):
        self.session.stdin.close()
        self.session.wait(60)
        self.session.stdout.close()

"""What is running now, on stderr: one live line on a terminal, a line per finished run elsewhere."""

import sys
import threading
import time


def clock(seconds):
    """65 as 1:05."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def time_left(elapsed, done, total):
    """By the guesses that the work done so far was worth; nothing yet before any is done."""
    return elapsed / done * (total - done) if done else None


class Progress:
    def __init__(self, runs, total):
        self.runs, self.total = runs, total
        self.live = sys.stderr.isatty()
        self.begun = time.monotonic()
        self.number = 0
        self.done = 0.0
        self.line = ""
        self.stopped = threading.Event()
        self.ticker = threading.Thread(target=self.tick, daemon=True)

    def __enter__(self):
        if self.live:
            self.ticker.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        if self.live:
            self.ticker.join()
            sys.stderr.write("\r\033[K")

    def elapsed(self):
        return time.monotonic() - self.begun

    def begin(self, number, case):
        self.number += 1
        name = case.workload + (f" {case.point}" if case.point else "")
        width = len(str(self.runs))
        self.line = (f"[{self.number:{width}}/{self.runs}] {name:21} {case.label:20} "
                     f"round {number} of {case.rounds}")
        self.draw()

    def end(self, case, figure):
        self.done += case.guess
        if not self.live:
            self.say(f"{self.line}  {figure:22} {self.times()}")

    def times(self):
        left = time_left(self.elapsed(), self.done, self.total)
        return clock(self.elapsed()) + ("" if left is None else f", {clock(left)} left")

    def draw(self):
        if self.live:
            sys.stderr.write(f"\r\033[K{self.line}  {self.times()}")
            sys.stderr.flush()

    def tick(self):
        while not self.stopped.wait(1):
            self.draw()

    def say(self, text):
        """A line that stays."""
        sys.stderr.write(("\r\033[K" if self.live else "") + text + "\n")
        sys.stderr.flush()
